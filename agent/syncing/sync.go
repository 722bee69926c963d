package syncing

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// Options says how to sync.
type Options struct {
	WithForeign bool   // push commits that reach outside of the workspaces
	NoPush      bool   // only take what the remote has
	DryRun      bool   // only say what would be done
	Ask         bool   // somebody sits at the terminal, and git may ask for a password
	Binary      string // git claw itself, for git's merge driver; "" leaves that as it is
}

// Result is what a sync did. It is meaningful beside an error: what was saved or merged
// before it stays.
type Result struct {
	Remote, Branch string // the branch at the remote, short
	Save           *agent.SaveResult
	Before, After  gitops.ID // HEAD
	In, Out        int       // commits that came and that went
	Merged         bool      // both sides had some
	Files          int       // that changed here
	Contradictions int
	Overruled      []agent.Overruled // values that both sides set, of which one had to win
	Mended         []string          // files in which conflict markers were committed
	Finished       bool              // a merge that was under way
	Proposals      Proposals
	Verdicts       bool // some came
	VerdictsOut    bool // some went, or what was closed here
	// Strange is what is in refs/notes/claw and is no verdict: of the remote's it was left
	// out, and because of what is here the ref was not pushed.
	Strange []Strange
	Pushed  bool
	Setup   []string // what of git's merge driver was set up
	Follows string   // the upstream that the branch has from now on
	// Foreign are commits that were not pushed because they reach outside.
	Foreign []Foreign
}

// Strange is a line, or a file, of refs/notes/claw that is no verdict.
type Strange struct {
	Path   string
	Commit gitops.ID // whose note it is; zero: nobody's
	Remote bool      // it is there, and not here
}

// Proposals counts what became of proposals.
type Proposals struct {
	In, Out     int
	Quarantined int // came, and cannot be accepted
	Ignored     int // branches below claw/ that are none
	Diverged    int // another one here than there; left alone
	Closed      int // closed elsewhere, and now here
	// Strangers are those of the remote that did not become a branch here.
	Strangers []Stranger
}

// Stranger is a branch below claw/ at the remote.
type Stranger struct {
	Branch string // short
	What   string // "quarantined", "ignored" or "diverged"
	Why    string // it is quarantined
}

// maxRaces bounds how often a lost race for the remote is run again (SPEC GN-16), and
// maxTries one for the files and refs here.
const (
	maxRaces = 5
	maxTries = 50
)

// RaceError: other machines were quicker each time.
type RaceError struct{ Remote string }

func (e *RaceError) Error() string {
	return fmt.Sprintf("other machines pushed to '%s' each time meanwhile; nothing is lost", e.Remote)
}

// ExitCode: the same command may work later.
func (e *RaceError) ExitCode() int { return 4 }

// Hints names the same command.
func (e *RaceError) Hints() []string { return []string{"git claw sync"} }

// UnderWayError: another sync of this repository goes on for longer than was waited.
type UnderWayError struct{ Owner string }

func (e *UnderWayError) Error() string {
	return fmt.Sprintf("another 'git claw sync' (%s) is under way", e.Owner)
}

// ExitCode: the same command may work later.
func (e *UnderWayError) ExitCode() int { return 4 }

// Hints names what can be done.
func (e *UnderWayError) Hints() []string {
	out := []string{"wait for it and run the same command again"}
	if pid, _, ok := strings.Cut(strings.TrimPrefix(e.Owner, "pid "), ","); ok {
		out = append(out, "to end it, without harm: kill "+pid)
	}
	return out
}

// Sync saves, fetches, merges and pushes. Errors: *agent.RefusedError (no remote, commits
// that reach outside, a remote that refuses), *agent.ConflictError and
// *agent.MergeConflictError with the live tree as it was, *gitops.RemoteError, *RaceError,
// *UnderWayError.
func Sync(ctx context.Context, ws *memory.Workspace, caller agent.Caller, opt Options) (*Result, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	s := &syncer{ws: ws, caller: caller.Clean(), opt: opt, res: &Result{Save: &agent.SaveResult{}}}
	if err := s.prepare(ctx); err != nil {
		return s.res, err
	}
	if opt.DryRun {
		return s.res, s.foresee(ctx)
	}
	release, err := ws.Repo.Hold(ctx, "sync.lock", "waiting for another 'git claw sync' to finish", ws.Settings.Duration("lockTimeout"))
	var locked *gitops.LockedError
	if errors.As(err, &locked) {
		return s.res, &UnderWayError{Owner: locked.Owner}
	}
	if err != nil {
		return s.res, err
	}
	defer release()
	// What others wrote can be fetched while that is saved which stands here.
	fetching, stop := context.WithCancel(ctx)
	defer stop()
	fetched := make(chan error, 1)
	go func() { fetched <- s.fetch(fetching) }()
	if err = s.save(ctx); err != nil {
		stop()
	} else {
		s.ws.Repo.Refresh(ctx)
	}
	ferr := <-fetched
	if err != nil {
		return s.res, err
	}
	for try := range maxRaces + 1 {
		if try > 0 {
			if err := s.pause(ctx, try); err != nil {
				return s.res, err
			}
			ferr = s.fetch(ctx)
		}
		if ferr != nil {
			return s.res, ferr
		}
		err := s.round(ctx)
		if errors.Is(err, errRace) {
			continue
		}
		if err == nil {
			s.follow(ctx)
		}
		return s.res, err
	}
	return s.res, &RaceError{Remote: s.remote.Name}
}

// errRace: another machine pushed meanwhile.
var errRace = errors.New("lost a race")

// syncer is one sync.
type syncer struct {
	ws     *memory.Workspace
	caller agent.Caller
	opt    Options
	res    *Result

	w      gitops.Writer
	remote *gitops.Remote
	head   gitops.Head
	refs   *refs

	keepNotes bool // the notes are not pushed
	follows   bool // the branch has an upstream, or is to have none
	noBranch  bool // the remote does not have the branch
	setUpDone bool
}

// prepare finds out with whom and with what.
func (s *syncer) prepare(ctx context.Context) (err error) {
	if p := s.ws.Repo.Progress(); p != nil {
		if err := s.finishMerge(ctx, p); err != nil {
			return err
		}
	}
	if s.w, err = agent.Writer(ctx, s.ws); err != nil {
		return err
	}
	if s.head, err = s.ws.Repo.Head(ctx); err != nil {
		return err
	}
	if s.head.Ref == "" {
		return &agent.RefusedError{Problem: "HEAD is on no branch, which nobody could sync", Advice: []string{"git switch -c <name>"}}
	}
	return s.chooseRemote(ctx)
}

// save commits what is dirty, and sets up what merges it.
func (s *syncer) save(ctx context.Context) (err error) {
	res, err := agent.Save(ctx, s.ws, s.caller, agent.SaveOptions{Propose: proposal.InPlace, Unseen: true})
	if res != nil {
		s.res.Save.Commits = append(s.res.Save.Commits, res.Commits...)
		s.res.Save.Proposed = append(s.res.Save.Proposed, res.Proposed...)
		s.res.Save.Skipped = res.Skipped
	}
	if err != nil {
		return err
	}
	s.head, err = s.ws.Repo.Head(ctx)
	if s.res.Before.IsZero() {
		s.res.Before = s.head.Commit
	}
	s.res.After = s.head.Commit
	return err
}

// round is one attempt: all of a sync behind save and fetch.
func (s *syncer) round(ctx context.Context) error {
	if err := s.readRefs(ctx); err != nil {
		return err
	}
	if err := s.take(ctx); err != nil {
		return err
	}
	if err := s.mend(ctx); err != nil {
		return err
	}
	if err := s.bury(ctx); err != nil {
		return err
	}
	if err := s.takeProposals(ctx); err != nil {
		return err
	}
	if s.opt.NoPush {
		return s.remember(ctx)
	}
	return s.push(ctx)
}

// pause waits longer each time, by chance, so that machines that lost together do not
// meet again.
func (s *syncer) pause(ctx context.Context, try int) error {
	var b [8]byte
	if _, err := io.ReadFull(s.ws.Repo.Git.Env().Rand, b[:]); err != nil {
		return fmt.Errorf("draw a pause: %w", err)
	}
	longest := 50 * time.Millisecond << try
	t := time.NewTimer(longest/4 + time.Duration(binary.LittleEndian.Uint64(b[:])%uint64(longest)))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
