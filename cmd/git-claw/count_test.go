package main

import "testing"

func TestCount(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"0 files": count(0, "file"), "1 file": count(1, "file"), "2 files": count(2, "file"),
		"1 branch": count(1, "branch"), "2 branches": count(2, "branch"), "3 open branches": count(3, "open branch"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
