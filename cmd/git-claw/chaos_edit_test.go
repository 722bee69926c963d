//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	chaosState = "memory/state.json"
	chaosLog   = "memory/log.jsonl"
	chaosPlan  = "memory/semantic/plan.md"
)

// firstFiles are what all machines begin with.
func (c *chaos) firstFiles(m *machine) {
	for name, title := range map[string]string{
		"SOUL.md": "Soul", "MEMORY.md": "Memory", "AGENTS.md": "Agents", "memory/2026-03-04.md": "2026-03-04", "memory/topic.md": "Topic",
		"memory/project.md": "Project", "reference/guide.md": "Guide",
	} {
		text := "# " + title + "\n\n## Notes\n\n"
		for range 3 {
			text += "- first " + c.token(must) + " of " + title + c.words() + "\n"
		}
		c.write(m, name, text+"\n## More\n\n- second "+c.token(must)+c.words()+"\n\nA paragraph with "+c.token(must)+".\n")
	}
	c.write(m, chaosPlan, fmt.Sprintf("---\nowner: %s\nstate: new\n---\n# Plan\n\n| part | what |\n|---|---|\n| one | %s |\n\n- first %s%s\n",
		c.token(value), c.token(must), c.token(must), c.words()))
	c.write(m, chaosState, fmt.Sprintf("{\n  \"owner\": %q,\n  \"parts\": {\n    %q: 1\n  }\n}\n", c.token(value), c.token(must)))
	c.write(m, chaosLog, fmt.Sprintf("{\"at\":\"2026-03-04T05:00:00Z\",\"id\":%q}\n", c.token(must)))
}

// words make an entry so long that it is the same one with another word, and like no other.
func (c *chaos) words() string {
	s := " with"
	for range 8 {
		s += fmt.Sprintf(" word%d", c.rnd.IntN(1000))
	}
	return s
}

func (c *chaos) write(m *machine, name, text string) {
	to := filepath.Join(m.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		c.t.Fatal(err)
	}
	if c.rnd.IntN(2) == 0 { // as editors do that are careful
		if err := os.WriteFile(to+".tmp", []byte(text), 0o666); err != nil {
			c.t.Fatal(err)
		}
		if err := os.Rename(to+".tmp", to); err != nil {
			c.t.Fatal(err)
		}
		return
	}
	if err := os.WriteFile(to, []byte(text), 0o666); err != nil {
		c.t.Fatal(err)
	}
}

// notes are the Markdown files that somebody edits.
func (m *machine) notes() []string {
	var names []string
	for name := range files(m.dir) {
		if strings.HasSuffix(name, ".md") && !strings.HasPrefix(name, "self-improving/") && !strings.HasPrefix(name, "memory/archive/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// edit is what an editor does to a file.
func (c *chaos) edit(m *machine) {
	c.counts["edit"]++
	switch k := c.rnd.IntN(100); {
	case k < 10:
		c.editState(m)
	case k < 18:
		c.editLog(m)
	case k < 23:
		c.editPlan(m)
	case k < 30:
		c.editNames(m)
	default:
		names := m.notes()
		if len(names) == 0 {
			return
		}
		if c.rnd.IntN(2) == 0 && there(filepath.Join(m.dir, "MEMORY.md")) {
			names = []string{"MEMORY.md"} // where all meet
		}
		c.editNote(m, names[c.rnd.IntN(len(names))])
	}
}

func (c *chaos) editNote(m *machine, name string) {
	b, err := os.ReadFile(filepath.Join(m.dir, filepath.FromSlash(name)))
	if err != nil {
		return
	}
	text := string(b)
	eol := "\n"
	if strings.Contains(text, "\r\n") {
		eol = "\r\n"
		text = strings.ReplaceAll(text, eol, "\n")
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var bullets []int
	for i, l := range lines {
		if strings.HasPrefix(l, "- ") {
			bullets = append(bullets, i)
		}
	}
	if len(bullets) == 0 {
		lines, bullets = append(lines, "- the first "+c.token(must)+c.words()), []int{len(lines)}
	}
	i, how := bullets[c.rnd.IntN(len(bullets))], ""
	if c.rnd.IntN(2) == 0 {
		i = bullets[0] // where all meet
	}
	switch k := c.rnd.IntN(100); {
	case k < 45:
		how = "adds"
		lines = slices.Insert(lines, i+1, fmt.Sprintf("- %s about %d things%s", c.token(must), c.rnd.IntN(100), c.words()))
	case k < 65:
		if len(strings.Fields(lines[i])) < 8 { // with another word it is another entry
			c.moved(lines[i])
			lines[i] += c.words()
		}
		how = "changes"
		lines[i] += " " + c.token(must)
	case k < 77:
		how = "deletes " + lines[i] + " from"
		c.deletesFrom(m, name, lines[i])
		lines = slices.Delete(lines, i, i+1)
	case k < 85:
		how = "turns around"
		backwards(lines)
		c.moved(text) // where an entry moves and changes, nobody can tell that it is the same one
	case k < 90:
		how = "changes the line ends of"
		if eol == "\n" {
			eol = "\r\n"
		} else {
			eol = "\n"
		}
	case k < 95:
		how = "moves a section of"
		lines = moveSection(lines)
	default:
		how = "writes a paragraph in"
		lines = append(lines, "", "A whole paragraph, with "+c.token(must)+" in it.")
	}
	c.write(m, name, strings.Join(lines, eol)+eol)
	c.tell("%s %s %s", m.name, how, name)
}

// deletes notes that somebody takes out a text. What also stands elsewhere may stay.
func (c *chaos) deletes(m *machine, text string) {
	all := strings.Join(slices.Collect(maps.Values(files(m.dir))), "\n")
	for _, name := range tokenForm.FindAllString(text, -1) {
		if strings.Count(all, name) == 1 {
			c.fated(name, deleted)
			c.counts["deleted"]++
		} else {
			c.fated(name, may)
		}
	}
}

// deletesFrom is deletes for a note. Where one machine renames it, and another one deletes it or
// most of it, the new one stays: nobody can tell that it is the same.
func (c *chaos) deletesFrom(m *machine, name, text string) {
	c.deletes(m, text)
	if c.without[name] += text; c.renamed[name] {
		c.moved(text)
	}
}

// backwards turns each run of one-line bullets around: the file is written as a whole.
func backwards(lines []string) {
	for i := 0; i < len(lines); i++ {
		end := i
		for end < len(lines) && strings.HasPrefix(lines[end], "- ") {
			end++
		}
		if end > i && (i == 0 || !strings.HasPrefix(lines[i-1], "<!--")) {
			slices.Reverse(lines[i:end])
			i = end
		}
	}
}

// moveSection puts the first section of the second level behind the last one.
func moveSection(lines []string) []string {
	var at []int
	for i, l := range lines {
		if strings.HasPrefix(l, "## ") {
			at = append(at, i)
		}
	}
	if len(at) < 2 {
		return lines
	}
	section := slices.Clone(lines[at[0]:at[1]])
	rest := slices.Delete(slices.Clone(lines), at[0], at[1])
	return append(append(rest, ""), section...)
}

// editState changes a JSON object: a new key, a key that goes, a value that everybody sets.
func (c *chaos) editState(m *machine) {
	b, err := os.ReadFile(filepath.Join(m.dir, filepath.FromSlash(chaosState)))
	var state struct {
		Owner string         `json:"owner"`
		Parts map[string]int `json:"parts"`
	}
	if err != nil || json.Unmarshal(b, &state) != nil || state.Parts == nil {
		return // between markers
	}
	switch keys := slices.Sorted(maps.Keys(state.Parts)); {
	case c.rnd.IntN(3) == 0:
		c.fated(state.Owner, may) // it may not have been committed
		state.Owner = c.token(value)
	case c.rnd.IntN(4) == 0 && len(keys) > 0:
		k := keys[c.rnd.IntN(len(keys))]
		c.deletes(m, k)
		delete(state.Parts, k)
	default:
		state.Parts[c.token(must)] = c.rnd.IntN(10)
	}
	out, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(m, chaosState, string(out)+"\n")
	c.tell("%s edits %s", m.name, chaosState)
}

// editLog adds a line, or takes one out.
func (c *chaos) editLog(m *machine) {
	b, err := os.ReadFile(filepath.Join(m.dir, filepath.FromSlash(chaosLog)))
	if err != nil {
		return
	}
	lines := strings.SplitAfter(string(b), "\n")
	lines = lines[:len(lines)-1]
	if i := c.rnd.IntN(max(1, len(lines))); c.rnd.IntN(4) == 0 && len(lines) > 0 && strings.HasPrefix(lines[i], "{") {
		c.deletes(m, lines[i])
		lines = slices.Delete(lines, i, i+1)
	} else {
		lines = append(lines, fmt.Sprintf("{\"at\":%q,\"id\":%q}\n", c.now.Add(m.skew).Format("2006-01-02T15:04:05Z"), c.token(must)))
	}
	c.write(m, chaosLog, strings.Join(lines, ""))
	c.tell("%s edits %s", m.name, chaosLog)
}

// editPlan changes a value of the frontmatter, or a row of a table.
func (c *chaos) editPlan(m *machine) {
	b, err := os.ReadFile(filepath.Join(m.dir, filepath.FromSlash(chaosPlan)))
	if err != nil {
		return
	}
	lines := strings.Split(string(b), "\n")
	for i, l := range lines {
		bare := strings.TrimSuffix(l, "\r")
		eol := l[len(bare):]
		if c.rnd.IntN(2) == 0 && strings.HasPrefix(bare, "owner: ") {
			c.fated(bare, may)
			lines[i] = "owner: " + c.token(value) + eol
			break
		}
		if bare == "|---|---|" {
			lines = slices.Insert(lines, i+1, fmt.Sprintf("| row | %s |%s", c.token(must), eol))
			break
		}
	}
	c.write(m, chaosPlan, strings.Join(lines, "\n"))
	c.tell("%s edits %s", m.name, chaosPlan)
}

// editNames archives, renames, deletes or makes a note, or moves an entry to another one.
func (c *chaos) editNames(m *machine) {
	var names []string
	for _, name := range m.notes() {
		if strings.HasPrefix(name, "memory/") && !strings.HasPrefix(path.Base(name), "2026-") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	name := names[c.rnd.IntN(len(names))]
	full := filepath.Join(m.dir, filepath.FromSlash(name))
	b, err := os.ReadFile(full)
	if err != nil {
		return
	}
	to := ""
	switch c.rnd.IntN(6) {
	case 0:
		to = "memory/archive/" + path.Base(name)
	case 1, 2:
		to = fmt.Sprintf("memory/%s%d.md", strings.TrimRight(strings.TrimSuffix(path.Base(name), ".md"), "0123456789"), c.rnd.IntN(10))
	case 3:
		c.deletesFrom(m, name, string(b))
		if err := os.Remove(full); err != nil {
			c.t.Fatal(err)
		}
		c.tell("%s deletes %s", m.name, name)
		return
	default:
		c.write(m, fmt.Sprintf("memory/note%d.md", len(c.tokens)), "# A note\n\n- new "+c.token(must)+"\n- more "+c.token(must)+"\n")
		c.tell("%s makes a note", m.name)
		return
	}
	target := filepath.Join(m.dir, filepath.FromSlash(to))
	if _, err := os.Stat(target); err == nil {
		return
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
		c.t.Fatal(err)
	}
	if err := os.Rename(full, target); err != nil {
		c.t.Fatal(err)
	}
	c.moved(string(b) + c.without[name])
	c.renamed[name] = true
	c.tell("%s moves %s to %s", m.name, name, to)
}
