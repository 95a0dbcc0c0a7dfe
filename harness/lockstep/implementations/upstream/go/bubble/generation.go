package bubble

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sort"

	"k8s.io/client-go/rest"
)

// Controller is something that can run in a bubble.
type Controller struct {
	// Actor is the name under which its requests are recorded: its user agent.
	Actor string
	// Run builds the controller with clients of config and runs it until ctx ends.
	Run func(ctx context.Context, config *rest.Config, options json.RawMessage) error
}

var registry = map[string]Controller{}

// Register makes a controller known by name. Call it from an init function.
func Register(name string, controller Controller) {
	registry[name] = controller
}

func registered() []string {
	names := make([]string, 0, len(registry))
	for name := range registry {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// generation is one life of a controller, from its start to its crash. It is the transport of its clients.
type generation struct {
	bubble  *Bubble
	name    string
	actor   string
	cancel  context.CancelFunc
	stopped chan struct{}
	handler http.Handler // serves calls; nil while the controller does not listen
}

// config makes clients that speak JSON through this generation, without client-side rate limits; a controller
// whose flags set some gives them to the config.
func (g *generation) config() *rest.Config {
	return &rest.Config{
		Host:      "http://bubble",
		Transport: g,
		UserAgent: g.actor,
		QPS:       -1,
		ContentConfig: rest.ContentConfig{
			ContentType:        "application/json", // typed clients would choose protobuf
			AcceptContentTypes: "application/json",
		},
	}
}

// start begins a new generation of the controller.
func (b *Bubble) start(name string, options json.RawMessage) {
	controller, known := registry[name]
	if !known {
		fatal("no controller is called %q; there are %v", name, registered())
	}
	if b.generations[name] != nil {
		fatal("controller %q is running already", name)
	}
	ctx, cancel := context.WithCancel(context.Background())
	g := &generation{bubble: b, name: name, actor: controller.Actor, cancel: cancel, stopped: make(chan struct{})}
	ctx = context.WithValue(ctx, generationKey{}, g)
	b.generations[name] = g
	b.running.Go(func() {
		err := runUntilExit(ctx, controller, g.config(), options)
		if ctx.Err() == nil {
			b.fail(fmt.Sprintf("controller %s ended by itself: %v", name, err))
		} else if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, errStopped) {
			b.note(fmt.Sprintf("controller %s stopped with: %v", name, err))
		}
	})
}

func runUntilExit(
	ctx context.Context, controller Controller, config *rest.Config, options json.RawMessage,
) (err error) {
	defer RecoverExit(&err)
	return controller.Run(ctx, config, options)
}

// stop ends a generation as a crash does: from now on not one request of it gets out, and no answer gets in.
func (b *Bubble) stop(name string) {
	g := b.generations[name]
	if g == nil {
		fatal("controller %q cannot stop: it is not running", name)
	}
	delete(b.generations, name)
	close(g.stopped)
	streams := b.forget(g)
	g.cancel()
	for _, s := range streams {
		s.end(errStopped)
	}
}
