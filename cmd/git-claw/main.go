package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// rarelyCollect: a process of some milliseconds need not collect garbage, unless it
// holds much.
func rarelyCollect() {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(160 << 20)
}

func main() {
	rarelyCollect()
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		// A second signal ends the process at once, should the first not do.
		signal.Stop(signals)
		cancel(errInterrupted)
	}()
	os.Exit(run(ctx, processEnv(), os.Args[1:]))
}
