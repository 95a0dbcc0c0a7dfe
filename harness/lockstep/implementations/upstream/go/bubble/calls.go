package bubble

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
)

type generationKey struct{}

// Listen makes handler serve the calls that come in for the controller to whose Run ctx was given.
func Listen(ctx context.Context, handler http.Handler) {
	g := ctx.Value(generationKey{}).(*generation)
	g.bubble.mu.Lock()
	defer g.bubble.mu.Unlock()
	g.handler = handler
}

// served is a call that is over.
type served struct {
	id     uint64
	status int
	body   []byte
	reason string // why there is no answer
}

// call serves one call that came in, in a goroutine of its own as net/http does.
func (b *Bubble) call(it *item) {
	g := b.generations[it.Name]
	handler := b.handlerOf(g)
	if handler == nil {
		b.conclude(served{id: it.ID, reason: "refused"})
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, it.Method, "http://bubble"+it.Path, bytes.NewReader(it.body))
	if err != nil {
		fatal("a call makes no request: %v", err)
	}
	for name, value := range it.Headers {
		request.Header.Set(name, value)
	}
	b.mu.Lock()
	b.calls[it.ID] = cancel
	b.mu.Unlock()
	b.running.Go(func() {
		defer cancel()
		b.conclude(b.serve(it.ID, handler, request))
	})
}

func (b *Bubble) handlerOf(g *generation) http.Handler {
	if g == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return g.handler
}

// serve runs the handler. Where it panics, net/http would hang up.
func (b *Bubble) serve(id uint64, handler http.Handler, request *http.Request) (result served) {
	defer func() {
		if problem := recover(); problem != nil {
			b.note(fmt.Sprintf("a handler panicked: %v", problem))
			result = served{id: id, reason: "eof"}
		}
	}()
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return served{id: id, status: recorder.Code, body: recorder.Body.Bytes()}
}

func (b *Bubble) conclude(result served) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.calls, result.id)
	b.served = append(b.served, result)
	b.wakeDriver()
}

// hangUp tells a handler that its caller has gone. Its answer is dropped.
func (b *Bubble) hangUp(id uint64) {
	b.mu.Lock()
	cancel := b.calls[id]
	b.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// nextServed takes the call that was over first, or nil.
func (b *Bubble) nextServed() *served {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.served) == 0 {
		return nil
	}
	result := b.served[0]
	b.served = b.served[1:]
	return &result
}
