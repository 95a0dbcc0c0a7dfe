package oracle

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	vpa_types "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/features"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/logic"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/model"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/routines"
	controllerfetcher "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/target/controller_fetcher"
)

func init() { registerInBubble("cluster", answerCluster) }

// clusterQuestion is a history of pods and VPAs, all in namespace "ns".
type clusterQuestion struct {
	PerVPAConfig bool          `json:"perVPAConfig"`
	Steps        []clusterStep `json:"steps"`
}

type clusterStep struct {
	Do        string               `json:"do"`
	Pod       string               `json:"pod"`
	Labels    map[string]string    `json:"labels"`
	Phase     corev1.PodPhase      `json:"phase"`
	Container string               `json:"container"`
	Resource  model.ResourceName   `json:"resource"`
	Time      Instant              `json:"t"`
	Amount    model.ResourceAmount `json:"a"`
	VPA       json.RawMessage      `json:"vpa"`
	Name      string               `json:"name"`
	Selector  *string              `json:"selector"`
	Duration  time.Duration        `json:"duration"`
	Exists    bool                 `json:"exists"`
}

// clusterRun is one history under way.
type clusterRun struct {
	state       model.ClusterState
	recommender logic.PodResourceRecommender
	said        []any
}

var recommendationConfig = logic.RecommendationConfig{
	SafetyMarginFraction: 0.15, PodMinCPUMillicores: 25, PodMinMemoryMb: 250,
	TargetCPUPercentile: 0.9, LowerBoundCPUPercentile: 0.5, UpperBoundCPUPercentile: 0.95,
	ConfidenceIntervalCPU: 24 * time.Hour, TargetMemoryPercentile: 0.9, LowerBoundMemoryPercentile: 0.5,
	UpperBoundMemoryPercentile: 0.95, ConfidenceIntervalMemory: 24 * time.Hour,
}

func answerCluster(question *clusterQuestion) any {
	if err := features.MutableFeatureGate.SetFromMap(map[string]bool{"PerVPAConfig": question.PerVPAConfig}); err != nil {
		panic(err)
	}
	run := clusterRun{
		model.NewClusterState(time.Hour), logic.CreatePodResourceRecommender(recommendationConfig), []any{},
	}
	for i := range question.Steps {
		run.take(&question.Steps[i])
	}
	return append(run.said, run.state.StateMapSize())
}

func (r *clusterRun) take(step *clusterStep) {
	pod := model.PodID{Namespace: "ns", PodName: step.Pod}
	container := model.ContainerID{PodID: pod, ContainerName: step.Container}
	switch step.Do {
	case "pod":
		r.state.AddOrUpdatePod(pod, step.Labels, step.Phase)
	case "delete-pod":
		r.state.DeletePod(pod)
	case "container":
		r.say(r.state.AddOrUpdateContainer(container, model.Resources{}))
	case "sample":
		sample := model.ContainerUsageSample{MeasureStart: step.Time.Time, Usage: step.Amount, Resource: step.Resource}
		r.say(r.state.AddSample(&model.ContainerUsageSampleWithKey{ContainerUsageSample: sample, Container: container}))
	case "oom":
		r.say(r.state.RecordOOM(container, step.Time.Time, step.Amount))
	case "vpa":
		r.say(r.state.AddOrUpdateVpa(step.decodedVPA(), step.selector()))
	case "delete-vpa":
		r.say(r.state.DeleteVpa(model.VpaID{Namespace: "ns", VpaName: step.Name}))
	case "sleep":
		time.Sleep(step.Duration)
	case "collect":
		r.state.RateLimitedGarbageCollectAggregateCollectionStates(context.Background(), time.Now(), existing(step.Exists))
		r.said = append(r.said, r.state.StateMapSize())
	default:
		r.takeForVPA(step.Do, r.state.VPAs()[model.VpaID{Namespace: "ns", VpaName: step.Name}])
	}
}

func (r *clusterRun) takeForVPA(what string, vpa *model.Vpa) {
	if vpa == nil {
		return
	}
	switch what {
	case "recommend":
		r.recommend(vpa)
	case "restart":
		r.restart(vpa)
	default:
		panic("there is no step " + what)
	}
}

// recommend does what the recommender does for one VPA in each loop, but for post-processors and writing.
func (r *clusterRun) recommend(vpa *model.Vpa) {
	states := routines.GetContainerNameToAggregateStateMap(vpa)
	recommended := r.recommender.GetRecommendedPodResources(states)
	format := logic.RecommendationFormat{RoundCPUMillicores: 1, RoundMemoryBytes: 1}
	vpa.UpdateRecommendation(logic.MapToListOfRecommendedContainerResources(recommended, format))
	vpa.UpdateConditions(vpa.PodCount > 0)
	missing := r.state.RecordRecommendation(vpa, time.Now())
	status, err := json.Marshal(vpa.AsStatus()) // now: it points into the VPA
	if err != nil {
		panic(err)
	}
	r.said = append(r.said, json.RawMessage(status), vpa.PodCount, missing != nil)
}

// restart takes checkpoints, as JSON, for what was before.
func (r *clusterRun) restart(vpa *model.Vpa) {
	states := vpa.AggregateStateByContainerName()
	loaded := model.ContainerNameToAggregateStateMap{}
	saved := map[string]json.RawMessage{}
	for name, state := range states {
		status, err := state.SaveToCheckpoint()
		if err != nil {
			panic(err)
		}
		saved[name], _ = json.Marshal(status)
		var read vpa_types.VerticalPodAutoscalerCheckpointStatus
		if err := json.Unmarshal(saved[name], &read); err != nil {
			panic(err)
		}
		loaded[name] = model.NewAggregateContainerState()
		if err := loaded[name].LoadFromCheckpoint(&read); err != nil {
			panic(err)
		}
	}
	vpa.ContainersInitialAggregateState = loaded
	r.said = append(r.said, saved)
}

// say records an error, which upstream's callers only log.
func (r *clusterRun) say(err error) {
	var unknown model.KeyError
	switch {
	case err == nil:
		r.said = append(r.said, "")
	case errors.As(err, &unknown):
		r.said = append(r.said, unknown.Error())
	default:
		r.said = append(r.said, "discarded")
	}
}

func (s *clusterStep) decodedVPA() *vpa_types.VerticalPodAutoscaler {
	var vpa vpa_types.VerticalPodAutoscaler
	if err := json.Unmarshal(s.VPA, &vpa); err != nil {
		panic(err)
	}
	return &vpa
}

func (s *clusterStep) selector() labels.Selector {
	if s.Selector == nil {
		return labels.Nothing()
	}
	selector, err := labels.Parse(*s.Selector)
	if err != nil {
		panic(err)
	}
	return selector
}

// existing finds every controller, or none.
type existing bool

// FindTopMostWellKnownOrScalable says that a controller has no owner.
func (e existing) FindTopMostWellKnownOrScalable(
	_ context.Context, controller *controllerfetcher.ControllerKeyWithAPIVersion,
) (*controllerfetcher.ControllerKeyWithAPIVersion, error) {
	if !e {
		return nil, errors.New("gone")
	}
	return controller, nil
}
