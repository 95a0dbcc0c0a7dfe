package oracle

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	vpa_types "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/features"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/updater/priority"
	vpa_api_util "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/vpa"
)

func init() {
	register("priority", answerPriority)
}

// priorityQuestion asks which pods are updated, and in which order.
type priorityQuestion struct {
	VPA        *vpa_types.VerticalPodAutoscaler                 `json:"vpa"`
	Pods       []*corev1.Pod                                    `json:"pods"`
	Now        Instant                                          `json:"now"`
	Threshold  float64                                          `json:"threshold"`
	Lifetime   time.Duration                                    `json:"lifetime"`
	OOM        time.Duration                                    `json:"oom"`
	PerVPA     bool                                             `json:"perVPAConfig"`
	Infeasible map[types.UID]*vpa_types.RecommendedPodResources `json:"infeasible"`
}

// answerPriority has the priority of each pod, then the names of those that are updated.
func answerPriority(question *priorityQuestion) any {
	if err := features.MutableFeatureGate.SetFromMap(
		map[string]bool{string(features.PerVPAConfig): question.PerVPA},
	); err != nil {
		return err.Error()
	}
	capping := vpa_api_util.NewCappingRecommendationProcessor(calculatorOf(nil))
	processor := priority.NewProcessor()
	calculator := priority.NewUpdatePriorityCalculator(question.VPA, priority.UpdateConfig{
		MinChangePriority:          question.Threshold,
		PodLifetimeUpdateThreshold: question.Lifetime,
		EvictAfterOOMThreshold:     question.OOM,
	}, capping, processor)
	priorities := []any{}
	for _, pod := range question.Pods {
		recommendation, _, err := capping.Apply(question.VPA, pod)
		if err != nil {
			return err.Error()
		}
		found := processor.GetUpdatePriority(pod, question.VPA, recommendation)
		priorities = append(priorities, []any{found.OutsideRecommendedRange, found.ScaleUp, Float(found.ResourceDiff)})
		calculator.AddPod(pod, question.Now.Time, question.Infeasible)
	}
	admission := priority.NewScalingDirectionPodEvictionAdmission()
	admission.LoopInit(question.Pods, map[*vpa_types.VerticalPodAutoscaler][]*corev1.Pod{question.VPA: question.Pods})
	names := []string{}
	for _, pod := range calculator.GetSortedPods(admission) {
		names = append(names, pod.Name)
	}
	return []any{priorities, names}
}
