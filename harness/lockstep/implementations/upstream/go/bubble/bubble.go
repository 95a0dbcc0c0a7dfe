// Package bubble runs controllers on virtual time, inside a testing/synctest bubble, against an API server at the other
// end of a socket. It knows no particular controller.
//
// One goroutine, the driver, owns the socket. It waits until every other goroutine of the bubble is parked; then it sends
// one waiting request to the peer and hands the answer over; when no request is left it sleeps, on virtual time, until
// the instant that the peer named, and reports there that the bubble is idle. So a request is answered when all
// controllers are parked, in the order of arrival, and the driver blocked in a real read stops virtual time meanwhile.
package bubble

import (
	"math/rand"
	"sync"
	"time"
)

// epoch is the instant at which the clock of every bubble starts: 2000-01-01T00:00:00Z in Unix nanoseconds.
const epoch = 946_684_800 * int64(time.Second)

func now() int64 { return time.Now().UnixNano() - epoch }

// Bubble is the state of one run.
type Bubble struct {
	wire        *wire
	shuffle     *rand.Rand             // nil: first come, first served
	generations map[string]*generation // by controller name; used by the driver only
	running     sync.WaitGroup         // every controller's Run

	mu      sync.Mutex
	lastID  uint64
	waiting []*exchange          // not sent yet, in order of arrival
	sent    map[uint64]*exchange // sent, not answered yet
	streams map[uint64]*watched
	gone    []uint64
	closed  []uint64
	notes   []note
	calls   map[uint64]func() // in flight; each can be told that its caller has gone
	served  []served          // over, not reported yet
	failed  string
	knock   chan struct{} // wakes the driver: a request waits, or a call is over
}

type watched struct {
	*stream
	generation *generation
}

func newBubble(w *wire, order runOrder) *Bubble {
	b := &Bubble{
		wire:        w,
		generations: map[string]*generation{},
		sent:        map[uint64]*exchange{},
		streams:     map[uint64]*watched{},
		calls:       map[uint64]func(){},
		knock:       make(chan struct{}, 1),
	}
	if order.Shuffle != 0 {
		b.shuffle = rand.New(rand.NewSource(order.Shuffle))
	}
	return b
}

// enqueue puts a request in line. False: its controller has been stopped.
func (b *Bubble) enqueue(x *exchange) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-x.generation.stopped:
		return false
	default:
	}
	b.lastID++
	x.id = b.lastID
	b.waiting = append(b.waiting, x)
	b.wakeDriver()
	return true
}

func (b *Bubble) wakeDriver() {
	select {
	case b.knock <- struct{}{}:
	default:
	}
}

// next takes the request whose turn it is, or nil, and marks it as sent.
func (b *Bubble) next() *exchange {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) == 0 {
		return nil
	}
	turn := 0
	if b.shuffle != nil {
		turn = b.shuffle.Intn(len(b.waiting))
	}
	x := b.waiting[turn]
	b.waiting = append(b.waiting[:turn], b.waiting[turn+1:]...)
	b.sent[x.id] = x
	return x
}

// take returns the sent request with this id and forgets it; nil if no caller waits for its answer any more.
func (b *Bubble) take(id uint64) *exchange {
	b.mu.Lock()
	defer b.mu.Unlock()
	x := b.sent[id]
	delete(b.sent, id)
	return x
}

// giveUp takes back a request whose caller no longer waits.
func (b *Bubble) giveUp(x *exchange) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, other := range b.waiting {
		if other == x {
			b.waiting = append(b.waiting[:i], b.waiting[i+1:]...)
			return
		}
	}
	if b.sent[x.id] == x {
		delete(b.sent, x.id)
		b.gone = append(b.gone, x.id)
	}
}

// open makes the stream of a watch.
func (b *Bubble) open(g *generation, id uint64) *stream {
	s := newStream(func() { b.release(id) })
	b.mu.Lock()
	defer b.mu.Unlock()
	b.streams[id] = &watched{stream: s, generation: g}
	return s
}

func (b *Bubble) release(id uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.streams[id] != nil {
		delete(b.streams, id)
		b.closed = append(b.closed, id)
	}
}

// stream returns an open watch, or nil.
func (b *Bubble) stream(id uint64) *watched {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.streams[id]
}

// forget drops everything that g has in flight, and returns its open watches. The peer ordered it and is not notified.
func (b *Bubble) forget(g *generation) []*watched {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := b.waiting[:0]
	for _, x := range b.waiting {
		if x.generation != g {
			kept = append(kept, x)
		}
	}
	b.waiting = kept
	for id, x := range b.sent {
		if x.generation == g {
			delete(b.sent, id)
		}
	}
	var streams []*watched
	for id, s := range b.streams {
		if s.generation == g {
			delete(b.streams, id)
			streams = append(streams, s)
		}
	}
	return streams
}

func (b *Bubble) note(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notes = append(b.notes, note{At: now(), Text: text})
}

func (b *Bubble) fail(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failed = text
	b.wakeDriver()
}

// report fills a frame with what has gathered since the last one.
func (b *Bubble) report(f *frame) *frame {
	b.mu.Lock()
	defer b.mu.Unlock()
	f.Now = now()
	f.Gone, f.Closed, f.Notes, f.Failed = b.gone, b.closed, b.notes, b.failed
	b.gone, b.closed, b.notes, b.failed = nil, nil, nil, ""
	return f
}
