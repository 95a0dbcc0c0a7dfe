//go:build plain_error_handlers

package bubble

import utilruntime "k8s.io/apimachinery/pkg/util/runtime"

// captureErrors is the same as in errors_structured.go, for apimachinery before 0.31.
func captureErrors() {
	utilruntime.ErrorHandlers = []func(error){
		func(err error) {
			if b := current.Load(); b != nil && !ofCrash(err) {
				b.note(describe(err, "Unhandled Error", nil))
			}
		},
	}
}
