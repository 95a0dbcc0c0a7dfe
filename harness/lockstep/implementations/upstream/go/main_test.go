// Package upstream is the process that runs unmodified Kubernetes controllers in virtual time.
//
// It is a test binary because testing/synctest hands out bubbles only to tests. It serves one socket, whose file
// descriptor stands in LOCKSTEP_FD, until the other end closes it.
package upstream

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"kube-lockstep/upstream/bubble"
	"kube-lockstep/upstream/controllers"
)

// TestServe runs bubbles, one after the other, as the peer asks for them.
func TestServe(t *testing.T) {
	descriptor, err := strconv.Atoi(os.Getenv("LOCKSTEP_FD"))
	if err != nil {
		t.Skip("LOCKSTEP_FD names no socket: this binary is started by the lockstep command")
	}
	gates, err := controllers.NewFeatureGates(os.Getenv("LOCKSTEP_FEATURE_GATES"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot set the feature gates:", err)
		os.Exit(bubble.ExitUsage)
	}
	bubble.Serve(t, descriptor, gates.Set)
}
