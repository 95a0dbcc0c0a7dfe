package bubble

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Exit codes of the process.
const (
	ExitUsage    = 64 // the environment of the process is invalid
	ExitProtocol = 76 // the peer broke the protocol
)

// frame is what this side sends: one line of JSON, then Length bytes of body.
type frame struct {
	Op         string   `json:"op"`  // ready, idle, request, served or done
	Now        int64    `json:"now"` // nanoseconds since the virtual epoch
	ID         uint64   `json:"id,omitempty"`
	Controller string   `json:"controller,omitempty"`
	Actor      string   `json:"actor,omitempty"`
	Method     string   `json:"method,omitempty"`
	Target     string   `json:"target,omitempty"` // path and query
	Type       string   `json:"type,omitempty"`
	Accept     string   `json:"accept,omitempty"` // only if more than plain JSON is accepted
	Status     int      `json:"status,omitempty"` // of a call that was served
	Reason     string   `json:"reason,omitempty"` // why a call has no answer: refused or eof
	Length     int      `json:"length,omitempty"`
	Gone       []uint64 `json:"gone,omitempty"`   // requests whose caller no longer waits
	Closed     []uint64 `json:"closed,omitempty"` // watches whose reader has gone
	Notes      []note   `json:"notes,omitempty"`
	Failed     string   `json:"failed,omitempty"` // a controller ended by itself, or a bubble ended badly
	Protocol   int      `json:"protocol,omitempty"`
	Go         string   `json:"go,omitempty"`
	Names      []string `json:"controllers,omitempty"`
}

// note is something worth showing that is not traffic: an error that upstream only logs.
type note struct {
	At   int64  `json:"at"`
	Text string `json:"text"`
}

// runOrder opens a run.
type runOrder struct {
	Run     bool  `json:"run"`
	Seed    int64 `json:"seed"`    // of math/rand, hence of jitter
	Shuffle int64 `json:"shuffle"` // of the order in which waiting requests are sent; 0: first come, first served
	// FeatureGates are those that do not have their usual values in this run.
	FeatureGates map[string]bool `json:"feature_gates"`
}

// reply is what the peer sends in return for an idle or a request frame: one line of JSON, then the items' bodies.
type reply struct {
	Wake  int64  `json:"wake"` // the instant at which the bubble must report again
	Items []item `json:"items"`
}

// item is one thing that happens to the bubble. Op is one of
//
//	answer  request ID is answered with Status, Headers and a body, or with a watch
//	broken  the connection of request ID breaks
//	events  a body of whole lines for watch ID
//	end     watch ID ends; Reason "" is a clean end
//	call    calls controller Name, which listens; the answer is a frame served with the same ID
//	hang_up the caller of call ID has gone
//	start   controller Name starts with Options
//	crash   controller Name stops dead
//	finish  the run ends
type item struct {
	Op      string            `json:"op"`
	ID      uint64            `json:"id"`
	Status  int               `json:"status"`
	Watch   uint64            `json:"watch"`
	Headers map[string]string `json:"headers"`
	Length  int               `json:"length"`
	Reason  string            `json:"reason"`
	Name    string            `json:"name"`
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Options json.RawMessage   `json:"options"`
	body    []byte
}

// wire is the socket. Only one goroutine uses it at a time: Serve between runs, the driver during one.
type wire struct {
	in  *bufio.Reader
	out *bufio.Writer
}

func newWire(descriptor int) *wire {
	socket := os.NewFile(uintptr(descriptor), "lockstep")
	return &wire{in: bufio.NewReaderSize(socket, 1<<16), out: bufio.NewWriterSize(socket, 1<<16)}
}

func (w *wire) send(f *frame, body []byte) {
	line, err := json.Marshal(f)
	if err != nil {
		fatal("cannot write a frame: %v", err)
	}
	w.out.Write(line) //nolint:errcheck // bufio reports it at Flush
	w.out.WriteByte('\n')
	w.out.Write(body) //nolint:errcheck
	if w.out.Flush() != nil {
		os.Exit(0) // the peer is gone
	}
}

// receive reads one line of JSON into value.
func (w *wire) receive(value any) {
	line, err := w.in.ReadBytes('\n')
	if errors.Is(err, io.EOF) {
		os.Exit(0)
	}
	if err != nil {
		fatal("cannot read a frame: %v", err)
	}
	if err := json.Unmarshal(line, value); err != nil {
		fatal("not a frame: %v: %.200q", err, line)
	}
}

func (w *wire) receiveReply() *reply {
	r := &reply{}
	w.receive(r)
	for i := range r.Items {
		if n := r.Items[i].Length; n > 0 {
			r.Items[i].body = make([]byte, n)
			if _, err := io.ReadFull(w.in, r.Items[i].body); err != nil {
				fatal("a frame is cut short: %v", err)
			}
		}
	}
	return r
}

func fatal(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, "lockstep bubble: "+format+"\n", arguments...)
	os.Exit(ExitProtocol)
}
