package main

import (
	"errors"
	"os"
	"path/filepath"
)

// machines is a weekend with two machines that do not see each other.
func (t *tour) machines() {
	t.title("Two machines, one memory")
	t.say("The folder goes to a repository that both machines reach, with all that is in it.")
	t.clock("2026-11-28T09:00:00Z")
	t.show(nil, "git", "init", "-q", "--bare", "-b", "main", "../memory.git")
	t.show(nil, "sh", "-c", "git remote add origin ../memory.git && git branch -M main")
	t.claw([]string{"synced with origin/main"}, "sync", "--with-foreign")
	t.say("On the train, without a network: a laptop and the desk add to one note, at its end.")
	laptop := filepath.Join(filepath.Dir(t.dir), "laptop")
	t.show(nil, "git", "clone", "-q", "../memory.git", laptop)
	const note = "memory/suppliers.md"
	t.do(func() error {
		return add(filepath.Join(laptop, filepath.FromSlash(note)), "- The glaze comes from Foshan, ordered from the train.\n")
	})
	t.do(func() error {
		return add(filepath.Join(t.dir, filepath.FromSlash(note)), "- Bubble wrap is with the post office now.\n")
	})
	t.on(laptop, func() {
		t.claw([]string{"1 commit out"}, "sync")
	})
	t.say("Who comes second merges, entry by entry. No markers, nothing lost; the line with the key stays here.")
	t.claw([]string{"in", "out"}, "sync")
	t.show([]string{"from the train", "post office"}, "tail", "-n", "2", note)
	t.on(laptop, func() {
		t.claw([]string{"commits in"}, "sync")
	})
	t.show(nil, "sh", "-c", "git rev-parse HEAD^{tree} && git -C ../laptop rev-parse HEAD^{tree}")
	t.do(func() error {
		here, err := t.box.Git(t.ctx, t.dir, "rev-parse", "HEAD")
		if err != nil {
			return err
		}
		there, err := t.box.Git(t.ctx, laptop, "rev-parse", "HEAD")
		if err == nil && here != there {
			err = errors.New("the two machines differ")
		}
		return err
	})
}

// on runs a part on the other machine.
func (t *tour) on(dir string, part func()) {
	old := t.dir
	t.dir = dir
	part()
	t.dir = old
}

// add puts text at the end of a file.
func add(name, text string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
