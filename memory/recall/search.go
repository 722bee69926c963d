package recall

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/index"
	"github.com/git-claw/git-claw/memory/lexical"
)

// Options of a search.
type Options struct {
	Query   string
	Limit   int         // most results; 0: claw.recall.maxResults
	Tier    memory.Tier // "" the default, "all" everything
	Private bool        // leave out MEMORY.md, USER.md and preferences (SPEC RC-05)
	Since   time.Time   // leave out what was last changed before
	// Changed are the paths, from the top level, that commits after a revision touched;
	// others are left out. nil: any.
	Changed map[string]bool
	Now     time.Time
	Read    Reader
	// Flagged names the lines of a note, from 1, that a snippet must not show; nil: none.
	Flagged func(note []byte) map[int]bool
	// Semantic adds what is near in meaning; nil: words alone.
	Semantic *Semantic
	// Keep has the last word on a result that is saved, before it takes a place among
	// the results; nil: all stay.
	Keep func(*Result) (bool, error)
	// Unread is told how many notes a query without words was not looked for in,
	// because there are too many; nil: nobody is told.
	Unread func(notes int)
	// Absent is told the exact words that no chunk holds, Weaker how many chunks were
	// left out for their score.
	Absent func(words []string)
	Weaker func(chunks int)
}

// All searches every tier.
const All memory.Tier = "all"

// Parts are what a score is made of.
type Parts struct {
	Text   float64 `json:"text"`   // the words' score over the best one's, 0 to 1
	Vector float64 `json:"vector"` // cosine; 0 without an embedder
	Path   float64 `json:"path"`   // 1: a word stands in the note's path, or its day was named
	Decay  float64 `json:"decay"`  // factor of age; 1 unless claw.recall.decay is on
	Exact  bool    `json:"exact"`  // holds an exact or rare word
}

// Result is a chunk that answers.
type Result struct {
	Path     string
	From, To int // lines
	Commit   gitops.ID
	Blob     gitops.ID // content that From and To count in
	Date     string    // YYYY-MM-DD, "" not known
	Dated    bool      // the note names its date; else it is that of the commit
	Tier     memory.Tier
	Score    float64
	Parts    Parts
	Snippet  string
	Line     int // the one that matches best
	Unsaved  bool
	ID       string

	joined bool // another chunk was taken in
}

// candidates bounds how many chunks are looked at more closely: four times what
// claw.recall.candidates says, for those that overlap become one answer. After a date
// there is no bound: all that fits best may be older.
func candidates(ws *memory.Workspace, opt Options) int {
	if !opt.Since.IsZero() || opt.Changed != nil {
		return 0
	}
	return 4 * max(int(ws.Settings.Int("recall.candidates")), opt.Limit, 1)
}

// Search ranks the chunks of a snapshot.
func Search(ctx context.Context, ws *memory.Workspace, snap *index.Snapshot, opt Options) ([]Result, error) {
	a := lexical.NewAnalyser()
	q := lexical.Query{
		Words: a.ParseWords(opt.Query), Days: dates(opt.Query, opt.Now),
		Weights: lexical.DefaultWeights(), Limit: candidates(ws, opt),
	}
	scope(&q, opt)
	found, err := snap.View.Search(q)
	if err != nil {
		return nil, err
	}
	r := &ranking{ws: ws, snap: snap, opt: opt, words: q.Words, days: q.Days, marker: newMarker(a, q.Words), notes: map[[2]int]index.Note{}}
	r.settings()
	if len(found.Hits) == 0 && wordless(a, opt.Query, q.Days) {
		r.literal = newLiteral(opt.Query)
		r.marker.literal = r.literal
	}
	if err := r.rank(found); err != nil {
		return nil, err
	}
	if len(r.list) > 0 {
		r.tellAbsent(found.Chunks)
	}
	if ws.Settings.Bool("recall.mmr") {
		r.diversify(a, share(ws.Settings.Float("recall.mmrLambda"), 0.7))
	}
	return r.results(ctx)
}

func scope(q *lexical.Query, opt Options) {
	switch opt.Tier {
	case All:
	case "":
		q.Without = append(q.Without, index.AttrTier(memory.TierScratch), index.AttrPrefs)
	default:
		q.With = append(q.With, index.AttrTier(opt.Tier))
	}
	if opt.Private {
		q.Without = append(q.Without, index.AttrPrivate)
	}
}

// ranking orders the hits of one search.
type ranking struct {
	ws     *memory.Workspace
	snap   *index.Snapshot
	opt    Options
	words  []lexical.Word
	days   []lexical.Day
	marker *marker
	rare   int
	min    float64
	decay  bool
	half   float64 // days
	chars  int
	list   []ranked
	notes  map[[2]int]index.Note

	literal *literal // what is looked for as it is typed; nil: nothing
	err     error    // of ordered
}

type ranked struct {
	hit   lexical.Hit
	note  index.Note
	entry *index.Entry
	piece index.Piece
	date  string
	dated bool // by the note itself
	score float64
	parts Parts
}

func (r *ranking) settings() {
	s := r.ws.Settings
	r.rare = int(s.Int("recall.rareChunks"))
	if r.opt.Limit <= 0 { // who asks for a number of results gets it
		r.opt.Limit, r.min = max(int(s.Int("recall.maxResults")), 1), min(s.Float("recall.minScore"), 1)
	}
	r.decay, r.half = s.Bool("recall.decay"), float64(max(s.Int("recall.halfLifeDays"), 1))
	r.chars = min(max(int(s.Int("recall.snippetChars")), 40), 700)
}

// rank fills the list, best first. Chunks with an exact or rare word come before
// all others and do not age (SPEC RC-21); equal ones by date, path and line.
func (r *ranking) rank(found lexical.Result) error {
	var exact uint64
	for i, w := range r.words {
		if i < 64 && (w.Exact && r.tellsApart(w, found.Chunks[i]) || r.isRare(found.Chunks[i])) {
			exact |= 1 << i
		}
	}
	for i, n := range found.Chunks[len(r.words):] {
		if at := len(r.words) + i; at < 64 && r.days[i].Complete() && r.tellsApart(lexical.Word{}, n) {
			exact |= 1 << at
		}
	}
	best := 0.0
	for _, h := range found.Hits {
		best = max(best, h.Score)
	}
	hits, cos := found.Hits, map[lexical.Hit]float64(nil)
	if r.opt.Semantic != nil {
		var err error
		if hits, cos, err = r.addNear(hits); err != nil {
			return err
		}
	}
	for _, h := range hits {
		n, err := r.note(h)
		if err != nil {
			return err
		}
		if h.Chunk >= len(n.Pieces) {
			return &index.DamagedError{Name: n.Path, Reason: "more chunks than it has"}
		}
		x := ranked{hit: h, note: n, piece: n.Pieces[h.Chunk]}
		held := h.Held & exact
		if held != 0 {
			held = r.verify(held, &x)
		}
		x.parts = Parts{Decay: 1, Exact: held != 0, Path: float64(boolInt(h.Named))}
		if best > 0 {
			x.parts.Text = h.Score / best
		}
		if r.weigh(&x) {
			r.list = append(r.list, x)
		}
	}
	if r.opt.Semantic != nil {
		r.fuse(cos)
	}
	slices.SortFunc(r.list, func(a, b ranked) int {
		return cmp.Or(
			-cmp.Compare(boolInt(a.parts.Exact), boolInt(b.parts.Exact)),
			cmp.Compare(b.score, a.score), cmp.Compare(b.date, a.date),
			cmp.Compare(a.note.Path, b.note.Path), cmp.Compare(a.piece.Start, b.piece.Start))
	})
	return nil
}

// note reads what is stored of a hit's note, once.
func (r *ranking) note(h lexical.Hit) (index.Note, error) {
	at := [2]int{h.Part, int(h.File)}
	if n, ok := r.notes[at]; ok {
		return n, nil
	}
	stored, err := r.snap.View.Stored(h)
	if err != nil {
		return index.Note{}, err
	}
	n, err := index.DecodeNote(stored)
	if err == nil {
		r.notes[at] = n
	}
	return n, err
}

// wanted reports whether a note is in the scope of the search; as the attributes
// in scope do for words.
func (r *ranking) wanted(rel string) bool {
	tier := r.ws.TierOf(rel)
	switch {
	case r.opt.Private && r.ws.Private(rel):
		return false
	case r.opt.Tier == All:
		return true
	case r.opt.Tier == "":
		return tier != memory.TierScratch && !r.ws.Preferences(rel)
	}
	return tier == r.opt.Tier
}

// tellsApart: a year or a number that a tenth of all chunks hold identifies nothing,
// and would push aside what fits the rest of the query. What is quoted is meant.
func (r *ranking) tellsApart(w lexical.Word, chunks int) bool {
	return w.Quoted || chunks <= max(r.opt.Limit, r.snap.View.Totals().Chunks/10)
}

// isRare: in a handful of notes every word is rare, which says nothing.
func (r *ranking) isRare(chunks int) bool {
	return chunks > 0 && chunks <= r.rare && r.snap.View.Totals().Chunks >= 100*r.rare
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// weigh completes a candidate; false leaves it out.
func (r *ranking) weigh(x *ranked) bool {
	e, ok := r.snap.Entries.Get(x.note.Path)
	if !ok {
		return false
	}
	x.entry = e
	x.date, x.dated = dateOf(x.note, x.piece, e)
	if !e.Unsaved() && (e.Date().Before(r.opt.Since) || r.opt.Changed != nil && !r.opt.Changed[r.ws.Prefix+e.Path]) {
		return false
	}
	if x.note.Dump && !x.parts.Exact {
		x.parts.Text /= 2 // SPEC RC-24
	}
	if r.decay && !x.parts.Exact && x.date != "" && r.ws.TierOf(x.note.Path) != memory.TierHot {
		if day, err := time.Parse(time.DateOnly, x.date); err == nil {
			age := r.opt.Now.Sub(day).Hours() / 24
			x.parts.Decay = math.Exp2(-max(age, 0) / r.half)
		}
	}
	x.score = x.parts.Text * x.parts.Decay
	return true
}

// dateOf is the date of a chunk: what its note says, else when that was committed.
func dateOf(n index.Note, p index.Piece, e *index.Entry) (date string, dated bool) {
	if day := cmp.Or(p.Day, n.Day); day != "" || e.When == 0 {
		return day, day != ""
	}
	return e.Date().Format(time.DateOnly), false
}

func (r *ranking) result(x *ranked) Result {
	res := Result{
		Path: x.note.Path, From: x.piece.From, To: x.piece.To, Blob: x.note.Blob, Date: x.date, Dated: x.dated,
		Tier: r.ws.TierOf(x.note.Path), Score: x.score, Parts: x.parts, Unsaved: x.entry.Unsaved(),
		ID: chunkID(x.note.Path, x.piece),
	}
	if !res.Unsaved {
		res.Commit = x.entry.Commit
	}
	return res
}

// quote gives a result its snippet.
func (r *ranking) quote(res *Result, x *ranked) {
	content, err := r.opt.Read(x.note.Path, x.note.Blob)
	if err != nil || x.piece.End > len(content) || x.piece.Start > x.piece.End {
		return
	}
	var flagged map[int]bool
	if r.opt.Flagged != nil {
		flagged = r.opt.Flagged(content)
	}
	res.Snippet, res.Line = r.marker.snippet(content[x.piece.Start:x.piece.End], x.piece.From, r.chars, flagged)
}
