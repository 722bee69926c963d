package agent

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/index"
)

// searched suggests a folder to search when over half of the Markdown lies outside
// of what is searched (SPEC RC-02). Rules and skills, which a host loads, and what a
// profile keeps out of search do not count.
func (d *doctor) searched(ctx context.Context) error {
	files, err := d.notes(ctx)
	if err != nil {
		return err
	}
	ws, roots := d.ws, d.ws.SearchRoots()
	found, outside, most := 0, 0, ""
	places := map[string]int{}
	for _, rel := range files {
		place, _, deeper := strings.Cut(rel, "/")
		if deeper {
			place += "/"
		}
		switch {
		case ws.Searched(rel, roots):
			found++
		case ws.Searched(rel, []string{place}) && !loaded(ws.Kind(rel)):
			outside++
			places[place]++
		}
	}
	if outside <= found {
		return nil
	}
	for _, place := range slices.Sorted(maps.Keys(places)) {
		if most == "" || places[place] > places[most] {
			most = place
		}
	}
	d.say("searched", Warn, ws.SearchCommand(most), "search does not look at %d of %s, most in '%s'", outside, plural(found+outside, "note"), most)
	return nil
}

// loaded reports whether files of a kind are read by the host itself.
func loaded(k memory.Kind) bool {
	return k == memory.KindL1 || k == memory.KindBootstrap || k == memory.KindSkill || k == memory.KindClaw
}

// notes lists files of the workspace that git tracks or might.
func (d *doctor) notes(ctx context.Context) ([]string, error) {
	repo, paths := d.ws.Repo, d.ws.PrefixPaths()
	files, err := repo.ListFiles(ctx, paths...)
	if err != nil {
		return nil, err
	}
	st, err := repo.PathStatus(ctx, gitops.StatusOptions{Paths: paths, Untracked: true})
	if err != nil {
		return nil, err
	}
	for _, e := range st.Entries {
		if e.Untracked() {
			files = append(files, e.Path)
		}
	}
	for i := range files {
		files[i] = strings.TrimPrefix(files[i], d.ws.Prefix)
	}
	return files, nil
}

// index tells whether there is a search index, how large it is, and whether it can
// be read. A search mends it, so nothing of this is a failure.
func (d *doctor) index(ctx context.Context) error {
	const rebuild = "git claw index rebuild"
	state, there, err := index.Peek(d.ws)
	switch {
	case err != nil:
		d.say("index", Warn, rebuild, "the search index cannot be used: %v", err)
		return nil
	case !there:
		d.say("index", OK, "", "no search index; the first search makes it")
		return nil
	case !state.Of(d.ws):
		d.say("index", OK, "", "the search index is of another version or other settings; the next search makes it anew")
		return nil
	}
	damage := ""
	snap, err := index.Refresh(ctx, d.ws, index.Options{Budget: -1, ReadOnly: true, Warn: func(_ string, args ...any) { damage = fmt.Sprint(args...) }})
	if err != nil {
		damage = err.Error()
	} else {
		defer snap.Close()
	}
	if damage != "" {
		d.say("index", Warn, rebuild, "the search index cannot be used: %s", damage)
		return nil
	}
	text := fmt.Sprintf("the search index holds %s in %s", plural(snap.View.Totals().Files, "note"), size(index.Bytes(d.ws)))
	if snap.Pending > 0 {
		text += fmt.Sprintf("; %d changed since, which the next search finds", snap.Pending)
	}
	d.say("index", OK, "", "%s", text)
	return nil
}
