//go:build vpa && vpa_own_pod_lister

package controllers

import (
	"context"

	updater_config "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/updater/config"
	updater "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/updater/logic"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/updater/priority"
	vpa_api_util "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/vpa"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/rest"
)

// build makes the updater of VPA before 1.8, which watches pods with a reflector of its own.
func (p *updaterParts) build(ctx context.Context, config *rest.Config) (
	updater.Updater, []informers.SharedInformerFactory, error,
) {
	pods := updater.NewPodLister(p.kube, p.config.CommonFlags.VpaObjectNamespace, ctx.Done())
	if err := p.prepare(ctx, config); err != nil {
		return nil, nil, err
	}
	built, err := updater.NewUpdater(
		p.kube, p.vpa, p.factory, pods,
		p.config.MinReplicas, p.config.EvictionRateLimit, p.config.EvictionRateBurst,
		p.config.EvictionToleranceFraction, p.config.UseAdmissionControllerStatus, p.config.InPlaceSkipDisruptionBudget,
		p.config.DefaultUpdateThreshold, p.config.PodLifetimeUpdateThreshold, p.config.EvictAfterOOMThreshold,
		p.statusNamespace,
		vpa_api_util.NewCappingRecommendationProcessor(p.limitRanges),
		priority.NewScalingDirectionPodEvictionAdmission(),
		p.selectors, p.controllers, priority.NewProcessor(),
		p.config.CommonFlags.VpaObjectNamespace, p.ignored, p.patchCalculators,
	)
	return built, []informers.SharedInformerFactory{p.factory}, err
}

// startBoostWorkers has nothing to do: RunOnce takes boosts back.
func startBoostWorkers(context.Context, updater.Updater, *updater_config.UpdaterConfig) {}
