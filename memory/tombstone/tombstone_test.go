package tombstone

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/doc"
)

func TestParse(t *testing.T) {
	t.Parallel()
	h := Of([]byte("- the old address"))
	commit := strings.Repeat("0a", 20)
	text := fmt.Sprintf("%x 2026-02-03\r\npurged %s\n\n# note\n%x 2026-02-30\n%x\nzz 2026-02-03\npurged x\n", h, commit, h, h)
	l := Parse([]byte(text))
	if len(l.Erased) != 1 || l.Erased[h] != "2026-02-03" || !reflect.DeepEqual(l.Purged, []string{commit}) {
		t.Errorf("%v", l)
	}
}

func TestSameText(t *testing.T) {
	t.Parallel()
	want := Of([]byte("- The old address."))
	for _, same := range []string{"the old address", "* the  old\n  address", "  - THE old address", "1. the old address", "12) the old address.", "## The old address", "Ｔhe old address。"} {
		if Of([]byte(same)) != want {
			t.Errorf("%q has another hash", same)
		}
	}
	for _, other := range []string{"the old addresses", "- - the old address", "#the old address", "1 the old address"} {
		if Of([]byte(other)) == want {
			t.Errorf("%q has the same hash", other)
		}
	}
}

func TestEntries(t *testing.T) {
	t.Parallel()
	l := Parse(fmt.Appendf(nil, "%x 2026-02-03\n", Of([]byte("gone"))))
	var lines []int
	l.Entries(doc.Parse([]byte("# x\n\n- here\n- gone\n  - Gone.\n\ngone\n")), func(line int) { lines = append(lines, line) })
	if !reflect.DeepEqual(lines, []int{4, 5, 7}) {
		t.Errorf("lines %v", lines)
	}
	List{}.Entries(doc.Parse([]byte("gone\n")), func(int) { t.Error("an empty list finds something") })
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(strings.Repeat("0", 64) + " 2026-02-03\npurged " + strings.Repeat("a", 40)))
	f.Fuzz(func(t *testing.T, text []byte) {
		l := Parse(text)
		Of(text)
		l.Entries(doc.Parse(text), func(int) {})
	})
}
