package oracle

import (
	corev1 "k8s.io/api/core/v1"

	vpa_types "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/logic"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/model"
)

func init() { register("recommendation", answerRecommendation) }

// recommendationQuestion asks for the recommendation of containers with some history.
type recommendationQuestion struct {
	Config     logic.RecommendationConfig `json:"config"`
	Format     logic.RecommendationFormat `json:"format"`
	Containers map[string]*usage          `json:"containers"`
}

// usage is the history of one container: weights by amount, and the times of its first and last sample.
type usage struct {
	CPU       []weighted             `json:"cpu"`
	Memory    []weighted             `json:"memory"`
	First     Instant                `json:"first"`
	Last      Instant                `json:"last"`
	Count     int                    `json:"count"`
	Resources *[]corev1.ResourceName `json:"resources"`
}

type weighted struct {
	Value  float64 `json:"v"`
	Weight float64 `json:"w"`
}

func answerRecommendation(question *recommendationQuestion) any {
	states := model.ContainerNameToAggregateStateMap{}
	for name, usage := range question.Containers {
		states[name] = usage.state()
	}
	recommender := logic.CreatePodResourceRecommender(question.Config)
	recommended := recommender.GetRecommendedPodResources(states)
	return logic.MapToListOfRecommendedContainerResources(recommended, question.Format).ContainerRecommendations
}

func (u *usage) state() *model.AggregateContainerState {
	made := model.NewAggregateContainerState()
	for _, one := range u.CPU {
		made.AggregateCPUUsage.AddSample(one.Value, one.Weight, epoch)
	}
	for _, one := range u.Memory {
		made.AggregateMemoryPeaks.AddSample(one.Value, one.Weight, epoch)
	}
	made.FirstSampleStart, made.LastSampleStart, made.TotalSamplesCount = u.First.Time, u.Last.Time, u.Count
	made.UpdateFromPolicy(&vpa_types.ContainerResourcePolicy{ControlledResources: u.Resources})
	return made
}
