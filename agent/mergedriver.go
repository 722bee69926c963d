package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/merge"
)

// MergeFile is a file that git wants merged, in the words of its merge drivers. Base, Ours and Theirs
// are files, relative to the current directory; the result takes the place of Ours.
type MergeFile struct {
	Base, Ours, Theirs string
	Path               string // from the top of the work tree
	Marker             int    // length of conflict markers
}

// LostMergeError: not even both versions could be written. The file that git takes for the result was
// removed, so that git ends the merge instead of going on with one side.
type LostMergeError struct {
	Path string
	Err  error
}

func (e *LostMergeError) Error() string {
	return fmt.Sprintf("cannot write the merge of '%s': %v", e.Path, e.Err)
}

func (e *LostMergeError) Unwrap() error { return e.Err }

// git's marker length; inside of a merge of merge bases it is larger.
const defaultMarker = 7

// smallestLimit is the lowest value of claw.maxFileBytes, and the size from which on it is asked for.
const smallestLimit = 64 << 10

// mergeDriver merges one file.
type mergeDriver struct {
	git                *gitops.Git
	file               MergeFile
	base, ours, theirs []byte
	merge              func(merge.Input) (merge.Result, error) // a test breaks it
	overruled          []Overruled
}

// MergeDriver merges a file for git and reports whether the result holds conflict markers. Before it
// looks at what the file says it puts both sides between markers into the result, so that whatever ends
// it, git never goes on with one side alone; of a binary file and of JSON one side stays, unmerged. An
// error besides *LostMergeError tells why that is what the result now is.
// overruled are values that both sides set, and of which the result has one.
func MergeDriver(ctx context.Context, git *gitops.Git, f MergeFile) (conflicts bool, overruled []Overruled, err error) {
	d := &mergeDriver{git: git, file: f, merge: merge.Three}
	conflicts, err = d.run(ctx)
	return conflicts, d.overruled, err
}

func (d *mergeDriver) run(ctx context.Context) (bool, error) {
	if d.file.Marker < 1 {
		d.file.Marker = defaultMarker
	}
	if err := d.read(); err != nil {
		return true, err
	}
	if isBinary(d.ours) || isBinary(d.theirs) || isBinary(d.base) {
		return true, nil // as git does: one version stays, and the file is unmerged
	}
	if !d.file.Whole() {
		if err := d.write(bothSides(d.ours, d.theirs, d.file.Marker)); err != nil {
			return true, err
		}
	}
	kind := driverKind(d.git.Env().Dir, d.file.Path)
	large := d.tooLarge(ctx)
	if large {
		kind = merge.Text
	}
	in := merge.Input{Kind: kind, Base: d.base, Ours: d.ours, Theirs: d.theirs, Newer: d.newer(ctx)}
	res, err := d.byKind(in)
	if errors.Is(err, merge.ErrText) {
		conflicts, err := d.asText(ctx)
		if !conflicts || err != nil || kind != merge.Text || large {
			return conflicts, err
		}
		in.Kind = secondKind(d.file.Path)
		if res, err = d.byKind(in); err != nil {
			return true, textOnly(err)
		}
		return false, d.finish(res)
	}
	if err != nil {
		return true, err
	}
	return false, d.finish(res)
}

// Whole reports whether markers would break what reads the file: of JSON that cannot be merged one
// version stays, as of a binary file, and git keeps it unmerged.
func (f MergeFile) Whole() bool { return strings.HasSuffix(f.Path, ".json") }

// finish puts a merge into place.
func (d *mergeDriver) finish(res merge.Result) error {
	if err := d.replace(res.Content); err != nil {
		return err
	}
	d.overruled = sortOverruled(map[string][]merge.Overruled{d.file.Path: res.Overruled})
	if d.file.Marker == defaultMarker { // else it is a base of the merge
		d.tell()
	}
	return nil
}

// tell writes what was overruled for the merge that git makes for us. Where it cannot, git shows our
// warning to nobody, and the merge is as good.
func (d *mergeDriver) tell() {
	for _, kv := range d.git.Env().Environ {
		name, ok := strings.CutPrefix(kv, gitops.MergeToldEnv+"=")
		if !ok || len(d.overruled) == 0 {
			continue
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return
		}
		_, _ = f.Write(encodeOverruled(d.overruled))
		_ = f.Close()
	}
}

// textOnly is the error of a merge by entry where the markers of the text merge are a result as well.
func textOnly(err error) error {
	if errors.Is(err, merge.ErrText) {
		return nil
	}
	return err
}

// byKind merges, and turns a panic into an error.
func (d *mergeDriver) byKind(in merge.Input) (res merge.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("merge '%s': %v", d.file.Path, p)
		}
	}()
	texts, overruled, _ := mendAll(in.Kind, [3][]byte{in.Base, in.Ours, in.Theirs})
	in.Base, in.Ours, in.Theirs = texts[0], texts[1], texts[2]
	res, err = d.merge(in)
	res.Overruled = append(overruled, res.Overruled...)
	return res, err
}

// read reads the three versions. What cannot be read leaves the others, between markers.
func (d *mergeDriver) read() error {
	var first error
	read := func(name string) []byte {
		b, err := os.ReadFile(d.path(name))
		if err == nil {
			return b
		}
		if first == nil {
			first = fmt.Errorf("merge '%s': %w", d.file.Path, err)
		}
		return nil // a part of a file is none
	}
	d.base, d.ours, d.theirs = read(d.file.Base), read(d.file.Ours), read(d.file.Theirs)
	if first == nil || d.file.Whole() && d.ours != nil {
		return first
	}
	if err := d.write(bothSides(d.ours, d.theirs, d.file.Marker)); err != nil {
		return err
	}
	return first
}

func (d *mergeDriver) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(d.git.Env().Dir, name)
}

// write puts the first result into place; when that fails git must not take what is there.
func (d *mergeDriver) write(content []byte) error {
	ours := d.path(d.file.Ours)
	err := gitops.WriteFileAtomic(ours, content, 0o600)
	if err == nil {
		return nil
	}
	if rm := os.Remove(ours); rm != nil && !errors.Is(rm, os.ErrNotExist) {
		err = errors.Join(err, rm)
	}
	return &LostMergeError{Path: d.file.Path, Err: err}
}

// replace puts a better result into the place of the first.
func (d *mergeDriver) replace(content []byte) error {
	if err := gitops.WriteFileAtomic(d.path(d.file.Ours), content, 0o600); err != nil {
		return fmt.Errorf("write the merge of '%s': %w", d.file.Path, err)
	}
	return nil
}

// asText merges as git itself would, with its own program.
func (d *mergeDriver) asText(ctx context.Context) (conflicts bool, err error) {
	f, err := os.CreateTemp(filepath.Dir(d.path(d.file.Ours)), ".merge_ours_*.tmp")
	if err != nil {
		return true, fmt.Errorf("merge '%s': %w", d.file.Path, err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(d.ours)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return true, fmt.Errorf("merge '%s': %w", d.file.Path, err)
	}
	out, err := d.git.Run(ctx, gitops.Cmd{Args: []string{
		"merge-file", "-p", "--marker-size=" + strconv.Itoa(d.file.Marker), "-L", "ours", "-L", "base", "-L", "theirs",
		"--", f.Name(), d.path(d.file.Base), d.path(d.file.Theirs),
	}})
	var ge *gitops.GitError
	if errors.As(err, &ge) && ge.Code > 0 && ge.Code < 128 { // the number of conflicts
		conflicts, err = true, nil
	}
	if err != nil {
		return true, fmt.Errorf("merge '%s': %w", d.file.Path, err)
	}
	if conflicts && d.file.Whole() {
		return true, nil
	}
	return conflicts, d.replace(out)
}

// tooLarge reports whether a version is over claw.maxFileBytes.
func (d *mergeDriver) tooLarge(ctx context.Context) bool {
	size := max(len(d.base), len(d.ours), len(d.theirs))
	if size <= smallestLimit {
		return false
	}
	limit := 4 << 20
	if s, err := d.git.Line(ctx, gitops.Cmd{Args: []string{"config", "--type=int", "--get", "claw.maxFileBytes"}}); err == nil {
		if n, err := strconv.Atoi(s); err == nil {
			limit = n
		}
	}
	return size > limit
}

// newer tells which side was committed last on the path, for values that cannot be united: git names
// the other side in a variable. Where it does not, or merges merge bases, nobody knows.
func (d *mergeDriver) newer(ctx context.Context) func() int {
	return func() int {
		other := ""
		for _, kv := range d.git.Env().Environ {
			if id, ok := strings.CutPrefix(kv, "GITHEAD_"); ok {
				if other != "" {
					return 0
				}
				other, _, _ = strings.Cut(id, "=")
			}
		}
		if other == "" || d.file.Marker != defaultMarker {
			return 0
		}
		when := func(rev string) int64 {
			s, err := d.git.Line(ctx, gitops.Cmd{Args: []string{"log", "-1", "--format=%ct", "--end-of-options", rev, "--", d.file.Path}})
			if err != nil {
				return 0
			}
			n, _ := strconv.ParseInt(s, 10, 64) // nothing: 0
			return n
		}
		ours, theirs := when("HEAD"), when(other)
		switch {
		case ours == 0 || theirs == 0 || ours == theirs:
			return 0
		case ours > theirs:
			return -1
		}
		return 1
	}
}

// bothSides is the whole file with what differs between markers: the lines that both begin and end with
// stand once.
func bothSides(ours, theirs []byte, marker int) []byte {
	a, b := doc.SplitLines(ours), doc.SplitLines(theirs)
	from := 0
	for from < len(a) && from < len(b) && bytes.Equal(a[from], b[from]) {
		from++
	}
	toA, toB := len(a), len(b)
	for toA > from && toB > from && bytes.Equal(a[toA-1], b[toB-1]) {
		toA, toB = toA-1, toB-1
	}
	if from == toA && from == toB {
		return ours
	}
	eol := doc.EOL(ours)
	var out bytes.Buffer
	put := func(lines [][]byte) {
		for _, l := range lines {
			out.Write(l)
		}
		if n := len(lines); n > 0 && !bytes.HasSuffix(lines[n-1], []byte("\n")) {
			out.WriteString(eol)
		}
	}
	line := func(c, label string) { out.WriteString(strings.Repeat(c, marker) + label + eol) }
	put(a[:from])
	line("<", " ours")
	put(a[from:toA])
	line("=", "")
	put(b[from:toB])
	line(">", " theirs")
	for _, l := range a[toA:] {
		out.Write(l)
	}
	return out.Bytes()
}
