package main

import (
	"log/slog"
	"os"
	"path/filepath"
)

// Log is the trace that GIT_CLAW_TRACE asks for: 1 tells the steps, 2 the calls
// of git too, both on standard error; an absolute path is a file that gets all
// of it. nil without the variable. No content of notes is ever traced.
func (e *Env) Log() *slog.Logger {
	value := e.Getenv("GIT_CLAW_TRACE")
	level, w := slog.LevelDebug, e.Err
	switch {
	case value == "" || isFalse(value):
		return nil
	case value == "1" || value == "true":
		level = slog.LevelInfo
	case value == "2":
	case filepath.IsAbs(value):
		w = &lateFile{path: value}
	default:
		e.Warn("GIT_CLAW_TRACE is '" + value + "': not 1, 2 or an absolute path")
		return nil
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: e.traceTime}))
}

// traceTime stamps a line with the one clock.
func (e *Env) traceTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		a.Value = slog.TimeValue(e.Now())
	}
	return a
}

// lateFile opens the trace file for each line: lines of processes that run at
// the same time do not mix, and nothing is left to close.
type lateFile struct{ path string }

func (f *lateFile) Write(p []byte) (int, error) {
	file, err := os.OpenFile(f.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := file.Write(p)
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	return n, err
}
