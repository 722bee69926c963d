package main

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"
)

// checkOptions reads command lines with a command whose work is replaced, and
// compares the options that the work would have got.
func checkOptions[T any](t *testing.T, build func(*Env, func(context.Context, *Env, T) error) *cli.Command, want map[string]T) {
	t.Helper()
	for line, w := range want {
		env, _ := testEnv(t)
		var got T
		ran := false
		list := []*cli.Command{build(env, func(_ context.Context, _ *Env, opts T) error {
			got, ran = opts, true
			return nil
		})}
		guard(list)
		a := arranger{commands: list, global: globalFlags()}
		inv, err := a.arrange(strings.Fields(line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		app := newApp(env)
		app.Commands = list
		if err := app.Run(inv.argv); err != nil || !ran {
			t.Errorf("%s: ran %t, %v", line, ran, err)
			continue
		}
		if !reflect.DeepEqual(got, w) {
			t.Errorf("%s: %+v, want %+v", line, got, w)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	checkOptions(t, newSaveCommand, map[string]saveOptions{
		"save":                        {Paths: []string{}},
		"save a b -m x --dry-run":     {Paths: []string{"a", "b"}, Message: "x", DryRun: true},
		"save --all --message=a,b -q": {Paths: []string{}, All: true, Message: "a,b"},
		"save -m x -m y -m z":         {Paths: []string{}, Message: "x\n\ny\n\nz"},
		"save -m x -- -m":             {Paths: []string{"-m"}, Message: "x"},
		"save help":                   {Paths: []string{"help"}},
		"--as agent save -C . a":      {Paths: []string{"a"}},
	})
	checkOptions(t, newLogCommand, map[string]logOptions{
		"log": {Paths: []string{}},
		"log -n5 a --event x --event y,z --actor agent": {
			Paths: []string{"a"}, Events: []string{"x", "y,z"}, Actors: []string{"agent"}, Limit: 5,
		},
		"log -7 --flat --all --since a --until b --candidate c": {
			Paths: []string{}, Limit: 7, Flat: true, All: true, Since: "a", Until: "b", Candidate: "c",
		},
	})
	checkOptions(t, newNoteCommand, map[string]noteOptions{
		"note a b --topic t --reference r": {Words: []string{"a", "b"}, Topic: "t", Reference: "r"},
		"note - --state --dry-run":         {Words: []string{"-"}, State: true, DryRun: true},
		"note --close":                     {Words: []string{}, Close: true},
		"note --merge 2026-03-04":          {Words: []string{}, Merge: "2026-03-04"},
	})
	checkOptions(t, newDiffCommand, map[string]diffOptions{
		"diff a --l1 --since x --to y --exit-code": {Paths: []string{"a"}, L1: true, Since: "x", To: "y", ExitCode: true},
	})
	checkOptions(t, newStatusCommand, map[string]statusOptions{
		"status --porcelain -z": {Porcelain: true, Zero: true},
	})
	checkOptions(t, newShowCommand, map[string]showOptions{"show": {Name: "HEAD"}, "show x": {Name: "x"}})
	checkOptions(t, newSearchCommand, map[string]searchOptions{
		"search a b --tier cold --at r --since s -n 3": {Query: "a b", Tier: "cold", At: "r", Since: "s", Limit: 3},
		"search a --blame b":                           {Query: "a b", Blame: true},
	})
	checkOptions(t, newGetCommand, map[string]getOptions{"get a.md --from 3 --lines 4 --at r": {What: "a.md", From: 3, Lines: 4, At: "r"}})
	checkOptions(t, newIndexCommand, map[string]indexOptions{
		"index": {Do: "status"}, "index status": {Do: "status"}, "index update": {Do: "update"},
		"index rebuild": {Do: "rebuild"}, "index drop": {Do: "drop"},
	})
	checkOptions(t, newWhyCommand, map[string]whyOptions{"why a:1": {What: "a:1"}})
	checkOptions(t, newUndoCommand, map[string]undoOptions{"undo": {}, "undo x --dry-run": {Target: "x", DryRun: true}})
	checkOptions(t, newWatchCommand, map[string]watchOptions{"watch": {}, "watch --poll 2s": {Poll: 2 * time.Second}})
	checkOptions(t, newDoctorCommand, map[string]doctorOptions{"doctor --fix": {Fix: true}})
	checkOptions(t, newConnectCommand, map[string]connectOptions{
		"connect": {}, "connect x --print -y --remove --user": {Host: "x", Print: true, Yes: true, Remove: true, User: true},
	})
	checkOptions(t, newInitCommand, map[string]initOptions{
		"init --host generic --layout canonical": {Host: "generic", Layout: "canonical"},
		"init d --layout canonical --team --no-tags --import i --no-hooks --dry-run": {
			Dir: "d", Layout: "canonical", Team: true, NoTags: true, Import: "i", NoHooks: true, DryRun: true,
		},
	})
	checkOptions(t, newHooksCommand, map[string]hooksOptions{
		"hooks": {Do: "status"}, "hooks status": {Do: "status"}, "hooks install": {Do: "install"},
		"hooks uninstall": {Do: "uninstall"}, "hooks run pre-commit a b": {Do: "run", Name: "pre-commit", Args: []string{"a", "b"}},
	})
}
