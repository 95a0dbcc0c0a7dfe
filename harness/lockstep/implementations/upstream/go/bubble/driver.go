package bubble

import (
	"runtime"
	"strings"
	"testing/synctest"
	"time"
)

// shutdownPatience is how long, on virtual time, controllers may take to return once the run is over.
const shutdownPatience = 10 * time.Minute

// drive is the life of a run. It returns when the peer has ended it and the controllers have returned.
func (b *Bubble) drive() {
	wake, more := int64(0), true
	for more {
		synctest.Wait()
		if s := b.nextServed(); s != nil {
			wake, more = b.exchange(servedFrame(s), s.body)
		} else if x := b.next(); x != nil {
			wake, more = b.exchange(requestFrame(x), x.body)
		} else if left := wake - now(); left > 0 && !b.hasFailed() {
			b.sleep(time.Duration(left))
		} else {
			wake, more = b.exchange(&frame{Op: "idle"}, nil)
		}
	}
	b.shutDown()
}

func requestFrame(x *exchange) *frame {
	return &frame{
		Op: "request", ID: x.id, Controller: x.generation.name, Actor: x.request.UserAgent(),
		Method: x.request.Method, Target: x.request.URL.RequestURI(),
		Type: x.request.Header.Get("Content-Type"), Accept: special(x.request.Header.Get("Accept")), Length: len(x.body),
	}
}

func servedFrame(s *served) *frame {
	return &frame{Op: "served", ID: s.id, Status: s.status, Reason: s.reason, Length: len(s.body)}
}

// special is what a request accepts besides plain JSON, which needs no mention: only discovery asks for more.
func special(accept string) string {
	if strings.Contains(accept, ";as=") {
		return accept
	}
	return ""
}

// sleep lets virtual time pass, until a request is made or a call is over.
func (b *Bubble) sleep(duration time.Duration) {
	select {
	case <-b.knock: // an old one: its request has been served
	default:
	}
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-b.knock:
	}
}

func (b *Bubble) hasFailed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failed != ""
}

// exchange sends a frame and carries out the reply. Virtual time stands still meanwhile.
func (b *Bubble) exchange(f *frame, body []byte) (wake int64, more bool) {
	b.wire.send(b.report(f), body)
	r := b.wire.receiveReply()
	// Begin a new time slice. Goroutines that wake one another share one, and after 10 ms of it the scheduler preempts
	// the running one, at a moment that differs from run to run. All of them are parked now, so no turn changes.
	runtime.Gosched()
	for i := range r.Items {
		if i > 0 {
			synctest.Wait() // let the controllers take in one thing before the next one
		}
		if r.Items[i].Op == "finish" {
			return 0, false
		}
		b.apply(&r.Items[i])
	}
	return r.Wake, true
}

// apply carries out one item. What concerns a request or a watch that is gone has crossed its end on the way: no error.
func (b *Bubble) apply(it *item) {
	switch it.Op {
	case "answer":
		if x := b.take(it.ID); x != nil {
			x.answered <- answer{response: b.respond(x, it)}
		}
	case "broken":
		if x := b.take(it.ID); x != nil {
			x.answered <- answer{err: breakage(it.Reason)}
		}
	case "events":
		if s := b.stream(it.ID); s != nil {
			s.push(it.body)
		}
	case "end":
		if s := b.stream(it.ID); s != nil {
			s.end(breakage(it.Reason))
		}
	case "call":
		b.call(it)
	case "hang_up":
		b.hangUp(it.ID)
	case "start":
		b.start(it.Name, it.Options)
	case "crash":
		b.stop(it.Name)
	default:
		fatal("a reply has an item %q, which means nothing here", it.Op)
	}
}

// shutDown stops every controller and waits for them. One that never returns makes the bubble end in a panic, which
// Serve turns into a report.
func (b *Bubble) shutDown() {
	for name := range b.generations {
		b.stop(name)
	}
	returned := make(chan struct{})
	go func() {
		b.running.Wait()
		close(returned)
	}()
	timer := time.NewTimer(shutdownPatience)
	defer timer.Stop()
	select {
	case <-returned:
	case <-timer.C:
	}
}
