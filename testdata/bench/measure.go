package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/testdata/sandbox"
)

// A side is one of the two things that are compared: commands that are run one
// after the other and whose times are added.
type side struct {
	box  *sandbox.Box
	dir  string
	cmds [][]string
	// stdin goes to each command.
	stdin string
	// before prepares run i, after waits for what run i left behind; neither
	// is measured.
	before func(i int) error
	after  func(ctx context.Context) error
	// check looks at what the last command of run i printed, so that nothing is
	// measured that did not do its work.
	check func(i int, stdout string) error
}

// once runs the side's commands and adds up their times.
func (s *side) once(ctx context.Context, i int) (sample, error) {
	if s.before != nil {
		if err := s.before(i); err != nil {
			return sample{}, err
		}
	}
	var sum sample
	stdout := ""
	for _, cmd := range s.cmds {
		result, err := s.box.Run(ctx, s.dir, s.stdin, cmd...)
		if err != nil {
			return sample{}, err
		}
		if result.Code != 0 {
			first, _, _ := strings.Cut(strings.TrimSpace(result.Stderr), "\n")
			return sample{}, fmt.Errorf("exit %d: %s", result.Code, first)
		}
		sum.wall += result.Wall
		sum.cpu += result.CPU
		stdout = result.Stdout
	}
	if s.check != nil {
		if err := s.check(i, stdout); err != nil {
			return sample{}, err
		}
	}
	if s.after != nil {
		if err := s.after(ctx); err != nil {
			return sample{}, err
		}
	}
	return sum, nil
}

type sample struct{ wall, cpu time.Duration }

// Stats are times in milliseconds.
type Stats struct {
	Runs   int     `json:"runs"`
	Median float64 `json:"median_ms"`
	P95    float64 `json:"p95_ms"`
	CPU    float64 `json:"cpu_median_ms"`
}

// statsOf wants at least one sample.
func statsOf(samples []sample) *Stats {
	wall, cpu := make([]float64, len(samples)), make([]float64, len(samples))
	for i, s := range samples {
		wall[i], cpu[i] = ms(s.wall), ms(s.cpu)
	}
	return &Stats{
		Runs: len(samples), Median: quantile(wall, .5), P95: quantile(wall, .95), CPU: quantile(cpu, .5),
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// quantile is the smallest value that at least the share q of values does not
// exceed (nearest rank); the median of an even number is the mean of the two
// in the middle.
func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if q == .5 && n%2 == 0 {
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return sorted[max(0, int(math.Ceil(q*float64(n)))-1)]
}

// compare runs both sides in turn, first each once to warm the caches. Either
// may be nil. A side that fails has no stats and its error instead; the other
// goes on.
func compare(ctx context.Context, runs int, a, b *side) (stats [2]*Stats, errs [2]error) {
	sides := [2]*side{a, b}
	var samples [2][]sample
	for i := range runs + 1 {
		// Who goes first alternates too, so that neither always finds the
		// caches as the other left them.
		for k := range 2 {
			k = (k + i) % 2
			if sides[k] == nil || errs[k] != nil {
				continue
			}
			s, err := sides[k].once(ctx, i)
			if err != nil {
				errs[k] = err
				continue
			}
			if i > 0 {
				samples[k] = append(samples[k], s)
			}
		}
	}
	for k := range sides {
		if sides[k] != nil && errs[k] == nil && len(samples[k]) > 0 {
			stats[k] = statsOf(samples[k])
		}
	}
	return stats, errs
}
