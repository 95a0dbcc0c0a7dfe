package oracle

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	vpa_types "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/limitrange"
	vpa_api_util "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/vpa"
)

func init() {
	register("capping", answerCapping)
	register("limits", answerLimits)
	register("limitrange", answerLimitRange)
}

// cappingQuestion asks how policies, limits and LimitRanges cap a recommendation.
type cappingQuestion struct {
	VPA         *vpa_types.VerticalPodAutoscaler `json:"vpa"`
	Pod         *corev1.Pod                      `json:"pod"`
	LimitRanges []*corev1.LimitRange             `json:"limitRanges"`
	GlobalMax   corev1.ResourceList              `json:"globalMax"`
}

// answerCapping has what the recommender writes, what is left for the pod, and remarks, sorted: upstream goes through
// maps.
func answerCapping(question *cappingQuestion) any {
	written, err := vpa_api_util.ApplyVPAPolicy(
		question.VPA.Status.Recommendation, question.VPA.Spec.ResourcePolicy, question.GlobalMax,
	)
	if err != nil {
		return err.Error()
	}
	processor := vpa_api_util.NewCappingRecommendationProcessor(calculatorOf(question.LimitRanges))
	capped, annotations, err := processor.Apply(question.VPA, question.Pod)
	if err != nil {
		return err.Error()
	}
	for _, each := range annotations {
		slices.Sort(each)
	}
	return []any{written, capped, annotations}
}

// calculatorOf is the real one, with an informer's store that holds these.
func calculatorOf(limitRanges []*corev1.LimitRange) limitrange.LimitRangeCalculator {
	factory := informers.NewSharedInformerFactory(&kubernetes.Clientset{}, 0)
	store := factory.Core().V1().LimitRanges().Informer().GetStore()
	for _, one := range limitRanges {
		if err := store.Add(one); err != nil {
			panic(err)
		}
	}
	calculator, err := limitrange.NewLimitsRangeCalculator(factory)
	if err != nil {
		panic(err)
	}
	return calculator
}

// limitsQuestion asks how limits follow requests, and requests limits.
type limitsQuestion struct {
	Limit    corev1.ResourceList `json:"limit"`
	Request  corev1.ResourceList `json:"request"`
	Target   corev1.ResourceList `json:"target"`
	Default  corev1.ResourceList `json:"default"`
	Boundary corev1.ResourceList `json:"boundary"`
}

func answerLimits(question *limitsQuestion) any {
	limits, annotations := vpa_api_util.GetProportionalLimit(
		question.Limit, question.Request, question.Target, question.Default,
	)
	cpu := vpa_api_util.GetBoundaryRequest(
		corev1.ResourceCPU, question.Request.Cpu(), question.Limit.Cpu(), question.Boundary.Cpu(), question.Default.Cpu(),
	)
	memory := vpa_api_util.GetBoundaryRequest(
		corev1.ResourceMemory, question.Request.Memory(), question.Limit.Memory(), question.Boundary.Memory(),
		question.Default.Memory(),
	)
	return []any{limits, annotations, cpu, memory}
}

// answerLimitRange has what all LimitRanges ask for together, for containers and for pods.
func answerLimitRange(question *[]*corev1.LimitRange) any {
	calculator := calculatorOf(*question)
	containers, err := calculator.GetContainerLimitRangeItem("default")
	if err != nil {
		return err.Error()
	}
	pods, err := calculator.GetPodLimitRangeItem("default")
	if err != nil {
		return err.Error()
	}
	return []any{boundsOf(containers), boundsOf(pods)}
}

func boundsOf(item *corev1.LimitRangeItem) any {
	if item == nil {
		return nil
	}
	return []corev1.ResourceList{item.Max, item.Min, item.Default}
}
