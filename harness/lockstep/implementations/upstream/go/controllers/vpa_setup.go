//go:build vpa

package controllers

import (
	"context"
	"fmt"
	"net/http"
	"reflect"

	"k8s.io/autoscaler/vertical-pod-autoscaler/common"
	vpa_clientset "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/client/clientset/versioned"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/features"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/client"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func init() {
	gates = append(gates, features.MutableFeatureGate)
}

// vpaClients makes what every VPA program begins with: both clients, and a factory of informers.
func vpaClients(config *rest.Config, flags *common.CommonFlags) (
	*kubernetes.Clientset, *vpa_clientset.Clientset, informers.SharedInformerFactory, error,
) {
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, nil, nil, err
	}
	vpa, err := vpa_clientset.NewForConfig(config)
	if err != nil {
		return nil, nil, nil, err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(
		kube, vpaResync,
		informers.WithNamespace(flags.VpaObjectNamespace), informers.WithTransform(client.StripManagedFields),
	)
	return kube, vpa, factory, nil
}

// startFactories starts informers and waits for their caches, as every VPA program does.
func startFactories(ctx context.Context, factories ...informers.SharedInformerFactory) error {
	for _, factory := range factories {
		factory.Start(ctx.Done())
	}
	for _, factory := range factories {
		if err := allSynced(factory.WaitForCacheSync(ctx.Done())); err != nil {
			return err
		}
	}
	return nil
}

func allSynced(caches map[reflect.Type]bool) error {
	for kind, synced := range caches {
		if !synced {
			return fmt.Errorf("could not sync cache for the %s informer", kind)
		}
	}
	return nil
}

// namedTransport gives requests a name that would carry none.
type namedTransport struct {
	http.RoundTripper
	userAgent string
}

// RoundTrip implements http.RoundTripper.
func (t *namedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	named := request.Clone(request.Context())
	named.Header.Set("User-Agent", t.userAgent)
	return t.RoundTripper.RoundTrip(named)
}
