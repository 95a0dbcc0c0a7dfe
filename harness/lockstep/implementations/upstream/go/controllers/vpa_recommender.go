//go:build vpa

package controllers

import (
	"context"
	"encoding/json"

	promapi "github.com/prometheus/client_golang/api"
	recommender_config "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/config"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/routines"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/metrics"
	"k8s.io/client-go/rest"

	"kube-lockstep/upstream/bubble"
)

func init() {
	bubble.Register("vpa-recommender", bubble.Controller{Actor: "vpa-recommender", Run: runRecommender})
}

// runRecommender starts the recommender as its main.go does. Queries to Prometheus use the transport of all other requests.
// Its requests are limited as its flags say, by the limiters of client-go, on the bubble's time.
func runRecommender(ctx context.Context, config *rest.Config, raw json.RawMessage) error {
	settings, _, err := vpaSettings(
		raw, recommender_config.InitRecommenderFlags, recommender_config.ValidateRecommenderConfig,
	)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = float32(settings.CommonFlags.KubeApiQps), int(settings.CommonFlags.KubeApiBurst)
	settings.PrometheusAddress = config.Host + "/prometheus"
	promapi.DefaultRoundTripper = &namedTransport{RoundTripper: config.Transport, userAgent: config.UserAgent}

	kube, vpa, factory, err := vpaClients(config, settings.CommonFlags)
	if err != nil {
		return err
	}
	healthCheck := metrics.NewHealthCheck(settings.MetricsFetcherInterval * 5)
	controller, err := routines.NewRecommenderController(
		ctx, config, kube, vpa, factory, settings, healthCheck, ctx.Done(),
	)
	if err != nil {
		return err
	}
	if err := startFactories(ctx, factory); err != nil {
		return err
	}
	defer factory.Shutdown()
	return controller.Run(ctx)
}
