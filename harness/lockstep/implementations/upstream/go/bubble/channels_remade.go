//go:build never_exit_watch

package bubble

import (
	"time"
	_ "unsafe" // for go:linkname

	_ "k8s.io/client-go/tools/cache"
)

// A reflector without resync waits on this channel. Made outside of the bubble, it would keep the bubble from ever being
// idle: what waits on it could be woken from elsewhere.
//
//go:linkname neverExitWatch k8s.io/client-go/tools/cache.neverExitWatch
var neverExitWatch <-chan time.Time

func remakeChannels() { neverExitWatch = make(chan time.Time) }
