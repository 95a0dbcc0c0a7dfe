package bubble

import (
	"errors"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
)

// noteSink receives what controllers log through klog: errors become notes, all else is dropped.
type noteSink struct{}

func (noteSink) Init(logr.RuntimeInfo)            {}
func (noteSink) Enabled(int) bool                 { return false }
func (noteSink) Info(int, string, ...any)         {}
func (s noteSink) WithValues(...any) logr.LogSink { return s }
func (s noteSink) WithName(string) logr.LogSink   { return s }

// Error implements logr.LogSink.
func (noteSink) Error(err error, message string, keysAndValues ...any) {
	if errors.As(err, &prometheus.AlreadyRegisteredError{}) {
		return // a controller that runs in this process for the second time
	}
	if b := current.Load(); b != nil && !ofCrash(err) {
		b.note(describe(err, message, keysAndValues))
	}
}
