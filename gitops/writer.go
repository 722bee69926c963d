package gitops

import (
	"context"
	"time"
)

// Writer makes commits and moves refs. All writers pass one contract suite
// (gitops/gittest). A writer is safe beside other writers of git claw, in this
// and in other processes, and beside plain git.
type Writer interface {
	// Name tells the writers apart: "git", "fast".
	Name() string
	// Commit makes one commit on HEAD from a transaction. Errors a caller can
	// act on: ErrNothing, ErrInHook, ErrBare, *MovedError (look again and
	// retry), *LockedError, *ProgressError, *HookError, *IdentError,
	// *ClashError, *EscapeError, *WorkTreeChangedError, *SparseError. After an
	// error with a zero Result nothing of the user's was changed. An error beside
	// a Result: the commit was made, and a file of the work tree could not follow
	// (*WorkTreeChangedError: it was edited meanwhile and left alone).
	Commit(ctx context.Context, tx Tx) (Result, error)
	// UpdateRefs moves refs in one transaction, each with its old value.
	UpdateRefs(ctx context.Context, ups []RefUpdate, reason string) error
	// Build makes a commit beside HEAD, which no ref names yet.
	Build(ctx context.Context, b Build) (Result, error)
	// MergeTrees merges two commits into a tree.
	MergeTrees(ctx context.Context, bases []ID, ours, theirs ID, content MergeContent) (*TreeMerge, error)
	// ChangeTree makes a tree from another one.
	ChangeTree(ctx context.Context, tree ID, changes []Change) (ID, error)
	// Advance brings HEAD, index and work tree to a commit that is made already.
	Advance(ctx context.Context, a Advance) (Result, error)
}

// Tx is one commit to be made on HEAD.
type Tx struct {
	Changes []Change
	Message string // see FormatMessage
	Reflog  string // reason in the reflog; "commit: <subject>" when empty
	// Merges are further parents, after HEAD. A merge may change nothing.
	Merges []ID
	// Sign has the commit signed whatever commit.gpgSign says.
	Sign bool
	// Vet is shown the commit before a ref names it; an error drops it.
	Vet func(ctx context.Context, commit ID) error
	// Seen is the index state that the Head and Index fields of the changes were
	// read from. When the index is still the same they are not read again.
	Seen IndexStamp
	// Head is the commit that the HeadID fields of the changes were read from.
	Head ID
}

// Change is what a commit does to one path. HeadID and IndexID say what the
// caller saw there (zero: absent); when that is no longer so the transaction
// fails with *MovedError instead of burying somebody's work.
type Change struct {
	Path    string
	Content []byte // the content to commit, before filters
	Delete  bool
	Mode    Mode // ModeAbsent: keep the mode in HEAD, or ModeFile
	HeadID  ID
	IndexID ID
	Place   *Place // nil: the work tree is left untouched
}

// Result is a commit that was made.
type Result struct {
	Commit ID
	Tree   ID
	Ref    string // the branch, "" when detached
}

// Hook policies of WriterOptions.RunHooks (claw.runHooks).
const (
	RunHooksAuto  = "auto"  // foreign hooks run
	RunHooksNever = "never" // no hook runs except those git cannot be kept from
)

// WriterOptions are what a writer takes from configuration.
type WriterOptions struct {
	LockTimeout time.Duration // DefaultLockTimeout when 0
	Durability  Durability    // DurabilityJournal when empty
	RunHooks    string        // RunHooksAuto when empty
	// Vet is asked about content that a pre-commit hook put into the commit, with
	// what HEAD has (nil: nothing); an error refuses the commit.
	Vet func(path string, old, content []byte) error
	// OwnHook recognises a hook that git claw installed, whose work was done
	// in process.
	OwnHook func(script []byte) bool

	test *seam
}

// seam is how the tests of this package stop a writer half-way, or switch off a
// protection to show that they would notice.
type seam struct {
	at          func(point string)
	trace       func(diskOp)
	noCAS       bool
	noIndexLock bool
	noSmudge    bool
	noRedo      bool
	redoBound   int
	noIntent    bool
	gitOnly     bool // the git writer, whatever the repository is
}

// Writer returns the writer for this repository: the fast one, which hands over to
// the git writer what it does not know. That one serves every shape of repository.
func (r *Repo) Writer(opt WriterOptions) Writer {
	if opt.LockTimeout == 0 {
		opt.LockTimeout = DefaultLockTimeout
	}
	w := &gitWriter{repo: r, opt: opt}
	if opt.test != nil && opt.test.gitOnly {
		return w
	}
	return &fastWriter{w}
}
