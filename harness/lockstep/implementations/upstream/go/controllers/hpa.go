//go:build kubernetes

package controllers

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/scale"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
	resourceclient "k8s.io/metrics/pkg/client/clientset/versioned/typed/metrics/v1beta1"
	"k8s.io/metrics/pkg/client/custom_metrics"
	"k8s.io/metrics/pkg/client/external_metrics"

	"kube-lockstep/upstream/bubble"
)

func init() {
	bubble.Register("hpa", bubble.Controller{Actor: "horizontal-pod-autoscaler", Run: runHorizontalPodAutoscaler})
}

// managerResync is the shortest resync period of kube-controller-manager's informers (--min-resync-period). Without any,
// an informer would not resync its handlers either, and the HPA controller counts on that.
const managerResync = 12 * time.Hour

// horizontalPodAutoscalerOptions are flags of kube-controller-manager: --concurrent-horizontal-pod-autoscaler-syncs, and
// --horizontal-pod-autoscaler-... for the others but Resync.
type horizontalPodAutoscalerOptions struct {
	Workers                 int     `json:"workers"`
	SyncPeriod              seconds `json:"sync_period"`
	DownscaleStabilization  seconds `json:"downscale_stabilization"`
	Tolerance               float64 `json:"tolerance"`
	CPUInitializationPeriod seconds `json:"cpu_initialization_period"`
	InitialReadinessDelay   seconds `json:"initial_readiness_delay"`
	Resync                  seconds `json:"resync"` // of the informers; 0: as in kube-controller-manager
}

// runHorizontalPodAutoscaler starts the controller as kube-controller-manager does
// (cmd/kube-controller-manager/app/autoscaling.go).
func runHorizontalPodAutoscaler(ctx context.Context, config *rest.Config, raw json.RawMessage) error {
	options := horizontalPodAutoscalerOptions{
		Workers: 5, SyncPeriod: 15, DownscaleStabilization: 300, Tolerance: 0.1, CPUInitializationPeriod: 300,
		InitialReadinessDelay: 30,
	}
	if err := parseOptions(raw, &options); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	mapper := newRESTMapper(ctx, client.Discovery())
	scales, err := scale.NewForConfig(
		rest.CopyConfig(config), mapper, dynamic.LegacyAPIPathResolverFunc,
		scale.NewDiscoveryScaleKindResolver(client.Discovery()),
	)
	if err != nil {
		return err
	}
	resources, err := resourceclient.NewForConfig(config)
	if err != nil {
		return err
	}
	external, err := external_metrics.NewForConfig(config)
	if err != nil {
		return err
	}
	apiVersions := &patientAPIsGetter{
		AvailableAPIsGetter: custom_metrics.NewAvailableAPIsGetter(client.Discovery()), lock: newPatientLock(),
	}
	factory := informers.NewSharedInformerFactory(client, informerResync(options.Resync))
	hpas, pods := factory.Autoscaling().V2().HorizontalPodAutoscalers(), factory.Core().V1().Pods()
	controller := podautoscaler.NewHorizontalController(
		ctx, client.CoreV1(), scales, client.AutoscalingV2(), mapper,
		metrics.NewRESTMetricsClient(resources, custom_metrics.NewForConfig(config, mapper, apiVersions), external),
		hpas, pods,
		options.SyncPeriod.duration(), options.DownscaleStabilization.duration(), options.Tolerance,
		options.CPUInitializationPeriod.duration(), options.InitialReadinessDelay.duration(),
	)
	running := startInformers(ctx, hpas.Informer(), pods.Informer())
	running.Go(func() {
		custom_metrics.PeriodicallyInvalidate(apiVersions, options.SyncPeriod.duration(), ctx.Done())
	})
	controller.Run(ctx, options.Workers)
	running.Wait()
	return nil
}

func informerResync(wanted seconds) time.Duration {
	if wanted == 0 {
		return managerResync
	}
	return wanted.duration()
}

// patientAPIsGetter lets callers wait in front of the getter, which holds a mutex while it calls discovery.
type patientAPIsGetter struct {
	custom_metrics.AvailableAPIsGetter
	lock sync.Locker
}

// PreferredVersion implements custom_metrics.AvailableAPIsGetter.
func (g *patientAPIsGetter) PreferredVersion() (schema.GroupVersion, error) {
	g.lock.Lock()
	defer g.lock.Unlock()
	return g.AvailableAPIsGetter.PreferredVersion()
}

// Invalidate implements custom_metrics.AvailableAPIsGetter.
func (g *patientAPIsGetter) Invalidate() {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.AvailableAPIsGetter.Invalidate()
}
