package oracle

import (
	"time"

	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/model"
)

func init() { register("container", answerContainer) }

// containerQuestion gives usage to containers of one aggregation, in the order of the steps.
type containerQuestion struct {
	Containers int             `json:"containers"`
	Interval   time.Duration   `json:"interval"`
	BumpRatio  float64         `json:"bumpRatio"`
	MinBump    float64         `json:"minBump"`
	Steps      []containerStep `json:"steps"`
}

// containerStep is a sample of "cpu" or "memory", an "oom", or "reload": save, and load into a new aggregation.
type containerStep struct {
	Do        string               `json:"do"`
	Container int                  `json:"c"`
	Time      Instant              `json:"t"`
	Amount    model.ResourceAmount `json:"a"`
}

type aggregateState struct {
	CPU    histogramState `json:"cpu"`
	Memory histogramState `json:"memory"`
	First  Instant        `json:"first"`
	Last   Instant        `json:"last"`
	Count  int            `json:"count"`
}

func answerContainer(question *containerQuestion) any {
	aggregate := question.aggregate()
	containers := make([]*model.ContainerState, question.Containers)
	for i := range containers {
		containers[i] = model.NewContainerState(model.Resources{}, aggregate)
	}
	said := []any{}
	for i := range question.Steps {
		step := &question.Steps[i]
		if step.Do == "reload" {
			said = append(said, reload(aggregate))
			continue
		}
		container := containers[step.Container]
		said = append(said, step.take(container), container.GetMaxMemoryPeak(), Instant{container.WindowEnd})
	}
	return []any{said, stateOfAggregate(aggregate)}
}

func (q *containerQuestion) aggregate() *model.AggregateContainerState {
	made := model.NewAggregateContainerState()
	made.MemoryAggregationIntervalDuration = q.Interval
	made.OOMBumpUpRatio, made.OOMMinBumpUp = q.BumpRatio, q.MinBump
	return made
}

func (s *containerStep) take(container *model.ContainerState) any {
	if s.Do == "oom" {
		if err := container.RecordOOM(s.Time.Time, s.Amount); err != nil {
			return false
		}
		return true
	}
	sample := model.ContainerUsageSample{MeasureStart: s.Time.Time, Usage: s.Amount, Resource: model.ResourceName(s.Do)}
	return container.AddSample(&sample)
}

// reload puts an aggregation through a checkpoint and back, as a restart does, but for the cut-off fractions of seconds.
func reload(aggregate *model.AggregateContainerState) any {
	status, err := aggregate.SaveToCheckpoint()
	if err != nil {
		return err.Error()
	}
	loaded := model.NewAggregateContainerState()
	if err := loaded.LoadFromCheckpoint(status); err != nil {
		return err.Error()
	}
	merged := model.NewAggregateContainerState()
	merged.MergeContainerState(loaded)
	merged.MergeContainerState(aggregate)
	return []any{
		savedCheckpoint(&status.CPUHistogram), savedCheckpoint(&status.MemoryHistogram), stateOfAggregate(merged),
	}
}

func stateOfAggregate(aggregate *model.AggregateContainerState) aggregateState {
	return aggregateState{
		CPU:    stateOf(aggregate.AggregateCPUUsage),
		Memory: stateOf(aggregate.AggregateMemoryPeaks),
		First:  Instant{aggregate.FirstSampleStart},
		Last:   Instant{aggregate.LastSampleStart},
		Count:  aggregate.TotalSamplesCount,
	}
}
