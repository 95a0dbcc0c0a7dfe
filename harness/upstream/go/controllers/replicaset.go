// Package controllers holds one file for each upstream controller that can run in a bubble.
package controllers

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/controller/replicaset"

	"kube-lockstep/upstream/bubble"
)

func init() {
	bubble.Register("replicaset", bubble.Controller{Actor: "replicaset-controller", Run: runReplicaSet})
}

type replicaSetOptions struct {
	Workers       int     `json:"workers"`
	BurstReplicas int     `json:"burst_replicas"`
	Resync        float64 `json:"resync"` // seconds; 0: never
}

// runReplicaSet starts the controller as kube-controller-manager does (cmd/kube-controller-manager/app/apps.go).
func runReplicaSet(ctx context.Context, config *rest.Config, raw json.RawMessage) error {
	options := replicaSetOptions{Workers: 5, BurstReplicas: replicaset.BurstReplicas}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &options); err != nil {
			return fmt.Errorf("options %s: %w", raw, err)
		}
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, time.Duration(options.Resync*float64(time.Second)))
	sets, pods := factory.Apps().V1().ReplicaSets(), factory.Core().V1().Pods()
	controller := replicaset.NewReplicaSetController(ctx, sets, pods, client, options.BurstReplicas)
	var running sync.WaitGroup
	// Not started by the factory: it goes through a map, so the order of the first requests would change.
	for _, informer := range []cache.SharedIndexInformer{sets.Informer(), pods.Informer()} {
		running.Go(func() { informer.Run(ctx.Done()) })
	}
	controller.Run(ctx, options.Workers)
	running.Wait()
	return nil
}
