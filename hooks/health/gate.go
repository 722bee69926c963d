package health

import "sync"

// gate lets in as many bytes as inFlight, or one larger file.
type gate struct {
	mu    sync.Mutex
	cond  *sync.Cond
	bytes int64
}

func (g *gate) enter(n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cond == nil {
		g.cond = sync.NewCond(&g.mu)
	}
	for g.bytes > 0 && g.bytes+n > inFlight {
		g.cond.Wait()
	}
	g.bytes += n
}

func (g *gate) leave(n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.bytes -= n
	g.cond.Broadcast()
}
