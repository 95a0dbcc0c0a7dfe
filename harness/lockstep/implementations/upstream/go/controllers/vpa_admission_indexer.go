//go:build vpa && vpa_indexer

package controllers

import (
	"context"

	admission_config "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/config"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/resource/vpa"
	vpa_clientset "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/client/clientset/versioned"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/target"
	controllerfetcher "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/target/controller_fetcher"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/status"
	vpa_api_util "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/vpa"
	"k8s.io/client-go/kubernetes"
)

// vpaMatcher watches VPAs, and makes the matcher of VPA from 1.8 on, which has an index of their targets.
func vpaMatcher(ctx context.Context, client *vpa_clientset.Clientset, namespace string) func(
	target.VpaTargetSelectorFetcher, controllerfetcher.ControllerFetcher,
) vpa.Matcher {
	_, indexer := vpa_api_util.NewVpasListerWithIndexer(client, ctx.Done(), namespace)
	return func(selectors target.VpaTargetSelectorFetcher, controllers controllerfetcher.ControllerFetcher) vpa.Matcher {
		return vpa.NewMatcher(indexer, selectors, controllers)
	}
}

func newStatusUpdater(
	kube kubernetes.Interface, settings *admission_config.AdmissionControllerConfig, hostname string,
) *status.Updater {
	namespace := status.AdmissionControllerStatusNamespace
	for _, wanted := range []string{settings.Namespace, settings.StatusLeaseNamespace} {
		if wanted != "" {
			namespace = wanted
		}
	}
	return status.NewUpdater(kube, settings.StatusLeaseName, namespace, settings.StatusLeaseUpdateInterval, hostname)
}
