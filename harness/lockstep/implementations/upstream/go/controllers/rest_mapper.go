//go:build kubernetes

package controllers

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"
)

// restMapperReset is how often kube-controller-manager resets its RESTMapper's cache of discovery.
const restMapperReset = 30 * time.Second

// newRESTMapper makes the RESTMapper of kube-controller-manager (CreateControllerContext in
// cmd/kube-controller-manager/app/controllermanager.go), which asks discovery when it is first used after a reset.
func newRESTMapper(ctx context.Context, client discovery.DiscoveryInterface) meta.RESTMapper {
	deferred := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
	mapper := &patientRESTMapper{DeferredDiscoveryRESTMapper: deferred, lock: newPatientLock()}
	go wait.Until(mapper.reset, restMapperReset, ctx.Done())
	return mapper
}

// patientRESTMapper lets callers wait in front of the mapper, which holds a mutex while it calls discovery. Overridden
// are the methods that the controllers use; they must all be.
type patientRESTMapper struct {
	*restmapper.DeferredDiscoveryRESTMapper
	lock *patientLock
}

func (m *patientRESTMapper) reset() {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.DeferredDiscoveryRESTMapper.Reset()
}

// ResourceFor implements meta.RESTMapper. The scale client uses it.
func (m *patientRESTMapper) ResourceFor(input schema.GroupVersionResource) (schema.GroupVersionResource, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.DeferredDiscoveryRESTMapper.ResourceFor(input)
}

// RESTMapping implements meta.RESTMapper. The client of custom metrics uses it.
func (m *patientRESTMapper) RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.DeferredDiscoveryRESTMapper.RESTMapping(kind, versions...)
}

// RESTMappings implements meta.RESTMapper. The HPA controller uses it.
func (m *patientRESTMapper) RESTMappings(kind schema.GroupKind, versions ...string) ([]*meta.RESTMapping, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.DeferredDiscoveryRESTMapper.RESTMappings(kind, versions...)
}
