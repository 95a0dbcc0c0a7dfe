//go:build vpa

package controllers

import (
	"reflect"
	"unsafe"

	updater "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/updater/logic"
	"k8s.io/client-go/tools/record"
)

// shutDownEvents ends the goroutines of the updater's event broadcaster, which upstream leaves to the end of its
// process. They would keep the bubble from ending.
func shutDownEvents(built updater.Updater) {
	field := reflect.ValueOf(built).Elem().FieldByName("eventRecorder")
	recorder := *(*record.EventRecorder)(unsafe.Pointer(field.UnsafeAddr()))
	recorder.(interface{ Shutdown() }).Shutdown()
}
