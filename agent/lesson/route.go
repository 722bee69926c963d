package lesson

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/breadcrumb"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/header"
	"github.com/git-claw/git-claw/memory/hot"
	"github.com/git-claw/git-claw/memory/lessons"
	"github.com/git-claw/git-claw/memory/section"
)

// Homes of what was learned (SPEC OM-15, LR-15).
const (
	procedural     = "memory/procedural/"
	lessonsLearned = procedural + "lessons-learned.md"
	semantic       = "memory/semantic/"
	infrastructure = semantic + "infrastructure.md"
)

// sections are where a file keeps lessons, when it has one of them; the first is made
// where it has none.
var sections = []string{"Lessons", "Lessons learned", "Learned", "Pitfalls"}

// target is where a lesson goes: a file, a section of it, and the text with the lesson.
type target struct {
	path, anchor string
	text         []byte // nil: it stands there already
}

func (t target) String() string { return t.path + "#" + t.anchor }

// router finds the home of a lesson.
type router struct {
	ws   *memory.Workspace
	all  []at // the lessons of the workspace
	read func(rel string) ([]byte, bool, error)
}

// at is a lesson and where it stands.
type at struct {
	path string
	*lessons.Entry
}

// route decides where a lesson goes and writes it there. said is a file, which may have
// `#anchor` behind it, or "" for the home that the layout has for it.
func (r *router) route(ctx context.Context, l at, said string) (target, error) {
	rel, anchor, _ := strings.Cut(said, "#")
	topic := topicOf(l.Entry)
	if rel == "" {
		if known, err := r.known(ctx, l); err != nil || known.path != "" {
			return known, err
		}
		var err error
		if rel, err = r.home(l, topic); err != nil {
			return target{}, err
		}
	}
	if err := r.check(rel); err != nil {
		return target{}, err
	}
	text, there, err := r.read(rel)
	if err != nil {
		return target{}, err
	}
	if !there {
		if anchor != "" {
			return target{}, noSection(rel, anchor)
		}
		if text, err = r.fresh(rel, topic); err != nil {
			return target{}, err
		}
	}
	return r.place(l, rel, anchor, topic, text)
}

// place writes a lesson into the section of a text.
func (r *router) place(l at, rel, anchor, topic string, text []byte) (target, error) {
	d := doc.Parse(text)
	var i int
	titles := sections
	if rel == lessonsLearned && topic != "" {
		titles = []string{topic}
	}
	if anchor != "" {
		if i = section.ByAnchor(d, anchor); i == section.None {
			return target{}, noSection(rel, anchor)
		}
	} else {
		i = section.ByTitle(d, titles...)
	}
	if holds(d, l.Text) {
		// Which section it is in is no matter; the file has it.
		if i == section.None {
			i = max(slices.IndexFunc(d.Entries, func(e doc.Entry) bool { return e.Kind == doc.Heading }), 0)
		}
		return target{path: rel, anchor: section.Anchor(d, i)}, nil
	}
	line := []string{"- " + l.Text}
	t := target{path: rel}
	if i == section.None {
		t.text, t.anchor = section.New(text, titles[0], line)
	} else {
		t.text, t.anchor = section.Add(d, i, line), section.Anchor(d, i)
	}
	if rel == hot.Path {
		t.text = header.SetUpdated(t.text, r.ws.Now().Format("2006-01-02"))
		if why := hot.TooLong(r.ws, t.text); why != "" {
			return t, &agent.RefusedError{Problem: fmt.Sprintf("'%s' would be too long: %s", rel, why), Advice: []string{"git claw trim " + rel}}
		}
	}
	if most := r.ws.Settings.Int("breadcrumb.maxBytes"); breadcrumb.Is(rel) && int64(len(t.text)) > most {
		return t, &agent.RefusedError{
			Problem: fmt.Sprintf("'%s' would be too long: a breadcrumb has at most %d bytes", rel, most),
			Advice:  []string{"name another file with '--to <file>'"},
		}
	}
	return t, nil
}

// holds reports whether a text has a lesson as an entry of its own.
func holds(d *doc.Doc, text string) bool {
	want := doc.Normalise(text)
	for i := range d.Entries {
		if e := &d.Entries[i]; e.Kind == doc.Item || e.Kind == doc.Paragraph {
			if doc.Normalise(strings.TrimLeft(string(e.OwnText()), "-*+ \t")) == want {
				return true
			}
		}
	}
	return false
}

// known finds the file that says what the lesson says already: a fact has one home (SPEC
// OM-15).
func (r *router) known(ctx context.Context, l at) (target, error) {
	files, err := r.homes(ctx)
	if err != nil {
		return target{}, err
	}
	for _, rel := range files {
		text, _, err := r.read(rel)
		if err != nil {
			return target{}, err
		}
		if d := doc.Parse(text); holds(d, l.Text) {
			return r.place(l, rel, "", "", text)
		}
	}
	return target{}, nil
}

// homes lists MEMORY.md and the WARM notes of HEAD.
func (r *router) homes(ctx context.Context) ([]string, error) {
	files, err := r.ws.Repo.ListFiles(ctx, r.ws.Prefix+hot.Path, r.ws.Prefix+semantic, r.ws.Prefix+procedural)
	if err != nil {
		return nil, err
	}
	for i := range files {
		files[i] = strings.TrimPrefix(files[i], r.ws.Prefix)
	}
	return slices.DeleteFunc(files, func(rel string) bool { return !strings.HasSuffix(rel, ".md") }), nil
}

// topicOf is the area of what a lesson is about, "" where it does not say.
func topicOf(e *lessons.Entry) string {
	area, _, _ := strings.Cut(e.Key, ".")
	if lessons.KeyProblem(area+".x") != "" {
		return ""
	}
	return area
}

var address = regexp.MustCompile(`\b\d{1,3}(\.\d{1,3}){3}:\d{1,5}\b`)

// home is where the layout keeps such a lesson (SPEC LR-15).
func (r *router) home(l at, topic string) (string, error) {
	if !r.ws.Profiles.Has(memory.OpenClawMemory) {
		return hot.Path, nil
	}
	if address.MatchString(l.Text) {
		return infrastructure, nil
	}
	if topic == "" {
		return lessonsLearned, nil
	}
	own := procedural + topic + ".md"
	if _, ok, err := r.read(own); err != nil || ok {
		return own, err
	}
	before := 0
	for _, other := range r.all {
		if to, _, _ := strings.Cut(other.To, "#"); other.Status == lessons.Promoted && to == lessonsLearned && topicOf(other.Entry) == topic {
			before++
		}
	}
	if most := r.ws.Settings.Int("promote.newTopicAfter"); most > 0 && int64(before) >= most {
		return own, nil
	}
	return lessonsLearned, nil
}

// check refuses files that are no home of what holds for good.
func (r *router) check(rel string) error {
	if rel != path.Clean(rel) || strings.HasPrefix(rel, "../") || path.IsAbs(rel) || !strings.HasSuffix(rel, ".md") {
		return &agent.UsageError{Problem: fmt.Sprintf("'%s' is no Markdown file of the workspace", rel), Hint: "name it from the root, such as memory/procedural/deps.md"}
	}
	switch r.ws.Kind(rel) {
	case memory.KindL1, memory.KindMemory, memory.KindNote, memory.KindReference:
		return nil
	case memory.KindDaily, memory.KindLesson:
		return &agent.RefusedError{Problem: fmt.Sprintf("'%s' is no place for what holds for good", rel), Advice: []string{"name another file with '--to <file>'"}}
	}
	return &agent.RefusedError{Problem: fmt.Sprintf("a lesson cannot be promoted to '%s'", rel), Advice: []string{"name a rule file, MEMORY.md or a note with '--to <file>'"}}
}

// fresh is the text of a new file without the lesson.
func (r *router) fresh(rel, topic string) ([]byte, error) {
	title := strings.TrimSuffix(path.Base(rel), ".md")
	if !strings.HasPrefix(rel, semantic) && !strings.HasPrefix(rel, procedural) {
		return []byte("# " + title + "\n"), nil
	}
	list, _, err := r.read(header.VocabularyPath)
	if err != nil {
		return nil, err
	}
	var tags []string
	if header.ValidTag(topic) {
		tags = append(tags, topic)
	}
	tags = append(tags, "errors", "fixes")
	if rel == infrastructure {
		tags = []string{"networking", "gateway"}
	}
	words := strings.ReplaceAll(title, "-", " ")
	return header.NewWarm(strings.ToUpper(words[:1])+words[1:], header.ParseVocabulary(list).Pick(tags...), r.ws.Now().Format("2006-01-02")), nil
}

func noSection(rel, anchor string) error {
	return &agent.RefusedError{
		Problem: fmt.Sprintf("'%s' has no section '#%s'", rel, anchor),
		Advice:  []string{fmt.Sprintf("leave '#%s' out, and the lesson goes to a section '%s'", anchor, sections[0])},
	}
}

// reader reads files as a commit has them, each once.
func reader(ctx context.Context, ws *memory.Workspace, commit gitops.ID) func(rel string) ([]byte, bool, error) {
	type file struct {
		text []byte
		ok   bool
	}
	read := map[string]file{}
	return func(rel string) ([]byte, bool, error) {
		if f, ok := read[rel]; ok {
			return f.text, f.ok, nil
		}
		text, ok, err := proposal.ReadAt(ctx, ws, commit, rel)
		if err == nil {
			read[rel] = file{text, ok}
		}
		return text, ok, err
	}
}
