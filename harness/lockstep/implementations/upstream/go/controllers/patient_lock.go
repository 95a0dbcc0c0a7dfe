//go:build kubernetes

package controllers

import "sync"

// patientLock is a mutex whose waiters a bubble recognises as waiting. A goroutine that waits for a sync.Mutex keeps
// virtual time from moving, because its holder might be outside of the bubble, and some of client-go's mutexes
// are held during a request. Like a sync.Mutex it lets a running goroutine go before those that wait, and until the one
// that it has woken has had its chance, it wakes no other: so those that wait come in turn.
type patientLock struct {
	mu      sync.Mutex
	freed   *sync.Cond
	held    bool
	waiting int
	woken   bool
}

func newPatientLock() *patientLock {
	l := &patientLock{}
	l.freed = sync.NewCond(&l.mu)
	return l
}

func (l *patientLock) Lock() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.held {
		l.waiting++
		l.freed.Wait()
		l.waiting--
		l.woken = false
	}
	l.held = true
}

func (l *patientLock) Unlock() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = false
	if l.waiting > 0 && !l.woken {
		l.woken = true
		l.freed.Signal()
	}
}
