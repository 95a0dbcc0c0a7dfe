package bubble

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/go-logr/logr"
	"golang.org/x/sys/unix"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/klog/v2"
)

// protocolVersion changes whenever the two sides must change together.
const protocolVersion = 3

// collectAbove is the heap, in bytes, above which garbage is collected between two runs. During a run it is not: the
// collector preempts goroutines at moments of its own choice, and so changes the order in which they run. A few runs
// fit: a larger heap costs more than collecting it, since most of it is touched for the first time.
const collectAbove = 64 << 20

// current is the bubble that is running, for what upstream keeps in global variables.
var current atomic.Pointer[Bubble]

// Serve runs one bubble after the other until the peer closes the socket. Before each, setGates gives the feature gates
// that the peer names their values, and all others their usual ones.
func Serve(t *testing.T, descriptor int, setGates func(map[string]bool) error) {
	setUpLogging(os.Getenv("LOCKSTEP_KLOG"))
	captureErrors()
	captureExits()
	go exitOnHangUp(descriptor)
	w := newWire(descriptor)
	w.send(&frame{Op: "ready", Protocol: protocolVersion, Go: runtime.Version(), Names: registered()}, nil)
	for {
		var order runOrder
		w.receive(&order)
		if !order.Run {
			fatal("expected an order to run, got something else")
		}
		if err := setGates(order.FeatureGates); err != nil {
			w.send(&frame{Op: "done", Failed: fmt.Sprintf("cannot set the feature gates: %v", err)}, nil)
			continue
		}
		failed := run(t, w, order)
		w.send(&frame{Op: "done", Failed: failed}, nil)
		collect()
	}
}

// run runs one bubble. The result is "" or why it ended badly: goroutines that never end make synctest panic.
func run(t *testing.T, w *wire, order runOrder) (failed string) {
	defer func() {
		current.Store(nil)
		if problem := recover(); problem != nil {
			failed = fmt.Sprint(problem)
		}
	}()
	rand.Seed(order.Seed) //nolint:staticcheck // upstream draws jitter from the global source
	utilrand.Seed(order.Seed)
	synctest.Test(t, func(*testing.T) {
		remakeChannels()
		b := newBubble(w, order)
		current.Store(b)
		b.drive()
	})
	return ""
}

func collect() {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if memory.HeapAlloc > collectAbove {
		runtime.GC()
	}
}

// exitOnHangUp ends the process with its peer, even when a controller keeps the processor busy.
func exitOnHangUp(descriptor int) {
	for {
		polled := []unix.PollFd{{Fd: int32(descriptor)}} // a hang-up is reported unasked
		_, err := unix.Poll(polled, -1)
		if err != nil && err != unix.EINTR {
			return // the next read or write will fail
		}
		if polled[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0 {
			os.Exit(0)
		}
	}
}

// setUpLogging sends klog to standard error at a verbosity; with "" only its errors count, as notes.
func setUpLogging(verbosity string) {
	if verbosity == "" {
		klog.SetLogger(logr.New(noteSink{}))
		return
	}
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	if err := flags.Set("v", verbosity); err != nil {
		fmt.Fprintln(os.Stderr, "LOCKSTEP_KLOG is no verbosity:", err)
		os.Exit(ExitUsage)
	}
}

// describe words an error that upstream only logs.
func describe(err error, message string, keysAndValues []any) string {
	var text strings.Builder
	text.WriteString(message)
	if err != nil {
		fmt.Fprintf(&text, ": %v", err)
	}
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		fmt.Fprintf(&text, " %v=%v", keysAndValues[i], keysAndValues[i+1])
	}
	return text.String()
}
