package gitops

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Repo is a repository as git sees it from one directory.
type Repo struct {
	Git          *Git
	TopLevel     string // absolute path of the work tree, empty when Bare
	GitDir       string // absolute; one for each linked worktree
	CommonDir    string // absolute; shared by linked worktrees
	Bare         bool
	ObjectFormat string // "sha1" or "sha256"
	RefFormat    string // "files" or "reftable"
	InHook       bool   // a hook of a running commit started us: read only
	Prefix       string // where dir lies below TopLevel, "" or ending in a slash

	// Unite merges a file that was edited while it was replaced; nil: git does, as text.
	Unite Unite

	objects *Objects
	where   []string // environment that leads git here when the directory alone does not

	configMu sync.Mutex
	config   *Config

	early  atomic.Pointer[chan *loadedIndex] // see readAhead
	loaded atomic.Pointer[loadedIndex]       // as somebody looked at it last

	stale atomic.Bool // see Refresh

	noRecovery bool   // only to show that the crash tests see the difference
	boot       string // only for tests: stands for the start of the machine
}

// Open finds the repository that holds dir the way git does, ownership checks,
// linked worktrees and GIT_DIR included.
func Open(ctx context.Context, g *Git, dir string) (*Repo, error) {
	if r, ok := discover(ctx, g, dir); ok {
		return r, nil
	}
	return ask(ctx, g, dir)
}

// ask finds the repository through git.
func ask(ctx context.Context, g *Git, dir string) (*Repo, error) {
	// --show-toplevel comes last: it fails in a bare repository, after the
	// answers before it were printed. A git that does not know an option
	// prints it back.
	opts := []string{
		"--is-bare-repository", "--show-object-format", "--show-ref-format",
		"--absolute-git-dir", "--git-common-dir", "--show-prefix", "--show-toplevel",
	}
	out, err := g.Run(ctx, Cmd{Dir: dir, Args: append(slices.Clone(revParse), opts...)})
	if inside := inGitDir(g, dir); implicitBare(err) && (inside || !enclosed(g, dir)) {
		// A bare repository by itself, which somebody went into, or git's own
		// directory, which no clone can bring.
		args := append([]string{"-c", "safe.bareRepository=all"}, revParse...)
		out, err = g.Run(ctx, Cmd{Dir: dir, Args: append(args, opts...)})
		if err == nil && !inside {
			return nil, ErrNotRepository // it claims a work tree elsewhere
		}
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if err != nil && (len(lines) < 6 || lines[0] != "true") {
		return nil, discoverError(err, dir)
	}
	if err == nil && len(lines) != 7 {
		// A directory with a newline in its name; ask for one thing at a time.
		if lines, err = askEach(ctx, g, dir, opts); err != nil {
			return nil, discoverError(err, dir)
		}
	}
	r := &Repo{Git: g, Bare: lines[0] == "true", ObjectFormat: lines[1], RefFormat: "files", GitDir: lines[3]}
	if lines[2] == "reftable" {
		r.RefFormat = "reftable"
	}
	r.CommonDir = filepath.FromSlash(lines[4])
	if !r.Bare {
		r.Prefix = lines[5]
		r.TopLevel = filepath.FromSlash(lines[6])
	}
	r.GitDir = filepath.FromSlash(r.GitDir)
	r.InHook = g.env.Getenv("GIT_INDEX_FILE") != "" || g.env.Getenv(SavingVariable) != ""
	r.objects = &Objects{repo: r}
	if r.Bare {
		r.where = []string{"GIT_DIR=" + r.GitDir}
	}
	if !r.Bare && g.env.Getenv("GIT_DIR") == "" {
		if _, err := os.Lstat(filepath.Join(r.TopLevel, ".git")); err != nil {
			// core.worktree names a directory from which git does not find back.
			r.where = []string{"GIT_DIR=" + r.GitDir, "GIT_WORK_TREE=" + r.TopLevel}
		}
	}
	return r, nil
}

// implicitBare recognises git's refusal of a bare repository nobody pointed it to.
func implicitBare(err error) bool {
	var ge *GitError
	return errors.As(err, &ge) && strings.Contains(ge.Stderr, "cannot use bare repository")
}

// inGitDir reports whether a directory lies in one named `.git`; git tracks no file
// there.
func inGitDir(g *Git, dir string) bool {
	if dir == "" {
		dir = g.env.Dir
	}
	real, err := filepath.EvalSymlinks(dir)
	return err == nil && strings.Contains(filepath.ToSlash(real)+"/", "/.git/")
}

// enclosed reports whether a directory lies in a work tree: what looks like a
// repository there came with the files of another one.
func enclosed(g *Git, dir string) bool {
	if dir == "" {
		dir = g.env.Dir
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return true
	}
	for {
		if _, err := os.Lstat(filepath.Join(real, ".git")); err == nil {
			return true
		}
		parent := filepath.Dir(real)
		if parent == real {
			return false
		}
		real = parent
	}
}

// revParse asks for paths that do not depend on the directory it runs in.
var revParse = []string{"rev-parse", "--path-format=absolute"}

func askEach(ctx context.Context, g *Git, dir string, opts []string) ([]string, error) {
	lines := make([]string, 0, len(opts))
	for _, o := range opts {
		s, err := g.Line(ctx, Cmd{Dir: dir, Args: append(slices.Clone(revParse), o)})
		if err != nil {
			return nil, err
		}
		lines = append(lines, s)
	}
	return lines, nil
}

// discoverError tells apart the reasons git has for not opening a repository.
func discoverError(err error, dir string) error {
	var ge *GitError
	if !errors.As(err, &ge) {
		return err
	}
	switch {
	case strings.Contains(ge.Stderr, "dubious ownership"):
		path := dir
		if _, rest, ok := strings.Cut(ge.Stderr, "repository at '"); ok {
			path, _, _ = strings.Cut(rest, "'")
		}
		return &DubiousError{Path: path}
	case strings.Contains(ge.Stderr, "not a git repository"), implicitBare(err):
		return ErrNotRepository
	}
	return err
}

// Objects reads the repository's objects.
func (r *Repo) Objects() *Objects { return r.objects }

// Close ends helper processes of the repository.
func (r *Repo) Close() error { return r.objects.Close() }

// Config returns git's configuration, read once.
func (r *Repo) Config(ctx context.Context) (*Config, error) {
	r.configMu.Lock()
	defer r.configMu.Unlock()
	if r.config == nil {
		c, err := r.readConfig(ctx)
		if err != nil {
			return nil, err
		}
		r.config = c
	}
	return r.config, nil
}

// ClawDir is the local state of this worktree; it may not exist.
func (r *Repo) ClawDir() string { return filepath.Join(r.GitDir, "claw") }

// CommonClawDir is the local state shared by all worktrees; it may not exist.
func (r *Repo) CommonClawDir() string { return filepath.Join(r.CommonDir, "claw") }

// run is Git.Run in the work tree (or the git dir of a bare repository).
func (r *Repo) run(ctx context.Context, c Cmd) ([]byte, error) { return r.Git.Run(ctx, r.here(c)) }

// here completes a call so that git finds this repository.
func (r *Repo) here(c Cmd) Cmd {
	if c.Dir == "" {
		c.Dir = r.TopLevel
		if r.Bare {
			c.Dir = r.GitDir
		}
	}
	if len(r.where) > 0 {
		c.Env = append(slices.Clone(r.where), c.Env...)
	}
	return c
}

// Progress names an operation of git that is under way in this worktree and how
// to end it; nil when there is none.
func (r *Repo) Progress() *ProgressError {
	ops := []struct{ file, what, verb string }{
		{"MERGE_HEAD", "merge", "merge"},
		{"rebase-merge", "rebase", "rebase"},
		{"rebase-apply/applying", "patch series", "am"},
		{"rebase-apply", "rebase", "rebase"},
		{"CHERRY_PICK_HEAD", "cherry-pick", "cherry-pick"},
		{"REVERT_HEAD", "revert", "revert"},
	}
	for _, o := range ops {
		if _, err := os.Lstat(filepath.Join(r.GitDir, o.file)); err == nil || r.hasPseudoRef(o.file) {
			return &ProgressError{What: o.what, How: []string{
				"finish it with 'git " + o.verb + " --continue', or drop it with 'git " + o.verb + " --abort'",
			}}
		}
	}
	return nil
}

// hasPseudoRef looks for a ref beside HEAD where refs are not files.
func (r *Repo) hasPseudoRef(name string) bool {
	if r.RefFormat == "files" || name != "CHERRY_PICK_HEAD" && name != "REVERT_HEAD" {
		return false
	}
	_, err := r.run(context.Background(), Cmd{Args: []string{"rev-parse", "-q", "--verify", name}})
	return err == nil
}

// HooksDir is where git looks for hooks (core.hooksPath honoured), absolute.
func (r *Repo) HooksDir(ctx context.Context) (string, error) {
	c, err := r.Config(ctx)
	if err != nil {
		return "", err
	}
	if _, ok := c.Get("core.hookspath"); !ok {
		return filepath.Join(r.CommonDir, "hooks"), nil
	}
	b, err := r.run(ctx, Cmd{Args: []string{"rev-parse", "--git-path", "hooks"}})
	if err != nil {
		return "", err
	}
	p := strings.TrimSuffix(string(b), "\n")
	if !filepath.IsAbs(p) {
		p = filepath.Join(r.TopLevel, p)
	}
	return p, nil
}
