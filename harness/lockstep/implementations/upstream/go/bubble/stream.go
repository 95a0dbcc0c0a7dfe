package bubble

import (
	"io"
	"sync"
)

// stream is the body of a watch response. Waiting for an event is a wait inside the bubble, so virtual time may pass.
type stream struct {
	mu       sync.Mutex
	arrived  *sync.Cond
	unread   []byte
	err      error
	released func()
}

func newStream(released func()) *stream {
	s := &stream{released: released}
	s.arrived = sync.NewCond(&s.mu)
	return s
}

// Read implements io.Reader. What arrived before the end is read before the end is reported.
func (s *stream) Read(into []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.unread) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		s.arrived.Wait()
	}
	n := copy(into, s.unread)
	s.unread = s.unread[n:]
	return n, nil
}

// Close implements io.Closer: the reader is gone.
func (s *stream) Close() error {
	s.end(io.EOF)
	return nil
}

func (s *stream) push(lines []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.unread = append(s.unread, lines...)
		s.arrived.Signal()
	}
}

// end makes Read return err once all events are read. Only the first end counts.
func (s *stream) end(err error) {
	s.mu.Lock()
	first := s.err == nil
	if first {
		s.err = err
		s.arrived.Broadcast()
	}
	s.mu.Unlock()
	if first {
		s.released()
	}
}
