//go:build kubernetes

package controllers

import utilfeature "k8s.io/apiserver/pkg/util/feature"

func init() {
	gates = append([]gateSet{utilfeature.DefaultMutableFeatureGate}, gates...)
}
