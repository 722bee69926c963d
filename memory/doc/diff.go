package doc

// ChangeKind says what happened to an entry.
type ChangeKind uint8

// The kinds of change.
const (
	Added ChangeKind = iota
	Deleted
	Edited
	Moved // the same text in another place
)

var changeNames = [...]string{"added", "deleted", "edited", "moved"}

func (k ChangeKind) String() string { return changeNames[k] }

// Change is one entry that differs between two texts. Old is nil for Added, New for Deleted.
type Change struct {
	Kind     ChangeKind
	Old, New *Entry
}

// Diff compares two texts by entry. The changes come in the order of new, a deleted entry where it
// stood. Blank lines and line ends alone are no change.
func Diff(old, new []byte) []Change {
	a, b := Parse(old), Parse(new)
	ids := make(interner)
	keysA, keysB := a.keys(ids), b.keys(ids)
	al := align(a, b, keysA, keysB)
	var out []Change
	i := 0
	// deleted lists what is gone up to the next entry of a that keeps its place.
	deleted := func() {
		for ; i < len(al.to) && (al.to[i] < 0 || al.moved[i]); i++ {
			if al.to[i] < 0 {
				out = append(out, Change{Kind: Deleted, Old: &a.Entries[i]})
			}
		}
	}
	for j := range b.Entries {
		deleted()
		switch from := al.from[j]; {
		case from < 0:
			out = append(out, Change{Kind: Added, New: &b.Entries[j]})
		case al.moved[from]:
			out = append(out, Change{Kind: Moved, Old: &a.Entries[from], New: &b.Entries[j]})
		default:
			if keysA[from] != keysB[j] {
				out = append(out, Change{Kind: Edited, Old: &a.Entries[from], New: &b.Entries[j]})
			}
			i = from + 1
		}
	}
	deleted()
	return out
}
