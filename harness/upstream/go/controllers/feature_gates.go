package controllers

import utilfeature "k8s.io/apiserver/pkg/util/feature"

// SetFeatureGates sets gates of the whole process, in the form "A=true,B=false".
func SetFeatureGates(gates string) error {
	if gates == "" {
		return nil
	}
	return utilfeature.DefaultMutableFeatureGate.Set(gates)
}
