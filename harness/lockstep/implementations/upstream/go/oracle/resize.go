package oracle

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	resource_admission "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/resource"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/resource/pod/patch"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/resource/pod/recommendation"
	vpa_types "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/updater/inplace"
	vpa_api_util "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/vpa"
)

func init() { registerInBubble("resize", answerResize) }

// resizeQuestion asks how a pod is resized at 2000-01-01T00:00:00Z.
type resizeQuestion struct {
	VPA         *vpa_types.VerticalPodAutoscaler `json:"vpa"`
	Pod         *corev1.Pod                      `json:"pod"`
	LimitRanges []*corev1.LimitRange             `json:"limitRanges"`
}

// answerResize has the operations of each calculator, by path: upstream goes through maps.
func answerResize(question *resizeQuestion) any {
	limitRanges := calculatorOf(question.LimitRanges)
	provider := recommendation.NewProvider(limitRanges, vpa_api_util.NewCappingRecommendationProcessor(limitRanges))
	answers := []any{}
	for _, calculator := range []patch.Calculator{
		inplace.NewResourceInPlaceUpdatesCalculator(provider), inplace.NewInPlaceUpdatedCalculator(),
		inplace.NewUnboostAnnotationCalculator(),
	} {
		patches, err := calculator.CalculatePatches(question.Pod, question.VPA)
		if err != nil {
			answers = append(answers, "failed")
			continue
		}
		slices.SortFunc(patches, func(a, b resource_admission.PatchRecord) int { return strings.Compare(a.Path, b.Path) })
		answers = append(answers, append([]resource_admission.PatchRecord{}, patches...))
	}
	return answers
}
