package gittest

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// Probe runs a test that is expected to fail and returns what it complains
// about; nothing when it passes. Harnesses are shown with it to notice when the
// protection they test is switched off.
func Probe(t testing.TB, f func(t testing.TB)) []string {
	t.Helper()
	p := &probe{TB: t}
	done := make(chan bool)
	go func() {
		defer close(done)
		f(p)
	}()
	<-done
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said
}

// probe keeps failures to itself.
type probe struct {
	testing.TB
	mu   sync.Mutex
	said []string
}

func (p *probe) say(s string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said = append(p.said, s)
}

func (p *probe) Errorf(format string, args ...any) { p.say(fmt.Sprintf(format, args...)) }
func (p *probe) Error(args ...any)                 { p.say(fmt.Sprint(args...)) }
func (p *probe) Fail()                             { p.say("failed") }

func (p *probe) Fatalf(format string, args ...any) {
	p.Errorf(format, args...)
	runtime.Goexit()
}

func (p *probe) Fatal(args ...any) {
	p.Error(args...)
	runtime.Goexit()
}

func (p *probe) FailNow() {
	p.Fail()
	runtime.Goexit()
}

func (p *probe) Failed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.said) > 0
}
