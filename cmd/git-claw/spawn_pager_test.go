package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

func show(text string) func(io.Writer, term.Style) error {
	return func(w io.Writer, _ term.Style) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func TestPager(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		tty     bool
		environ []string
		want    string
	}{
		{"pipe", false, []string{"GIT_PAGER=false"}, "a note\n"},
		{"terminal", true, []string{"GIT_PAGER=sed s/^/paged:/"}, "paged:a note\n"},
		{"cat", true, []string{"GIT_PAGER=cat"}, "a note\n"},
		{"none", true, []string{"GIT_PAGER="}, "a note\n"},
		{"defaults of less", true, []string{"GIT_PAGER=cat; printf '%s %s %s' $LESS $LV $GIT_PAGER_IN_USE"}, "a note\nFRX -c true"},
		{"less of the user", true, []string{"LESS=q", "GIT_PAGER=cat; printf $LESS"}, "a note\nq"},
		{"left at once", true, []string{"GIT_PAGER=exit 3"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env, s := testEnv(t, tt.environ...)
			env.OutTTY = tt.tty
			if err := env.Page(context.Background(), nil, show("a note\n")); err != nil {
				t.Error(err)
			}
			if got := s.Out.String(); got != tt.want {
				t.Errorf("%q, want %q; %s", got, tt.want, s.Err)
			}
		})
	}
}

func TestPagerLeftInTheMiddle(t *testing.T) {
	t.Parallel()
	env, s := testEnv(t, "GIT_PAGER=head -n 1")
	env.OutTTY = true
	if err := env.Page(context.Background(), nil, show(strings.Repeat("a line\n", 1<<16))); err != nil {
		t.Error(err)
	}
	if got := s.Out.String(); got != "a line\n" {
		t.Errorf("%.100q", got)
	}
}

func TestPagerKeepsErrors(t *testing.T) {
	t.Parallel()
	env, _ := testEnv(t, "GIT_PAGER=cat >/dev/null")
	env.OutTTY = true
	failed := errors.New("cannot read")
	err := env.Page(context.Background(), nil, func(io.Writer, term.Style) error { return failed })
	if !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
}
