//go:build !plain_error_handlers

package bubble

import (
	"context"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// captureErrors turns the errors that upstream swallows into notes. The handlers it replaces log, and hold up the caller
// by a back-off that remembers real time.
func captureErrors() {
	utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{
		func(_ context.Context, err error, message string, keysAndValues ...interface{}) {
			if b := current.Load(); b != nil && !ofCrash(err) {
				b.note(describe(err, message, keysAndValues))
			}
		},
	}
}
