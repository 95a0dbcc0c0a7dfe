//go:build vpa && !vpa_own_pod_lister

package controllers

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/features"
	updater_config "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/updater/config"
	updater "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/updater/logic"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/updater/priority"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/client"
	vpa_api_util "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/vpa"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/rest"
)

// build makes the updater of VPA from 1.8 on, which watches pods with an informer.
func (p *updaterParts) build(ctx context.Context, config *rest.Config) (
	updater.Updater, []informers.SharedInformerFactory, error,
) {
	pods := informers.NewSharedInformerFactoryWithOptions(
		p.kube, vpaResync,
		informers.WithNamespace(p.config.CommonFlags.VpaObjectNamespace),
		informers.WithTransform(client.StripManagedFields),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.FieldSelector = "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed"
		}),
	)
	if err := p.prepare(ctx, config); err != nil {
		return nil, nil, err
	}
	if p.config.AdmissionControllerStatusLeaseNamespace != "" {
		p.statusNamespace = p.config.AdmissionControllerStatusLeaseNamespace
	}
	built, err := updater.NewUpdater(
		p.kube, p.vpa, p.factory, pods,
		p.config.MinReplicas, p.config.EvictionRateLimit, p.config.EvictionRateBurst,
		p.config.EvictionToleranceFraction, p.config.UseAdmissionControllerStatus, p.config.InPlaceSkipDisruptionBudget,
		p.config.DefaultUpdateThreshold, p.config.PodLifetimeUpdateThreshold, p.config.EvictAfterOOMThreshold,
		p.config.AdmissionControllerStatusLeaseName, p.statusNamespace, p.config.AdmissionControllerStatusLeaseTimeout,
		vpa_api_util.NewCappingRecommendationProcessor(p.limitRanges),
		priority.NewScalingDirectionPodEvictionAdmission(),
		p.selectors, p.controllers, priority.NewProcessor(),
		p.config.CommonFlags.VpaObjectNamespace, p.ignored, p.patchCalculators,
	)
	return built, []informers.SharedInformerFactory{p.factory, pods}, err
}

// startBoostWorkers takes boosts back in workers of its own, behind a gate. They end with ctx.
func startBoostWorkers(ctx context.Context, built updater.Updater, config *updater_config.UpdaterConfig) {
	if !features.Enabled(features.CPUStartupBoost) {
		return
	}
	context.AfterFunc(ctx, built.ShutDown)
	for range config.ConcurrentCPUStartupBoostSyncs {
		go wait.UntilWithContext(ctx, built.RunBoostWorker, time.Second)
	}
}
