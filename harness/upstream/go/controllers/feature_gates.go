package controllers

import (
	"fmt"
	"maps"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// FeatureGates sets the gates of the process, which upstream keeps in one global variable, anew for each run.
type FeatureGates struct {
	base    string // "A=true,B=false": what kube-controller-manager sets for itself, in every run
	current map[string]bool
}

// NewFeatureGates sets gates that hold in every run that does not set them otherwise.
func NewFeatureGates(base string) (*FeatureGates, error) {
	gates := &FeatureGates{base: base}
	return gates, utilfeature.DefaultMutableFeatureGate.Set(base)
}

// Set gives the gates that are named these values and all others those that they had at first. Gates are known to a
// release or not; to name one that is not is an error.
func (g *FeatureGates) Set(wanted map[string]bool) error {
	if maps.Equal(g.current, wanted) {
		return nil
	}
	gate := utilfeature.DefaultMutableFeatureGate
	for name := range gate.GetAll() { // all of them: AllAlpha and AllBeta set others
		if err := gate.ResetFeatureValueToDefault(name); err != nil {
			return fmt.Errorf("cannot take back feature gate %s: %w", name, err)
		}
	}
	g.current = maps.Clone(wanted)
	if err := gate.Set(g.base); err != nil {
		return err
	}
	return gate.SetFromMap(wanted)
}
