//go:build vpa

// Package registration is the part of VPA's admission controller that registers its webhook. Upstream has it in a
// package main, which cannot be imported; a build copies its files here under another package clause, unchanged
// otherwise (harness/lockstep/implementations/upstream/module.py).
package registration

// SelfRegistration is upstream's selfRegistration.
var SelfRegistration = selfRegistration
