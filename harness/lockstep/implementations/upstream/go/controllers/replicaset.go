//go:build kubernetes

package controllers

import (
	"context"
	"encoding/json"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/pkg/controller/replicaset"

	"kube-lockstep/upstream/bubble"
)

func init() {
	bubble.Register("replicaset", bubble.Controller{Actor: "replicaset-controller", Run: runReplicaSet})
}

type replicaSetOptions struct {
	Workers       int     `json:"workers"`
	BurstReplicas int     `json:"burst_replicas"`
	Resync        seconds `json:"resync"` // 0: never
}

// runReplicaSet starts the controller as kube-controller-manager does (cmd/kube-controller-manager/app/apps.go).
func runReplicaSet(ctx context.Context, config *rest.Config, raw json.RawMessage) error {
	options := replicaSetOptions{Workers: 5, BurstReplicas: replicaset.BurstReplicas}
	if err := parseOptions(raw, &options); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, options.Resync.duration())
	sets, pods := factory.Apps().V1().ReplicaSets(), factory.Core().V1().Pods()
	controller := replicaset.NewReplicaSetController(ctx, sets, pods, client, options.BurstReplicas)
	running := startInformers(ctx, sets.Informer(), pods.Informer())
	controller.Run(ctx, options.Workers)
	running.Wait()
	return nil
}
