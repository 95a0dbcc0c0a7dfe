//go:build vpa

package controllers

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/resource/pod/patch"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/resource/pod/recommendation"
	vpa_clientset "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/client/clientset/versioned"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/target"
	controllerfetcher "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/target/controller_fetcher"
	updater_config "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/updater/config"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/updater/inplace"
	updater "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/updater/logic"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/limitrange"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/status"
	vpa_api_util "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/vpa"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"kube-lockstep/upstream/bubble"
)

func init() {
	bubble.Register("vpa-updater", bubble.Controller{Actor: "vpa-updater", Run: runUpdater})
}

// updaterParts is what the main.go of the updater hands to NewUpdater, whose signature differs between releases.
type updaterParts struct {
	config           *updater_config.UpdaterConfig
	kube             *kubernetes.Clientset
	vpa              *vpa_clientset.Clientset
	factory          informers.SharedInformerFactory
	statusNamespace  string
	limitRanges      limitrange.LimitRangeCalculator
	selectors        target.VpaTargetSelectorFetcher
	controllers      controllerfetcher.ControllerFetcher
	ignored          []string
	patchCalculators []patch.Calculator
}

// runUpdater starts the updater as its main.go does, up to the loop that calls RunOnce.
func runUpdater(ctx context.Context, config *rest.Config, raw json.RawMessage) error {
	settings, rest, err := vpaSettings(
		raw, updater_config.InitUpdaterFlags, updater_config.ValidateUpdaterConfig, "namespace",
	)
	if err != nil {
		return err
	}
	settings.Namespace = rest["namespace"]
	kube, vpa, factory, err := vpaClients(config, settings.CommonFlags)
	if err != nil {
		return err
	}
	parts := &updaterParts{
		config: settings, kube: kube, vpa: vpa, factory: factory,
		ignored: strings.Split(settings.CommonFlags.IgnoredVpaObjectNamespaces, ","),
	}
	updater.Stop = ctx.Done() // see harness/lockstep/implementations/upstream/edits.py
	built, factories, err := parts.build(ctx, config)
	if err != nil {
		return err
	}
	if err := startFactories(ctx, factories...); err != nil {
		shutDownEvents(built)
		return err
	}
	startBoostWorkers(ctx, built, settings)
	tick(ctx, settings.UpdaterInterval, built)
	// Not deferred: a panic of the loop would wait here for informers that are never stopped, and never be reported.
	for _, one := range factories {
		one.Shutdown()
	}
	shutDownEvents(built)
	return nil
}

// prepare makes the parts in the order of main.go.
func (p *updaterParts) prepare(ctx context.Context, config *rest.Config) error {
	p.selectors = target.NewVpaTargetSelectorFetcher(config, p.kube, p.factory, ctx.Done())
	p.controllers = controllerfetcher.NewControllerFetcher(
		config, p.kube, p.factory,
		scaleCacheEntryFreshnessTime, scaleCacheEntryLifetime, scaleCacheEntryJitterFactor, ctx.Done(),
	)
	limitRanges, err := limitrange.NewLimitsRangeCalculator(p.factory)
	if err != nil {
		return err
	}
	p.limitRanges = limitRanges
	p.statusNamespace = status.AdmissionControllerStatusNamespace
	if p.config.Namespace != "" {
		p.statusNamespace = p.config.Namespace
	}
	provider := recommendation.NewProvider(limitRanges, vpa_api_util.NewCappingRecommendationProcessor(limitRanges))
	p.patchCalculators = []patch.Calculator{
		inplace.NewResourceInPlaceUpdatesCalculator(provider), inplace.NewInPlaceUpdatedCalculator(),
		inplace.NewUnboostAnnotationCalculator(),
	}
	return nil
}

// tick is the loop of main.go.
func tick(ctx context.Context, interval time.Duration, built updater.Updater) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			loop, cancel := context.WithTimeout(ctx, interval)
			built.RunOnce(loop)
			cancel()
		}
	}
}
