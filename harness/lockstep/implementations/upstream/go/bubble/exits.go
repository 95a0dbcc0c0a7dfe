package bubble

import (
	"fmt"

	"k8s.io/klog/v2"
)

// exit is a program that ends itself, as klog.Fatal and klog.FlushAndExit do. Here it may end one controller only.
type exit int

// captureExits turns the end of the process into a panic, which RecoverExit turns into an error.
func captureExits() {
	klog.OsExit = func(code int) { panic(exit(code)) }
}

// RecoverExit is deferred by goroutines of controllers whose program may end itself there.
func RecoverExit(err *error) {
	switch problem := recover().(type) {
	case nil:
	case exit:
		*err = fmt.Errorf("its program exits with code %d", int(problem))
	default:
		panic(problem)
	}
}
