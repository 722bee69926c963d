package agent

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops/gittest"
)

// TestImportHoldsBack: secrets of an imported folder, in text and in names, and of
// an ignore file that nobody committed, are in the files and in no object.
func TestImportHoldsBack(t *testing.T) {
	t.Parallel()
	key := "AKIA" + "QWERTYUIOPASDF12"
	from := t.TempDir()
	for name, text := range map[string]string{
		"k.md": "# K\n\n- fine\n- " + key + "\n", key + ".md": "x\n", "k.json": "{\"key\": \"" + key + "\"}\n",
	} {
		must(t, os.WriteFile(filepath.Join(from, name), []byte(text), 0o600))
	}
	s := newSpace(t, nil)
	s.Write(".gitignore", "# "+key+"\n*.log\n")
	res, err := s.init(func(o *InitOptions) { o.Import = from })
	if err != nil {
		t.Fatal(err)
	}
	if res.Baseline == nil || !res.Baseline.Held() {
		t.Error("nothing was said to be held back")
	}
	if out := s.Git("grep", "-c", "fine", "HEAD"); out == "" {
		t.Error("what is no secret was not imported")
	}
	all := s.Git("cat-file", "--batch-all-objects", "--batch")
	if strings.Contains(all, key) {
		t.Error("a key is in an object")
	}
	if !strings.Contains(s.Read(".gitignore"), key) {
		t.Error("a line of the user's was taken out of .gitignore")
	}
}

// TestUndoLeavesFiltersAlone: what git stores of a filtered file is not what the
// file holds.
func TestUndoLeavesFiltersAlone(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil, gittest.Config("filter.rot.clean", "tr a-z n-za-m"), gittest.Config("filter.rot.smudge", "tr a-z n-za-m"))
	s.Append(".gitattributes", "memory/r.md filter=rot\n")
	s.Git("commit", "-qam", "attributes")
	s.Write("memory/r.md", "# A\n\n- one\n")
	s.saveAs(Agent, SaveOptions{})
	s.Append("memory/r.md", "- two\n")
	id := s.saveAs(Agent, SaveOptions{}).Commits[0].ID
	_, err := s.undoAs(User, id)
	var refused *RefusedError
	if !errors.As(err, &refused) || s.Read("memory/r.md") != "# A\n\n- one\n- two\n" {
		t.Errorf("error %v, file %q", err, s.Read("memory/r.md"))
	}
	s.CheckClean()
}

// TestEmptyUndoTakesNothingBack: trailers alone do not make an undo.
func TestEmptyUndoTakesNothingBack(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Append("memory/2026-02-28.md", "- pay\n")
	id := s.saveAs(Agent, SaveOptions{}).Commits[0].ID
	s.Git("commit", "-q", "--allow-empty", "-m", "tidy\n\nClaw-Event: undo\nClaw-Id: 20260301-00000001\nClaw-Undoes: "+id)
	if _, err := s.undoAs(User, id); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(s.Read("memory/2026-02-28.md"), "pay") {
		t.Error("nothing was taken back")
	}
	s.CheckClean()
}
