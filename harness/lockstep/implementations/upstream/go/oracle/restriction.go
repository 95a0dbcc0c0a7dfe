package oracle

import (
	"errors"
	"io"
	"net/http"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"

	resource_admission "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/resource"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/resource/pod/patch"
	vpa_types "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/features"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/updater/restriction"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/updater/utils"
)

func init() { register("restriction", answerRestriction) }

// restrictionQuestion asks what may be done to the pods of some controllers, one after the other.
type restrictionQuestion struct {
	VPA          *vpa_types.VerticalPodAutoscaler                 `json:"vpa"`
	Pods         []*corev1.Pod                                    `json:"pods"`
	ReplicaSets  []*appsv1.ReplicaSet                             `json:"replicaSets"`
	StatefulSets []*appsv1.StatefulSet                            `json:"statefulSets"`
	DaemonSets   []*appsv1.DaemonSet                              `json:"daemonSets"`
	Controllers  []*corev1.ReplicationController                  `json:"replicationControllers"`
	Infeasible   map[types.UID]*vpa_types.RecommendedPodResources `json:"infeasible"`
	MinReplicas  int                                              `json:"minReplicas"`
	Tolerance    float64                                          `json:"tolerance"`
	SkipBudget   bool                                             `json:"skipBudget"`
	InPlace      bool                                             `json:"inPlace"`
	Refused      map[string]bool                                  `json:"refused"`
	Acts         []string                                         `json:"acts"`
}

// answerRestriction has, for each pod, whether it may be evicted, what may be done in place, and how the act went.
func answerRestriction(question *restrictionQuestion) any {
	gates := map[string]bool{string(features.InPlace): question.InPlace}
	if err := features.MutableFeatureGate.SetFromMap(gates); err != nil {
		return err.Error()
	}
	client, err := kubernetes.NewForConfigAndClient(
		&rest.Config{Host: "http://oracle", QPS: -1}, &http.Client{Transport: refusing(question.Refused)},
	)
	if err != nil {
		return err.Error()
	}
	factory := restriction.NewPodsRestrictionFactory(
		client, question.informers(), question.MinReplicas, question.Tolerance,
		[]patch.Calculator{oneChange{}}, question.SkipBudget,
	)
	stats, creators, err := factory.GetCreatorMaps(question.Pods, question.VPA)
	if err != nil {
		return err.Error()
	}
	eviction, inPlace := factory.NewPodsEvictionRestriction(stats, creators), factory.NewPodsInPlaceRestriction(stats, creators)
	answers := []any{}
	for index, pod := range question.Pods {
		evictable, decision := eviction.CanEvict(pod), inPlace.CanInPlaceUpdate(pod, question.VPA, question.Infeasible)
		answers = append(answers, []any{
			evictable, strings.TrimPrefix(string(decision), "InPlace"), question.act(index, decision, eviction, inPlace),
		})
	}
	return answers
}

func (q *restrictionQuestion) informers() informers.SharedInformerFactory {
	factory := informers.NewSharedInformerFactory(&kubernetes.Clientset{}, 0)
	for _, one := range q.ReplicaSets {
		_ = factory.Apps().V1().ReplicaSets().Informer().GetStore().Add(one)
	}
	for _, one := range q.StatefulSets {
		_ = factory.Apps().V1().StatefulSets().Informer().GetStore().Add(one)
	}
	for _, one := range q.DaemonSets {
		_ = factory.Apps().V1().DaemonSets().Informer().GetStore().Add(one)
	}
	for _, one := range q.Controllers {
		_ = factory.Core().V1().ReplicationControllers().Informer().GetStore().Add(one)
	}
	return factory
}

// act evicts or resizes a pod if the question says so.
func (q *restrictionQuestion) act(
	index int, decision utils.InPlaceDecision,
	eviction restriction.PodsEvictionRestriction, inPlace restriction.PodsInPlaceRestriction,
) string {
	var err error
	switch pod := q.Pods[index]; q.Acts[index] {
	case "evict":
		err = eviction.Evict(pod, q.VPA, &record.FakeRecorder{})
	case "resize":
		if decision == utils.InPlaceApproved {
			err = inPlace.InPlaceUpdate(pod, q.VPA, &record.FakeRecorder{})
		}
	}
	if apierrors.IsForbidden(err) {
		return "refused"
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// oneChange resizes every pod.
type oneChange struct{}

func (oneChange) CalculatePatches(
	*corev1.Pod, *vpa_types.VerticalPodAutoscaler,
) ([]resource_admission.PatchRecord, error) {
	return []resource_admission.PatchRecord{patch.GetPatchInitializingEmptyResources(0)}, nil
}

func (oneChange) PatchResourceTarget() patch.PatchResourceTarget { return patch.Resize }

// refusing answers every request, and refuses those about the pods that it names.
type refusing map[string]bool

func (r refusing) RoundTrip(request *http.Request) (*http.Response, error) {
	parts := strings.Split(request.URL.Path, "/") // /api/v1/namespaces/NAMESPACE/pods/NAME[/SUBRESOURCE]
	if len(parts) < 7 {
		return nil, errors.New("nobody asked for " + request.URL.Path)
	}
	code := http.StatusCreated
	if r[parts[6]] {
		code = http.StatusForbidden
	}
	return &http.Response{
		StatusCode: code, Request: request, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(`{"kind":"Pod","apiVersion":"v1"}`)),
	}, nil
}
