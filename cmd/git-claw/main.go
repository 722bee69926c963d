package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
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
