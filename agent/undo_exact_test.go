package agent

import (
	"errors"
	"testing"
)

// TestUndoIsExactOrRefused: histories in which a merge by entry cannot tell what
// belongs to the change. An undo takes back all of it or says that it cannot, and
// a refusal writes nothing, not even the unsaved edit.
func TestUndoIsExactOrRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		a, b, c    string // before the change, with it, later
		unsaved    string // what the work tree holds, "" for c
		want, work string // after the undo; "" for a refusal
	}{
		{name: "an item above the added paragraph", a: "# T\n\nGood.\n", b: "# T\n\nGood.\n\nBad paragraph.\n", c: "# T\n\nGood.\n\n- new item\nBad paragraph.\n"},
		{name: "a blank line, then an item", a: "One line.\nTwo line.\n", b: "One line.\n\nTwo line.\n", c: "One line.\n\n- item\nTwo line.\n"},
		{name: "an item above two added lines", a: "# T\n", b: "# T\nwrong line\n- wrong item\n", c: "# T\n- item\nwrong line\n- wrong item\n"},
		{
			name: "later lines in a file that the change made", a: "", b: "# Day\n\n- wrong one\n", c: "# Day\n\n- wrong one\n- right one\n",
			want: "# Day\n\n- right one\n", work: "# Day\n\n- right one\n",
		},
		{
			name: "unsaved edits elsewhere", a: "- a\n- b\n", b: "- a2\n- b\n", c: "- a2\n- b\n", unsaved: "- a2\n- b\n- mine\n",
			want: "- a\n- b\n", work: "- a\n- b\n- mine\n",
		},
		{name: "an unsaved edit of the same entry", a: "- a\n- b\n", b: "- a2\n- b\n", c: "- a2\n- b\n", unsaved: "- an hour of work\n- b\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newAdopted(t, nil)
			step := func(text string) {
				if text != "" {
					s.Write("memory/x.md", text)
					s.saveAs(Agent, SaveOptions{})
				}
			}
			step(tt.a)
			s.Write("memory/x.md", tt.b)
			id := s.saveAs(Agent, SaveOptions{}).Commits[0].ID
			if tt.c != tt.b {
				step(tt.c)
			}
			if tt.unsaved != "" {
				s.Write("memory/x.md", tt.unsaved)
			}
			head, work := s.Head(), s.Read("memory/x.md")
			for range 2 { // the second try must not do what the first refused
				_, err := s.undoAs(User, id)
				if tt.want != "" {
					if err != nil {
						t.Fatal(err)
					}
					break
				}
				var conflict *ConflictError
				if !errors.As(err, &conflict) {
					t.Fatalf("error %v", err)
				}
				if s.Head() != head || s.Read("memory/x.md") != work {
					t.Fatal("a refused undo wrote something")
				}
			}
			if tt.want == "" {
				return
			}
			if got := s.Git("show", "HEAD:memory/x.md"); got+"\n" != tt.want && got != tt.want {
				t.Errorf("HEAD has %q, want %q", got, tt.want)
			}
			if got := s.Read("memory/x.md"); got != tt.work {
				t.Errorf("the file is %q, want %q", got, tt.work)
			}
		})
	}
}
