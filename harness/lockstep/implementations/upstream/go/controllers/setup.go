package controllers

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
)

// seconds is a span on the wire.
type seconds float64

func (s seconds) duration() time.Duration {
	return time.Duration(math.Round(float64(s) * float64(time.Second)))
}

// parseOptions overwrites the defaults in options with what the peer has sent.
func parseOptions(raw json.RawMessage, options any) error {
	if len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, options); err != nil {
		return fmt.Errorf("options %s: %w", raw, err)
	}
	return nil
}

// startInformers runs informers in the order given, which is the order of their first requests. A factory would go
// through a map. The result is done when all of them have returned.
func startInformers(ctx context.Context, informers ...cache.SharedIndexInformer) *sync.WaitGroup {
	running := &sync.WaitGroup{}
	for _, informer := range informers {
		running.Go(func() { informer.Run(ctx.Done()) })
	}
	return running
}
