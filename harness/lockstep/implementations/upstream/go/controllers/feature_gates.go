package controllers

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/component-base/featuregate"
)

// gateSet is a set of feature gates of the process.
type gateSet interface {
	GetAll() map[featuregate.Feature]featuregate.FeatureSpec
	ResetFeatureValueToDefault(name featuregate.Feature) error
	Set(value string) error
	SetFromMap(values map[string]bool) error
}

// gates are all sets of this build: Kubernetes' own comes first, then VPA's.
var gates []gateSet

// FeatureGates sets the gates of the process, which upstream keeps in global variables, anew for each run.
type FeatureGates struct {
	base    string // "A=true,B=false": what kube-controller-manager sets for itself, in every run
	current map[string]bool
}

// NewFeatureGates sets gates for every run that does not set them itself.
func NewFeatureGates(base string) (*FeatureGates, error) {
	return &FeatureGates{base: base}, setBase(base)
}

func setBase(base string) error {
	if base == "" {
		return nil
	}
	return gates[0].Set(base)
}

// Set gives the gates that are named these values and all others those that they had at first. Gates are known to a
// release or not; to name one that is not is an error.
func (g *FeatureGates) Set(wanted map[string]bool) error {
	if maps.Equal(g.current, wanted) {
		return nil
	}
	for _, set := range gates {
		for name := range set.GetAll() { // all of them: AllAlpha and AllBeta set others
			if err := set.ResetFeatureValueToDefault(name); err != nil {
				return fmt.Errorf("cannot take back feature gate %s: %w", name, err)
			}
		}
	}
	g.current = maps.Clone(wanted)
	if err := setBase(g.base); err != nil {
		return err
	}
	for name, value := range wanted {
		if err := setOf(name).SetFromMap(map[string]bool{name: value}); err != nil {
			return err
		}
	}
	return nil
}

// setOf is the set that knows a gate; if none does, the first one, whose error says so.
func setOf(name string) gateSet {
	knows := func(set gateSet) bool {
		_, known := set.GetAll()[featuregate.Feature(name)]
		return known
	}
	return gates[max(0, slices.IndexFunc(gates, knows))]
}
