package help

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.md
var sources embed.FS

// kind of a block.
type kind int

const (
	heading kind = iota
	paragraph
	item // of a '- ' list
	code
	definition
)

// block is a part of a page. text is a paragraph on one line, or code as it
// stands; body is what a definition says of the term in text.
type block struct {
	kind kind
	text string
	body []string
}

// Page is one page of the manual.
type Page struct {
	Name   string // git-claw, git-claw-save
	source string
	blocks []block
}

// Has reports whether there is a page, without reading it.
func Has(name string) bool {
	f, err := sources.Open(name + ".md")
	if err != nil {
		return false
	}
	_ = f.Close()
	return true
}

// Load reads a page. lists are the texts for its <!-- name --> lines beside the
// files of this folder.
func Load(name string, lists map[string]string) (*Page, error) {
	source, err := read(name, lists, 0)
	if err != nil {
		return nil, err
	}
	source = strings.TrimRight(source, "\n") + "\n\n# SEE ALSO\n\n" + seeAlso(name) + "\n"
	blocks, err := parse(source)
	if err != nil {
		return nil, fmt.Errorf("help page '%s': %w", name, err)
	}
	return &Page{Name: name, source: source, blocks: blocks}, nil
}

// seeAlso names the pages that every page leads to.
func seeAlso(name string) string {
	if name == "git-claw" {
		return "git(1), gitworkflows(7)"
	}
	return "git-claw(1), git(1)"
}

func read(name string, lists map[string]string, depth int) (string, error) {
	b, err := sources.ReadFile(name + ".md")
	if err != nil {
		return "", fmt.Errorf("no help page '%s'", name)
	}
	var out strings.Builder
	for line := range strings.Lines(string(b)) {
		include, ok := strings.CutPrefix(strings.TrimSpace(line), "<!-- ")
		if !ok || depth > 1 {
			out.WriteString(line)
			continue
		}
		include = strings.TrimSuffix(include, " -->")
		text, ok := lists[include]
		if !ok {
			if text, err = read(include, lists, depth+1); err != nil {
				return "", err
			}
		}
		out.WriteString(text)
	}
	return out.String(), nil
}

// parse cuts a page into blocks.
func parse(source string) ([]block, error) {
	var blocks []block
	lines := strings.Split(strings.TrimRight(source, "\n"), "\n")
	for i := 0; i < len(lines); {
		line := lines[i]
		switch {
		case line == "":
			i++
		case strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "## "):
			blocks = append(blocks, block{kind: heading, text: strings.TrimLeft(line, "# ")})
			i++
		case strings.HasPrefix(line, "    "):
			b, next := takeCode(lines, i)
			blocks = append(blocks, b)
			i = next
		case strings.HasPrefix(line, "- "):
			text, next := takeText(lines, i)
			blocks = append(blocks, block{kind: item, text: strings.TrimPrefix(text, "- ")})
			i = next
		case i+1 < len(lines) && strings.HasPrefix(lines[i+1], ":   "):
			b, next := takeDefinition(lines, i)
			blocks = append(blocks, b)
			i = next
		case strings.ContainsAny(line[:1], "|>*+`") && !strings.HasPrefix(line, "`") || strings.HasPrefix(line, "```"):
			return nil, fmt.Errorf("line %d is Markdown that pages do not use: %s", i+1, line)
		default:
			text, next := takeText(lines, i)
			blocks = append(blocks, block{kind: paragraph, text: text})
			i = next
		}
	}
	return blocks, nil
}

// takeText joins the lines of a paragraph or of a list item.
func takeText(lines []string, i int) (string, int) {
	text := lines[i]
	for i++; i < len(lines) && lines[i] != "" && !strings.HasPrefix(lines[i], "- "); i++ {
		text += " " + strings.TrimSpace(lines[i])
	}
	return text, i
}

// takeCode takes an indented block, blank lines inside it too.
func takeCode(lines []string, i int) (block, int) {
	var text []string
	for ; i < len(lines) && (lines[i] == "" || strings.HasPrefix(lines[i], "    ")); i++ {
		text = append(text, strings.TrimPrefix(lines[i], "    "))
	}
	return block{kind: code, text: strings.TrimRight(strings.Join(text, "\n"), "\n")}, i
}

// takeDefinition takes a term and its paragraphs, which are indented by four.
func takeDefinition(lines []string, i int) (block, int) {
	b := block{kind: definition, text: lines[i]}
	par := strings.TrimPrefix(lines[i+1], ":   ")
	for i += 2; i < len(lines); i++ {
		switch line := lines[i]; {
		case strings.HasPrefix(line, "    ") && par == "":
			par = strings.TrimSpace(line)
		case strings.HasPrefix(line, "    "):
			par += " " + strings.TrimSpace(line)
		case line == "" && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "    "):
			b.body = append(b.body, par)
			par = ""
		default:
			b.body = append(b.body, par)
			return b, i
		}
	}
	b.body = append(b.body, par)
	return b, i
}

// section gives the blocks below a heading.
func (p *Page) section(name string) []block {
	for i, b := range p.blocks {
		if b.kind != heading || b.text != name {
			continue
		}
		rest := p.blocks[i+1:]
		for j, b := range rest {
			if b.kind == heading {
				return rest[:j]
			}
		}
		return rest
	}
	return nil
}

// Headings lists the headings of the page in order.
func (p *Page) Headings() []string {
	var out []string
	for _, b := range p.blocks {
		if b.kind == heading {
			out = append(out, b.text)
		}
	}
	return out
}

// Summary is the line of NAME after the name.
func (p *Page) Summary() string {
	for _, b := range p.section("NAME") {
		_, summary, _ := strings.Cut(plain(b.text), " - ")
		return summary
	}
	return ""
}

// Synopsis is the lines of SYNOPSIS.
func (p *Page) Synopsis() []string {
	var out []string
	for _, b := range p.section("SYNOPSIS") {
		out = append(out, strings.Split(b.text, "\n")...)
	}
	return out
}

// Options lists the option names that the page documents, as they are typed.
func (p *Page) Options() []string {
	var out []string
	for _, b := range p.blocks {
		if b.kind != definition || !strings.HasPrefix(b.text, "`-") {
			continue
		}
		for name := range strings.SplitSeq(plain(b.text), ", ") {
			name, _, _ = strings.Cut(name, " ")
			name, _, _ = strings.Cut(name, "[")
			out = append(out, strings.TrimSuffix(name, "="))
		}
	}
	return out
}

// Examples lists the commands of the page that follow a '$ '.
func (p *Page) Examples() []string {
	var out []string
	for _, b := range p.section("EXAMPLES") {
		if b.kind != code {
			continue
		}
		for line := range strings.SplitSeq(b.text, "\n") {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				out = append(out, command)
			}
		}
	}
	return out
}

// plain takes the marks of code out of a text.
func plain(text string) string { return strings.ReplaceAll(text, "`", "") }
