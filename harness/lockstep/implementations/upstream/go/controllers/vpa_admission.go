//go:build vpa

package controllers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	admission_config "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/config"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/logic"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/resource/pod"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/resource/pod/patch"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/resource/pod/recommendation"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/resource/vpa"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/target"
	controllerfetcher "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/target/controller_fetcher"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/limitrange"
	vpa_api_util "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/vpa"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"kube-lockstep/upstream/bubble"
	"kube-lockstep/upstream/registration"
)

func init() {
	bubble.Register("vpa-admission", bubble.Controller{Actor: "vpa-admission", Run: runAdmission})
}

// webHookDelay is how long main.go of the admission controller waits until it registers its webhook.
const webHookDelay = 10 * time.Second

// runAdmission starts the admission controller as its main.go does. Its server listens inside of the bubble.
func runAdmission(ctx context.Context, config *rest.Config, raw json.RawMessage) error {
	settings, rest, err := vpaSettings(
		raw, admission_config.InitAdmissionControllerFlags, admission_config.ValidateAdmissionControllerConfig,
		"namespace", "hostname", "ca_bundle",
	)
	if err != nil {
		return err
	}
	settings.Namespace = rest["namespace"]
	kube, vpaClient, factory, err := vpaClients(config, settings.CommonFlags)
	if err != nil {
		return err
	}
	newMatcher := vpaMatcher(ctx, vpaClient, settings.CommonFlags.VpaObjectNamespace)
	selectors := target.NewVpaTargetSelectorFetcher(config, kube, factory, ctx.Done())
	controllers := controllerfetcher.NewControllerFetcher(
		config, kube, factory,
		scaleCacheEntryFreshnessTime, scaleCacheEntryLifetime, scaleCacheEntryJitterFactor, ctx.Done(),
	)
	limitRanges, err := limitrange.NewLimitsRangeCalculator(factory)
	if err != nil {
		return err
	}
	provider := recommendation.NewProvider(limitRanges, vpa_api_util.NewCappingRecommendationProcessor(limitRanges))
	matcher := newMatcher(selectors, controllers)
	if err := startFactories(ctx, factory); err != nil {
		return err
	}
	defer factory.Shutdown()
	calculators := []patch.Calculator{
		patch.NewResourceUpdatesCalculator(provider, settings.MaxAllowedCPUBoost), patch.NewObservedContainersCalculator(),
	}
	server := logic.NewAdmissionServer(
		pod.NewDefaultPreProcessor(), vpa.NewDefaultPreProcessor(), limitRanges, matcher, calculators,
	)
	bubble.Listen(ctx, http.HandlerFunc(server.Serve))
	return announce(ctx, kube, settings, rest)
}

// announce registers the webhook, and then renews the lease that reports a working webhook.
func announce(
	ctx context.Context, kube kubernetes.Interface, settings *admission_config.AdmissionControllerConfig,
	rest map[string]string,
) error {
	if settings.RegisterWebhook {
		registration.SelfRegistration(
			kube, []byte(rest["ca_bundle"]), webHookDelay, settings.Namespace, settings.ServiceName,
			fmt.Sprintf("%v:%v", settings.WebhookAddress, settings.WebhookPort), settings.RegisterByURL,
			int32(settings.WebhookTimeout), settings.CommonFlags.VpaObjectNamespace,
			strings.Split(settings.CommonFlags.IgnoredVpaObjectNamespaces, ","),
			settings.WebhookFailurePolicy, settings.WebhookLabels,
		)
	}
	newStatusUpdater(kube, settings, rest["hostname"]).Run(ctx.Done())
	<-ctx.Done()
	return ctx.Err()
}
