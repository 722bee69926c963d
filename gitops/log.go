package gitops

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// LogOptions selects history. The zero value is all of HEAD's, newest first.
type LogOptions struct {
	Revs        []string // revisions or ranges, HEAD when empty
	Since       string   // git's --since
	Until       string   // git's --until
	Max         int      // 0: no limit
	Paths       []string // literal paths from the top level
	WithPaths   bool     // fill Commit.Paths (against the first parent)
	FirstParent bool
	NoWalk      bool   // Revs alone, not their history
	Grep        string // fixed string that the message must contain
	OrGrep      string // or this one; counts only beside Grep
	// Without are fixed strings none of which a message may contain; not beside Grep.
	Without []string
}

// logFormat has logFields fields, each ended by NUL.
const (
	logFormat = "%H%x00%T%x00%P%x00%an%x00%ae%x00%ad%x00%cn%x00%ce%x00%cd%x00%s%x00%b%x00%(trailers:only,unfold)%x00"
	logFields = 12
)

// Log yields commits as git finds them. A repository without commits yields
// none. Stopping early ends the git process.
func (r *Repo) Log(ctx context.Context, opt LogOptions) iter.Seq2[Commit, error] {
	return func(yield func(Commit, error) bool) {
		out, stop, err := r.Git.stream(ctx, r.here(Cmd{Args: logArgs(opt)}))
		if err != nil {
			yield(Commit{}, err)
			return
		}
		p := logParser{in: bufio.NewReaderSize(out, 64<<10)}
		for {
			c, err := p.next(opt.WithPaths)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				_ = stop(true)
				yield(Commit{}, fmt.Errorf("read log: %w", err))
				return
			}
			if !yield(c, nil) {
				_ = stop(true)
				return
			}
		}
		if err := stop(false); err != nil && !unborn(err) {
			yield(Commit{}, err)
		}
	}
}

// unborn recognises git's complaint about a branch without commits.
func unborn(err error) bool {
	var ge *GitError
	return errors.As(err, &ge) && (strings.Contains(ge.Stderr, "does not have any commits yet") ||
		strings.Contains(ge.Stderr, "bad default revision 'HEAD'") || strings.Contains(ge.Stderr, "unknown revision") && strings.Contains(ge.Stderr, "'HEAD'"))
}

func logArgs(opt LogOptions) []string {
	args := append(slices.Clone(trailerRules),
		"log", "-z", "--format="+logFormat, "--date=raw", "--encoding=UTF-8",
		"--no-show-signature", "--no-notes", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", "--no-follow",
	)
	if opt.Max > 0 {
		args = append(args, "-n", strconv.Itoa(opt.Max))
	}
	if opt.Since != "" {
		args = append(args, "--since="+opt.Since)
	}
	if opt.Until != "" {
		args = append(args, "--until="+opt.Until)
	}
	if opt.NoWalk {
		args = append(args, "--no-walk=unsorted")
	}
	if opt.FirstParent {
		args = append(args, "--first-parent")
	}
	if opt.Grep != "" {
		args = append(args, "--fixed-strings", "--grep="+opt.Grep)
		if opt.OrGrep != "" {
			args = append(args, "--grep="+opt.OrGrep)
		}
	}
	if opt.Grep == "" && len(opt.Without) > 0 {
		args = append(args, "--fixed-strings", "--invert-grep")
		for _, w := range opt.Without {
			args = append(args, "--grep="+w)
		}
	}
	if opt.WithPaths {
		args = append(args, "--raw", "--no-abbrev", "--diff-merges=first-parent", "--root")
	}
	args = append(args, "--end-of-options")
	args = append(args, opt.Revs...)
	args = append(args, "--")
	return append(args, opt.Paths...)
}

type logParser struct{ in *bufio.Reader }

// next reads one commit. With -z git puts a NUL between commits, and before raw
// records a newline or a NUL; ids are hexadecimal and raw records begin with
// ':', so the two cannot be taken for each other.
func (p *logParser) next(paths bool) (Commit, error) {
	var f [logFields]string
	for {
		b, err := p.in.Peek(1)
		if err != nil {
			return Commit{}, io.EOF
		}
		if b[0] != 0 && b[0] != '\n' {
			break
		}
		_, _ = p.in.Discard(1)
	}
	for i := range f {
		s, err := p.in.ReadString(0)
		if err != nil {
			if i == 0 && s == "" {
				return Commit{}, io.EOF
			}
			return Commit{}, io.ErrUnexpectedEOF
		}
		f[i] = s[:len(s)-1]
	}
	c, err := commitFromFields(f)
	if err != nil || !paths {
		return c, err
	}
	for {
		path, ok, err := p.rawRecord()
		if err != nil || !ok {
			return c, err
		}
		c.Paths = append(c.Paths, path)
	}
}

// rawRecord reads `:<modes> <ids> <letter> NUL <path> NUL`, if one follows.
func (p *logParser) rawRecord() (string, bool, error) {
	skip := 0
	for {
		b, err := p.in.Peek(skip + 1)
		if err != nil {
			return "", false, nil
		}
		if c := b[skip]; c == ':' {
			break
		} else if c != 0 && c != '\n' || skip > 2 {
			return "", false, nil
		}
		skip++
	}
	_, _ = p.in.Discard(skip)
	if _, err := p.in.ReadBytes(0); err != nil {
		return "", false, io.ErrUnexpectedEOF
	}
	path, err := p.in.ReadString(0)
	if err != nil {
		return "", false, io.ErrUnexpectedEOF
	}
	return path[:len(path)-1], true, nil
}

func commitFromFields(f [logFields]string) (Commit, error) {
	id, err := ParseID(f[0])
	if err != nil {
		return Commit{}, err
	}
	tree, err := ParseID(f[1])
	if err != nil {
		return Commit{}, err
	}
	c := Commit{
		ID: id, Tree: tree,
		Author:    Ident{Name: f[3], Email: f[4], When: parseWhen(f[5])},
		Committer: Ident{Name: f[6], Email: f[7], When: parseWhen(f[8])},
		Subject:   f[9], Body: f[10], Trailers: parseTrailers(f[11]),
	}
	for p := range strings.FieldsSeq(f[2]) {
		pid, err := ParseID(p)
		if err != nil {
			return Commit{}, err
		}
		c.Parents = append(c.Parents, pid)
	}
	return c, nil
}

// Show returns one commit with its trailers and paths.
func (r *Repo) Show(ctx context.Context, rev string) (Commit, error) {
	id, err := r.Resolve(ctx, rev)
	if err != nil {
		return Commit{}, err
	}
	for c, err := range r.Log(ctx, LogOptions{Revs: []string{id.String()}, Max: 1, WithPaths: true}) {
		return c, err
	}
	return Commit{}, &RevError{Rev: rev}
}

// Blame says where one line comes from.
type Blame struct {
	Commit   ID // zero: the line is not committed yet
	OrigPath string
	OrigLine int // 1-based
	Text     string
}

// BlameLine blames a line (1-based) of a path in rev, or in the work tree when
// rev is empty. Moves inside the file are followed. Commits that the user's
// blame.ignoreRevsFile passes over are named like others: the question is who
// wrote the line.
func (r *Repo) BlameLine(ctx context.Context, rev, path string, line int) (Blame, error) {
	n := strconv.Itoa(line)
	args := []string{"blame", "--porcelain", "--no-textconv", "-M", "-C", "-L", n + "," + n, "--ignore-revs-file="}
	if rev != "" {
		id, err := r.Resolve(ctx, rev) // git blame knows no --end-of-options
		if err != nil {
			return Blame{}, err
		}
		args = append(args, id.String())
	}
	out, err := r.run(ctx, Cmd{Args: append(append(args, "--"), path)})
	if err != nil {
		return Blame{}, fmt.Errorf("blame '%s': %w", path, err)
	}
	return parseBlame(out)
}

func parseBlame(out []byte) (Blame, error) {
	var b Blame
	for i := 0; len(out) > 0; i++ {
		line, rest, _ := bytes.Cut(out, []byte{'\n'})
		out = rest
		s := string(line)
		switch {
		case i == 0:
			f := strings.Fields(s)
			if len(f) < 3 {
				return b, fmt.Errorf("read blame: unexpected '%.80s'", s)
			}
			var err error
			if b.Commit, err = ParseID(f[0]); err != nil {
				return b, err
			}
			if b.OrigLine, err = strconv.Atoi(f[1]); err != nil {
				return b, err
			}
		case s != "" && s[0] == '\t':
			b.Text = s[1:]
		case strings.HasPrefix(s, "filename "):
			b.OrigPath = unquote(s[len("filename "):])
		}
	}
	return b, nil
}

// unquote undoes git's C-style quoting of unusual paths.
func unquote(s string) string {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return s
	}
	if u, err := strconv.Unquote(s); err == nil {
		return u
	}
	return s
}
