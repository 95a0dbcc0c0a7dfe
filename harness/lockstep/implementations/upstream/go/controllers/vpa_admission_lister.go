//go:build vpa && !vpa_indexer

package controllers

import (
	"context"
	"time"

	admission_config "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/config"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/resource/vpa"
	vpa_clientset "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/client/clientset/versioned"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/target"
	controllerfetcher "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/target/controller_fetcher"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/status"
	vpa_api_util "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/vpa"
	"k8s.io/client-go/kubernetes"
)

// statusUpdateInterval is how often main.go of the admission controller before 1.8 renews its lease.
const statusUpdateInterval = 10 * time.Second

// vpaMatcher watches VPAs, and makes the matcher of VPA before 1.8, which goes through all of them.
func vpaMatcher(ctx context.Context, client *vpa_clientset.Clientset, namespace string) func(
	target.VpaTargetSelectorFetcher, controllerfetcher.ControllerFetcher,
) vpa.Matcher {
	lister := vpa_api_util.NewVpasLister(client, ctx.Done(), namespace)
	return func(selectors target.VpaTargetSelectorFetcher, controllers controllerfetcher.ControllerFetcher) vpa.Matcher {
		return vpa.NewMatcher(lister, selectors, controllers)
	}
}

func newStatusUpdater(
	kube kubernetes.Interface, settings *admission_config.AdmissionControllerConfig, hostname string,
) *status.Updater {
	namespace := status.AdmissionControllerStatusNamespace
	if settings.Namespace != "" {
		namespace = settings.Namespace
	}
	return status.NewUpdater(kube, status.AdmissionControllerStatusName, namespace, statusUpdateInterval, hostname)
}
