package bubble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
)

// errStopped is what every request of a controller meets once that controller has been stopped.
var errStopped = errors.New("the controller has been stopped")

// ofCrash tells whether an error is the crash of its controller, as far as that can be seen: upstream turns most errors
// into text on the way up.
func ofCrash(err error) bool {
	if err == nil {
		return false
	}
	text := err.Error()
	return strings.Contains(text, errStopped.Error()) || strings.Contains(text, context.Canceled.Error())
}

// exchange is one request on its way.
type exchange struct {
	id         uint64
	generation *generation
	request    *http.Request
	body       []byte
	answered   chan answer // holds one: the driver never waits for the caller
}

type answer struct {
	response *http.Response
	err      error
}

// RoundTrip implements http.RoundTripper for one generation of a controller. The caller waits inside the bubble, for as
// long as the peer likes, until the driver hands over the answer, its context ends or its controller is stopped.
func (g *generation) RoundTrip(request *http.Request) (*http.Response, error) {
	x := &exchange{generation: g, request: request, answered: make(chan answer, 1)}
	if request.Body != nil {
		body, err := io.ReadAll(request.Body)
		request.Body.Close()
		if err != nil {
			return nil, fmt.Errorf("reading the request's body: %w", err)
		}
		x.body = body
	}
	if !g.bubble.enqueue(x) {
		return nil, errStopped
	}
	select {
	case a := <-x.answered:
		return a.response, a.err
	case <-g.stopped:
		return nil, errStopped
	case <-request.Context().Done():
		g.bubble.giveUp(x)
		return nil, request.Context().Err()
	}
}

// respond builds the response to x from an answer of the peer.
func (b *Bubble) respond(x *exchange, it *item) *http.Response {
	header := http.Header{"Content-Type": []string{"application/json"}}
	for name, value := range it.Headers {
		header.Set(name, value)
	}
	response := &http.Response{
		Status: fmt.Sprintf("%d %s", it.Status, http.StatusText(it.Status)), StatusCode: it.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header, Request: x.request,
	}
	if it.Watch == 0 {
		response.Body = io.NopCloser(bytes.NewReader(it.body))
		response.ContentLength = int64(len(it.body))
		return response
	}
	s := b.open(x.generation, it.Watch)
	ctx := x.request.Context()
	context.AfterFunc(ctx, func() { s.end(ctx.Err()) })
	response.Body = s
	response.ContentLength = -1
	return response
}

// breakage is the error that a broken connection shows its user, as net/http would.
func breakage(reason string) error {
	switch reason {
	case "":
		return io.EOF
	case "eof":
		return io.ErrUnexpectedEOF
	case "refused":
		return syscall.ECONNREFUSED
	default:
		return syscall.ECONNRESET
	}
}
