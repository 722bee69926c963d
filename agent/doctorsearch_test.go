package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/index"
)

// TestDoctorSearched: where most notes lie outside of what is searched, the folder
// with the most of them is named, and the command that is printed mends it.
func TestDoctorSearched(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	look := func() string {
		t.Helper()
		text := ""
		for _, f := range s.doctor("searched", false) {
			text += f.Text + "|" + f.Command
		}
		return text
	}
	if got := look(); got != "" {
		t.Errorf("rules only: %s", got)
	}
	for i := range 5 { // beside the three that are searched and README.md, which is not
		if i < 3 {
			s.Write(fmt.Sprintf("memory/%d.md", i), "- tea\n")
		}
		s.Write(fmt.Sprintf("Project Files/deep/%d.md", i), "- tea\n")
	}
	s.Write("node_modules/x/README.md", "- no note\n")
	s.Write("skills/tea/SKILL.md", "- no note\n")
	if got := look(); got != "" {
		t.Errorf("half of them: %s", got)
	}
	s.Write("other/a.md", "- tea\n")
	got := look()
	if want := "search does not look at 7 of 13 notes, most in 'Project Files/'|"; !strings.HasPrefix(got, want) {
		t.Fatalf("most of them: %q, want %q", got, want)
	}
	s.run(s.doctor("searched", false)[0].Command)
	if got := look(); got != "" {
		t.Errorf("after the command: %s", got)
	}
}

// TestDoctorIndex: absent, in order, behind, of other settings, damaged.
func TestDoctorIndex(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	look := func(verdict Verdict, command, want string) {
		t.Helper()
		found := s.doctor("index", false)
		if len(found) != 1 || found[0].Verdict != verdict || found[0].Command != command || !strings.Contains(found[0].Text, want) {
			t.Errorf("%+v, want %s %q %q", found, verdict, command, want)
		}
	}
	const rebuild = "git claw index rebuild"
	look(OK, "", "no search index")
	s.Write("memory/tea.md", "- tea\n")
	update := func() {
		t.Helper()
		if _, err := IndexUpdate(t.Context(), s.open(), index.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	update()
	look(OK, "", "the search index holds 4 notes in ")
	s.Write("memory/coffee.md", "- coffee\n")
	look(OK, "", "; 1 changed since")
	s.Git("config", "claw.index.chunkTokens", "300")
	look(OK, "", "other settings")
	s.Git("config", "--unset", "claw.index.chunkTokens")

	for _, name := range []string{"table-", "segment-", "manifest"} {
		update()
		dir := index.Dir(s.open())
		files, err := filepath.Glob(filepath.Join(dir, name+"*"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		if err := os.WriteFile(files[0], []byte("damage"), 0o600); err != nil {
			t.Fatal(err)
		}
		look(Warn, rebuild, "damaged index file")
		look(Warn, rebuild, filepath.Base(files[0])) // it was left as it is
	}
}
