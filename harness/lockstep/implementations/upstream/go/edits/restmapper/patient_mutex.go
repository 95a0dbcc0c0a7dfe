package restmapper

import "sync"

// patientMutex takes the place of a sync.Mutex that is held during requests. A bubble recognises a goroutine that waits
// for it as waiting. It does not for a sync.Mutex, whose holder might be outside of the bubble.
type patientMutex struct {
	mu    sync.Mutex
	freed *sync.Cond
	held  bool
}

func (m *patientMutex) Lock() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.freed == nil {
		m.freed = sync.NewCond(&m.mu)
	}
	for m.held {
		m.freed.Wait()
	}
	m.held = true
}

func (m *patientMutex) Unlock() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held = false
	m.freed.Signal()
}
