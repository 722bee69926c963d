package memory

import "testing"

func TestTemporaryFiles(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"memory/a.tmp": true, "memory/a.md.tmp.123": true, "memory/.a.md.swp": true, "memory/.a.md.swo": true,
		"memory/a.md~": true, "memory/#a.md#": true, "memory/.#a.md": true, "memory/4913": true,
		"memory/a.md": false, "memory/#tag.md": false, "memory/#": false, "memory/a.swp.md": false, "memory/.hidden.md": false,
		"memory/a.tmp.md": false, "memory/~/n.md": false, "memory/.swz": false, "memory/4913.md": false,
	} {
		if got := isTemporary(name); got != want {
			t.Errorf("isTemporary(%q) = %v", name, got)
		}
	}
}
