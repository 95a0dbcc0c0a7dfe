package oracle

import (
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	vpa_types "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/util"
)

func init() { register("histogram", answerHistogram) }

// histogramQuestion builds a histogram in steps; without a half-life it does not decay.
type histogramQuestion struct {
	Scheme      scheme          `json:"scheme"`
	HalfLife    *time.Duration  `json:"halfLife"`
	Steps       []histogramStep `json:"steps"`
	Percentiles []float64       `json:"percentiles"`
}

// histogramStep adds or subtracts a sample, saves, loads a checkpoint, or merges with another histogram.
type histogramStep struct {
	Do         string              `json:"do"`
	Value      float64             `json:"v"`
	Weight     float64             `json:"w"`
	Time       Instant             `json:"t"`
	Checkpoint histogramCheckpoint `json:"checkpoint"`
	Other      []histogramStep     `json:"other"`
}

type histogramCheckpoint struct {
	Weights   map[int]uint32 `json:"weights"`
	Total     Float          `json:"total"`
	Reference Instant        `json:"reference"`
}

type histogramState struct {
	Min       int     `json:"min"`
	Max       int     `json:"max"`
	Total     Float   `json:"total"`
	Reference Instant `json:"reference"`
	Buckets   []int   `json:"buckets"`
	Weights   Floats  `json:"weights"`
}

type histogramAnswer struct {
	Said        []any          `json:"said"`
	State       histogramState `json:"state"`
	Percentiles Floats         `json:"percentiles"`
}

func answerHistogram(question *histogramQuestion) any {
	said := []any{}
	made := question.build(question.Steps, &said)
	percentiles := Floats{}
	for _, percentile := range question.Percentiles {
		percentiles = append(percentiles, made.Percentile(percentile))
	}
	return histogramAnswer{said, stateOf(made), percentiles}
}

func (q *histogramQuestion) build(steps []histogramStep, said *[]any) util.Histogram {
	options, err := q.Scheme.options()
	if err != nil {
		panic(err)
	}
	made := util.NewHistogram(options)
	if q.HalfLife != nil {
		made = util.NewDecayingHistogram(options, *q.HalfLife)
	}
	for i := range steps {
		q.take(made, &steps[i], said)
	}
	return made
}

func (q *histogramQuestion) take(made util.Histogram, step *histogramStep, said *[]any) {
	switch step.Do {
	case "add":
		made.AddSample(step.Value, step.Weight, step.Time.Time)
	case "subtract":
		made.SubtractSample(step.Value, step.Weight, step.Time.Time)
	case "merge":
		other := q.build(step.Other, said)
		made.Merge(other)
		*said = append(*said, stateOf(other)) // which a merge may change, too
	case "save":
		*said = append(*said, saved(made))
	case "load":
		if err := made.LoadFromCheckpoint(step.Checkpoint.api()); err != nil {
			*said = append(*said, err.Error())
		}
	default:
		panic("there is no step " + step.Do)
	}
}

func (c *histogramCheckpoint) api() *vpa_types.HistogramCheckpoint {
	return &vpa_types.HistogramCheckpoint{
		BucketWeights:      c.Weights,
		TotalWeight:        float64(c.Total),
		ReferenceTimestamp: metav1.NewTime(c.Reference.Time),
	}
}

func saved(histogram util.Histogram) any {
	checkpoint, err := histogram.SaveToChekpoint()
	if err != nil {
		return err.Error()
	}
	return savedCheckpoint(checkpoint)
}

func savedCheckpoint(checkpoint *vpa_types.HistogramCheckpoint) histogramCheckpoint {
	return histogramCheckpoint{
		checkpoint.BucketWeights, Float(checkpoint.TotalWeight), Instant{checkpoint.ReferenceTimestamp.Time},
	}
}

// stateOf reads what upstream keeps to itself, for the sake of every bit.
func stateOf(histogram util.Histogram) histogramState {
	value := reflect.ValueOf(histogram).Elem()
	state := histogramState{
		Min:       int(value.FieldByName("minBucket").Int()),
		Max:       int(value.FieldByName("maxBucket").Int()),
		Total:     Float(value.FieldByName("totalWeight").Float()),
		Reference: Instant{referenceOf(value)},
		Buckets:   []int{},
		Weights:   Floats{},
	}
	weights := value.FieldByName("bucketWeight")
	for bucket := range weights.Len() {
		if weight := weights.Index(bucket).Float(); weight != 0 {
			state.Buckets, state.Weights = append(state.Buckets, bucket), append(state.Weights, weight)
		}
	}
	return state
}

func referenceOf(histogram reflect.Value) time.Time {
	field := histogram.FieldByName("referenceTimestamp")
	if !field.IsValid() {
		return time.Time{}
	}
	return *(*time.Time)(field.Addr().UnsafePointer())
}
