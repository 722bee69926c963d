package health

import (
	"fmt"

	"github.com/git-claw/git-claw/memory/tombstone"
)

func textCases() []checkCase {
	const note = "memory/a.md"
	const block = "- x\n<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> origin/host2\n"
	const mark = "<!-- claw:conflict id=0a1b2c3d kind=edit n=2 -->\n- a\n- b\n"
	stones := fmt.Sprintf("%x 2026-02-03\n", tombstone.Of([]byte("- the old address")))
	return []checkCase{
		{id: "GIT-005", name: "no markers", files: tree{note: "- x\n"}},
		{id: "GIT-005", name: "a block", files: tree{note: block}, want: []string{"FAIL " + note + ":2"}},
		{id: "GIT-005", name: "with CRLF and the base", files: tree{note: "<<<<<<< HEAD\r\n- a\r\n||||||| base\r\n- c\r\n=======\r\n- b\r\n>>>>>>> x\r\n"}, want: []string{"FAIL " + note + ":1"}},
		{id: "GIT-005", name: "two blocks", files: tree{note: block + block}, want: []string{"FAIL " + note + ":2", "FAIL " + note + ":8"}},
		{id: "GIT-005", name: "the underline of a heading", edge: true, files: tree{note: "Title\n=======\n\ntext\n"}},
		{id: "GIT-005", name: "in a fence", edge: true, files: tree{note: "```\n" + block + "```\n"}},
		{id: "GIT-005", name: "without an end", edge: true, files: tree{note: "<<<<<<< HEAD\n- a\n=======\n- b\n"}},
		{id: "GIT-005", name: "in another order", edge: true, files: tree{note: ">>>>>>> b\n=======\n<<<<<<< HEAD\n"}},
		{id: "GIT-005", name: "in JSON there are no fences", files: tree{"memory/a.json": "```\n" + block}, want: []string{"FAIL memory/a.json:3"}},
		{id: "GIT-010", name: "none", files: tree{note: "- a\n- b\n"}},
		{id: "GIT-010", name: "two", files: tree{note: mark + "\n" + mark}, want: []string{"WARN " + note + ":1", "WARN " + note + ":5"}},
		{id: "GIT-010", name: "in a fence", edge: true, files: tree{note: "```\n" + mark + "```\n"}},
		{id: "GIT-010", name: "only in Markdown", edge: true, files: tree{"memory/a.txt": mark}},
		{id: "GIT-011", name: "nothing was erased", files: tree{note: "- the old address\n"}},
		{id: "GIT-011", name: "it came back", files: tree{tombstone.Path: stones, note: "# x\n\n- new\n  * The  old address.\n"}, want: []string{"FAIL " + note + ":4"}},
		{id: "GIT-011", name: "a longer text is another", edge: true, files: tree{tombstone.Path: stones, note: "- the old address of Ann\n"}},
	}
}
