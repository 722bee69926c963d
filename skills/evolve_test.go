package skills

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const evolving = `---
name: x
description: does x
version: 2.1.0
---
# X

## Triggers
- when asked

## Behavior
` + "```claw-params" + `
- name: ask_count
  value: 3 # times
  unit: occurrences
  mutable: true
  min: 2
  max: 10
- name: tone
  value: "plain: yes"
  mutable: true
- value: 5
  name: fixed
` + "```" + `

Free text.

## Other
` + "```claw-params\n- name: far\n  value:\n  mutable: true\n```\n"

func TestParams(t *testing.T) {
	t.Parallel()
	params, problems := Params([]byte(evolving))
	var got []string
	for _, p := range params {
		got = append(got, fmt.Sprintf("%s=%s %s %v %s %s @%d %q", p.Name, p.Value, p.Unit, p.Mutable, p.Min, p.Max, p.Line, evolving[p.from:p.to]))
	}
	want := []string{
		`ask_count=3 occurrences true 2 10 @14 "3"`, `tone=plain: yes  true   @20 "\"plain: yes\""`, `fixed=5  false   @22 "5"`, `far=  false   @31 ""`,
	}
	if !slices.Equal(got, want) || problems != nil {
		t.Errorf("%s\n%v", strings.Join(got, "\n"), problems)
	}
	for value, why := range map[string]string{"2": "", "10": "", "1": "it is less than 2", "11": "it is more than 10", "many": "'many' is no number"} {
		if got := params[0].Accepts(value); got != why {
			t.Errorf("%s: %q", value, got)
		}
	}
	if params[1].Accepts("x") != "" || params[2].Accepts("6") == "" {
		t.Error("mutable without bounds, or not mutable")
	}
	_, problems = Params([]byte("## Behavior\n```claw-params\nname: a\n- name: b\n- name: c\n  value: 1\n- name: c\n  value: 2\n```\n```claw-params\n- open\n"))
	var bad []string
	for _, p := range problems {
		bad = append(bad, fmt.Sprintf("%d %s", p.Line, p.What))
	}
	if want := []string{"3 it is no list of parameters", "4 a parameter has a name and a value", "8 'c' is there twice", "11 a parameter has a name and a value"}; !slices.Equal(bad, want) {
		t.Errorf("%q", bad)
	}
}

func TestSetParam(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ask_count": strings.Replace(evolving, "value: 3 #", "value: 4 #", 1), "tone": strings.Replace(evolving, `"plain: yes"`, "4", 1), "far": strings.Replace(evolving, "value:\n", "value: 4\n", 1),
	} {
		if got, ok := SetParam([]byte(evolving), name, "4"); !ok || string(got) != want {
			t.Errorf("%s: %v\n%s", name, ok, got)
		}
	}
	if _, ok := SetParam([]byte(evolving), "none", "4"); ok {
		t.Error("a parameter that is not there was set")
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	change := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(evolving) }
	for name, c := range map[string]struct {
		now  string
		want []string
	}{
		"nothing":            {evolving, nil},
		"value and version":  {change("value: 3", "value: 4", "2.1.0", "2.1.1"), nil},
		"beyond the bounds":  {change("value: 3", "value: 11"), []string{"14 'ask_count' changed from 3 to 11: it is more than 10"}},
		"bounds widened":     {change("value: 3", "value: 11", "max: 10", "max: 20"), []string{"14 'ask_count' changed from 3 to 11: it is more than 10", "18 text besides the values of parameters changed"}},
		"not mutable":        {change("value: 5", "value: 6"), []string{"22 'fixed' changed from 5 to 6: it is not mutable"}},
		"made mutable":       {change("name: fixed\n", "name: fixed\n  mutable: true\n"), []string{"24 text besides the values of parameters changed"}},
		"description":        {change("does x", "does y"), []string{"3! metadata 'description' changed"}},
		"a new key":          {change("name: x\n", "name: x\nhomepage: h\n"), []string{"3! metadata 'homepage' changed"}},
		"a key goes":         {change("description: does x\n", "other: 1\n"), []string{"3! metadata 'other' changed", "1! metadata 'description' is gone"}},
		"triggers":           {change("when asked", "always"), []string{"8! triggers changed"}},
		"free text":          {change("Free text.", "Other text."), []string{"26 text besides the values of parameters changed"}},
		"a section is added": {evolving + "\n## Dependencies\n- curl\n", []string{"35! dependencies changed"}},
	} {
		var got []string
		for _, c := range Changes([]byte(evolving), []byte(c.now)) {
			mark := ""
			if c.Frozen {
				mark = "!"
			}
			got = append(got, fmt.Sprintf("%d%s %s", c.Line, mark, c.What))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func TestNextVersion(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{"2.1.0": "2.1.1", "0.0.9": "0.0.10", "2.1": "", "2.1.0-rc": "", "v2.1.0": "", "": "", "1.-1.0": ""} {
		if got, ok := NextVersion(version); got != want || ok != (want != "") {
			t.Errorf("%s: %q %v", version, got, ok)
		}
	}
}

func TestParseProposal(t *testing.T) {
	t.Parallel()
	const front = "---\nproposal-id: 20260502-ask-less-1a2b\ntype: evolve\nreason: asked too often\n---\n"
	for name, c := range map[string]struct {
		src, want string
		problems  []string
	}{
		"fields":   {front + "# P\n\n**Target**: skills/x/SKILL.md\n- Old rule: ask 3 times\n- **New:** ask 4 times\n", "skills/x/SKILL.md|ask 3 times|ask 4 times", nil},
		"headings": {front + "Target: skills/x/SKILL.md\n\n## Old Rule\n\n```yaml\nvalue: 3\n```\n\n## New Rule\nvalue: 4\n", "skills/x/SKILL.md|value: 3|value: 4", nil},
		"short id": {strings.Replace(front, "20260502-ask-less-1a2b", "20260502-001", 1) + "target: a\nold: b\n", "", []string{"1 the new rule is missing"}},
		"nothing":  {"", "", []string{"1 it has no frontmatter", "1 the target is missing", "1 the old rule is missing", "1 the new rule is missing"}},
		"bad": {
			"---\nproposal-id: x\ntype: evolve\n---\n- Target: a\n- Old: b\n- New: c\n", "a|b|c",
			[]string{"1 'reason' is missing", "2 the id is neither YYYYMMDD-<words>-<hex> nor YYYYMMDD-NNN"},
		},
	} {
		p := ParseProposal([]byte(c.src))
		var got []string
		for _, b := range p.Problems {
			got = append(got, fmt.Sprintf("%d %s", b.Line, b.What))
		}
		if parts := p.Target + "|" + p.Old + "|" + p.New; c.want != "" && parts != c.want || !slices.Equal(got, c.problems) {
			t.Errorf("%s: %s %q", name, parts, got)
		}
	}
}

func FuzzParams(f *testing.F) {
	f.Add([]byte(evolving))
	f.Add([]byte("# learning\r\n~~~claw-params\r\n- name: a\r\n  value: 'x' # y\r\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 4096 {
			return
		}
		params, _ := Params(src)
		for _, p := range params {
			if p.from < 0 || p.to < p.from || p.to > len(src) || bytes.Count(src[:p.from], []byte("\n")) != p.Line-1 {
				t.Fatalf("%+v of %q", p, src)
			}
		}
		if len(params) > 0 {
			out, _ := SetParam(src, params[0].Name, "42")
			if again, _ := Params(out); len(again) != len(params) || again[0].Value != "42" {
				t.Fatalf("%q became %q, %+v", src, out, again)
			}
		}
		if c := Changes(src, src); c != nil {
			t.Fatalf("%q differs from itself: %+v", src, c)
		}
		ParseProposal(src)
	})
}
