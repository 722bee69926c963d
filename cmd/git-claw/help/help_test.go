package help

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

const sample = `# NAME

git-claw-save - commit edits

# SYNOPSIS

    git claw save [<path>...]
    git claw save --all

# DESCRIPTION

A paragraph with ` + "`git claw save --all`" + ` in it
on two lines.

- first
- second
  goes on

# OPTIONS

` + "`-m <text>`, `--message <text>`" + `
:   What was done. More of it
    on a second line.

    A second paragraph.

` + "`--color[=<when>]`" + `
:   Colours.

# EXAMPLES

    $ git claw save -m x
    done

    $ git claw save
`

func samplePage(t *testing.T) *Page {
	t.Helper()
	blocks, err := parse(sample)
	if err != nil {
		t.Fatal(err)
	}
	return &Page{Name: "git-claw-save", source: sample, blocks: blocks}
}

func TestPage(t *testing.T) {
	t.Parallel()
	p := samplePage(t)
	if got := p.Summary(); got != "commit edits" {
		t.Errorf("summary %q", got)
	}
	if got, want := p.Synopsis(), []string{"git claw save [<path>...]", "git claw save --all"}; !reflect.DeepEqual(got, want) {
		t.Errorf("synopsis %q", got)
	}
	if got, want := p.Options(), []string{"-m", "--message", "--color"}; !reflect.DeepEqual(got, want) {
		t.Errorf("options %q", got)
	}
	if got, want := p.Examples(), []string{"git claw save -m x", "git claw save"}; !reflect.DeepEqual(got, want) {
		t.Errorf("examples %q", got)
	}
	if got, want := p.Headings(), []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES"}; !reflect.DeepEqual(got, want) {
		t.Errorf("headings %q", got)
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	want := `NAME

    git-claw-save -
    commit edits

SYNOPSIS

        git claw save [<path>...]
        git claw save --all

DESCRIPTION

    A paragraph with
    git claw save --all
    in it on two lines.

    - first
    - second goes on

OPTIONS

    -m <text>,
    --message <text>
        What was done.
        More of it on a
        second line.

        A second
        paragraph.

    --color[=<when>]
        Colours.

EXAMPLES

        $ git claw save -m x
        done

        $ git claw save
`
	if got := samplePage(t).Render(24, term.Style{}); got != want {
		t.Errorf("rendered\n%s\nwant\n%s", got, want)
	}
	bold := samplePage(t).Render(80, term.Style{On: true})
	for _, part := range []string{"\x1b[1mNAME\x1b[m", "with \x1b[1mgit claw save --all\x1b[m in", "    \x1b[1m-m <text>\x1b[m, \x1b[1m"} {
		if !strings.Contains(bold, part) {
			t.Errorf("with colours there is no %q", part)
		}
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	want := `usage: git claw save [<path>...]
   or: git claw save --all

    -m <text>, --message <text>
        What was done
    --color[=<when>]
        Colours

The whole page: git claw save --help
`
	if got := samplePage(t).Usage(80, term.Style{}); got != want {
		t.Errorf("usage\n%s\nwant\n%s", got, want)
	}
}

func TestMan(t *testing.T) {
	t.Parallel()
	man := string(samplePage(t).Man("1.2.3"))
	for _, part := range []string{`.TH "GIT-CLAW-SAVE" "1"`, `"git claw 1.2.3"`, "\\fB--message <text>\\fR", "git claw save --all\n.EE"} {
		if !strings.Contains(strings.ReplaceAll(man, `\-`, "-"), part) {
			t.Errorf("no %q in\n%s", part, man)
		}
	}
}

func TestRefusesOtherMarkdown(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"| a | b |", "> quote", "* item", "```\ncode\n```"} {
		if _, err := parse(source); err == nil {
			t.Errorf("parse(%q) succeeded", source)
		}
	}
}

func TestEveryFileParses(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(f, ".md")
		if !Has(name) {
			t.Errorf("%s is not embedded", f)
		}
		p, err := Load(name, map[string]string{"commands": "`x`\n:   y\n"})
		if err != nil {
			t.Error(err)
			continue
		}
		for i := range 2 { // at both widths nothing hangs or panics
			p.Render(10+70*i, term.Style{})
		}
		if strings.Count(p.source, "`")%2 != 0 {
			t.Errorf("%s: a ` has no partner", f)
		}
	}
	if _, err := Load("no-such-page", nil); err == nil {
		t.Error("a page that is not there loads")
	}
}
