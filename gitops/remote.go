package gitops

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Remote is another repository by the name that git's configuration gives it. It is
// talked to through git, with the user's own helpers for credentials.
type Remote struct {
	Name string
	repo *Repo
	// Ask lets git ask at the terminal for what a helper does not know.
	Ask bool
	// Silence is how long the remote may give no sign of life; 0: for ever.
	Silence time.Duration
}

// Remote returns the remote of a name.
func (r *Repo) Remote(name string, ask bool) *Remote { return &Remote{Name: name, repo: r, Ask: ask} }

// flags are settings for one call: HTTP has the same limit, a remote to which everything
// is mirrored takes single refs, and a large file costs little memory.
func (m *Remote) flags(cfg *Config, args ...string) []string {
	var out []string
	set := func(name, value string) { out = append(out, "-c", name+"="+value) }
	if seconds := int64(m.Silence / time.Second); seconds > 0 {
		for name, value := range map[string]string{"http.lowSpeedLimit": "1", "http.lowSpeedTime": strconv.FormatInt(seconds, 10)} {
			if _, ok := cfg.Get(strings.ToLower(name)); !ok {
				set(name, value)
			}
		}
	}
	if mirror := "remote." + m.Name + ".mirror"; cfg.Bool(mirror, false) {
		set(mirror, "false")
	}
	// git holds a file up to that size more than once, and looks for what two versions of
	// it have in common; a larger one goes through it a piece at a time.
	if _, ok := cfg.Get("core.bigfilethreshold"); !ok {
		set("core.bigFileThreshold", "32m")
	}
	return append(out, args...)
}

// environ says whether somebody can be asked. What the user chose for ssh stays.
func (m *Remote) environ(cfg *Config) []string {
	env := m.repo.Git.env
	out := []string{"GIT_TERMINAL_PROMPT=1"}
	ssh := "ssh"
	if !m.Ask {
		out = []string{"GIT_TERMINAL_PROMPT=0", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never"}
		if _, ok := cfg.Get("core.askpass"); !ok && env.Getenv("GIT_ASKPASS") == "" {
			out = append(out, "GIT_ASKPASS=")
		}
		ssh += " -o BatchMode=yes -o ConnectTimeout=30"
	}
	if m.Silence > 0 {
		// A connection that is dead says so before git is ended.
		ssh += fmt.Sprintf(" -o ServerAliveInterval=%d -o ServerAliveCountMax=3", max(1, int(m.Silence/time.Second)/4))
	}
	if _, ok := cfg.Get("core.sshcommand"); !ok && env.Getenv("GIT_SSH_COMMAND") == "" && env.Getenv("GIT_SSH") == "" {
		out = append(out, "GIT_SSH_COMMAND="+ssh)
	}
	return out
}

// When somebody is told that a remote does not answer; later where git may be asking for
// a password meanwhile.
const (
	tellAfter      = 4 * time.Second
	tellAskedAfter = 10 * time.Second
)

func (m *Remote) run(ctx context.Context, args ...string) ([]byte, error) {
	cfg, err := m.repo.Config(ctx)
	if err != nil {
		return nil, err
	}
	w := &watch{limit: m.Silence, after: tellAfter}
	if m.Ask && m.mayAsk(cfg) {
		w.after = tellAskedAfter
	}
	if wait := m.repo.Git.env.Wait; wait != nil {
		w.tell = func() { wait("waiting for '" + m.Name + "', which does not answer") }
	}
	out, err := m.repo.run(ctx, Cmd{Args: m.flags(cfg, args...), Env: m.environ(cfg), apart: !m.Ask, watch: w})
	var ge *GitError
	if errors.As(err, &ge) {
		err = &GitError{Args: ge.Args, Code: ge.Code, Stderr: withoutProgress(ge.Stderr)}
	}
	return out, err
}

// mayAsk reports whether the way to the remote is one that may want a password.
func (m *Remote) mayAsk(cfg *Config) bool {
	url, _ := cfg.Get("remote." + m.Name + ".url")
	for _, open := range []string{"git://", "file://", "/", "."} {
		if strings.HasPrefix(url, open) {
			return false
		}
	}
	return true
}

// progress is a line in which git, or the git at the other end, says how far it is, or
// what it moved.
var progress = regexp.MustCompile(`^(remote: )?([A-Z][A-Za-z ]*: +(\d+%|\d+(,|$)).*|Total \d+ \(delta .*|Delta compression using .*|(From|To) \S.*)$|^ [-+*=t! ] ?(\[|[0-9a-f]{7,}\.\.).*|^   [0-9a-f]{7,}\.\..*`)

// withoutProgress leaves of what git said what went wrong.
func withoutProgress(stderr string) string {
	var b strings.Builder
	for line := range strings.FieldsFuncSeq(stderr, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = strings.TrimRight(line, " \t"); line != "" && !progress.MatchString(line) {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// NoRefError: the remote does not have a ref that was asked for by its name.
type NoRefError struct{ Ref string }

func (e *NoRefError) Error() string { return fmt.Sprintf("the remote has no '%s'", e.Ref) }

// Fetch brings refs here, and removes those here that are gone there, all of them or
// none. Only what the refspecs name is fetched: no tags, no submodules, no FETCH_HEAD.
// Errors: *NoRefError, *RemoteError.
func (m *Remote) Fetch(ctx context.Context, refspecs ...string) error {
	args := []string{
		"fetch", "--progress", "--no-tags", "--atomic", "--prune", "--refmap=", "--no-write-fetch-head", "--no-auto-maintenance",
		"--recurse-submodules=no", "--no-show-forced-updates", "--end-of-options", m.Name,
	}
	_, err := m.run(ctx, append(args, refspecs...)...)
	return m.fetchError(err)
}

// FetchObjects brings the history of refs here and moves no ref.
func (m *Remote) FetchObjects(ctx context.Context, refs ...string) error {
	args := []string{
		"fetch", "--progress", "--no-tags", "--refmap=", "--no-write-fetch-head", "--no-auto-maintenance", "--recurse-submodules=no",
		"--end-of-options", m.Name,
	}
	_, err := m.run(ctx, append(args, refs...)...)
	return m.fetchError(err)
}

func (m *Remote) fetchError(err error) error {
	var ge *GitError
	if errors.As(err, &ge) {
		if _, rest, ok := strings.Cut(ge.Stderr, "couldn't find remote ref "); ok {
			ref, _, _ := strings.Cut(rest, "\n")
			return &NoRefError{Ref: strings.TrimSpace(ref)}
		}
	}
	return m.fail(err)
}

// Refs lists refs of the remote by patterns (git-ls-remote(1)).
func (m *Remote) Refs(ctx context.Context, patterns ...string) ([]Ref, error) {
	out, err := m.run(ctx, append([]string{"ls-remote", "--quiet", "--refs", "--end-of-options", m.Name}, patterns...)...)
	if err != nil {
		return nil, m.fail(err)
	}
	var refs []Ref
	for line := range strings.Lines(string(out)) {
		hex, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			continue
		}
		id, err := ParseID(hex)
		if err != nil {
			return nil, err
		}
		refs = append(refs, Ref{Name: name, ID: id})
	}
	return refs, nil
}

// Push is one ref to be moved at a remote, never against its history. A zero New deletes
// it, if it still is Old.
type Push struct {
	Name     string
	Old, New ID
}

// Refused is what a remote said about a ref that it did not move.
type Refused struct {
	Ref    string
	Reason string // of git, in a few words
	// Race: somebody else moved it, and the same push may work after a fetch.
	Race bool
}

// Push moves refs at the remote and returns those that were refused. said is what the
// remote said, such as a hook of it.
func (m *Remote) Push(ctx context.Context, ups []Push) (refused []Refused, said []string, err error) {
	args := []string{"push", "--porcelain", "--progress", "--no-follow-tags", "--recurse-submodules=no"}
	var specs []string
	for _, u := range ups {
		if u.New.IsZero() {
			args = append(args, "--force-with-lease="+u.Name+":"+u.Old.String())
			specs = append(specs, ":"+u.Name)
			continue
		}
		specs = append(specs, u.New.String()+":"+u.Name)
	}
	args = append(append(args, "--end-of-options", m.Name), specs...)
	out, err := m.run(ctx, args...)
	var ge *GitError
	if errors.As(err, &ge) {
		for line := range strings.Lines(ge.Stderr) {
			if rest, ok := strings.CutPrefix(line, "remote: "); ok && strings.TrimSpace(rest) != "" {
				said = append(said, strings.TrimSpace(WithoutPassword(rest)))
			}
		}
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) < 3 || f[0] != "!" {
			continue
		}
		_, ref, _ := strings.Cut(f[1], ":")
		refused = append(refused, Refused{Ref: ref, Reason: reasonOf(f[2]), Race: lostRace(f[2])})
	}
	if len(refused) > 0 {
		return refused, said, nil
	}
	if ge != nil && ge.Code == 1 && !strings.Contains(string(out), "\t") && m.asksHook(ctx) {
		// No ref came as far as the remote: the hook is asked before.
		hook := strings.SplitSeq(strings.TrimSpace(ge.Stderr), "\n")
		return nil, nil, &HookError{Name: prePush, Output: withoutLine(hook, "error: failed to push some refs to ")}
	}
	err = m.fail(err)
	var failed *RemoteError
	if errors.As(err, &failed) {
		failed.Push = true
	}
	return nil, said, err
}

// asksHook reports whether git runs a hook before it pushes.
func (m *Remote) asksHook(ctx context.Context) bool {
	cfg, err := m.repo.Config(ctx)
	if err != nil {
		return false
	}
	name, err := m.repo.hookOfGit(ctx, cfg, prePush)
	return err == nil && name != ""
}

// withoutLine leaves out lines that begin with a prefix.
func withoutLine(lines iter.Seq[string], prefix string) string {
	var out []string
	for l := range lines {
		if !strings.HasPrefix(l, prefix) {
			out = append(out, WithoutPassword(l))
		}
	}
	return strings.Join(out, "\n")
}

// reasonOf takes git's words out of their brackets: `[remote rejected] (hook declined)`.
func reasonOf(s string) string {
	if _, in, ok := strings.Cut(s, "] ("); ok && strings.HasPrefix(s, "[") {
		return strings.TrimSuffix(in, ")")
	}
	return strings.Trim(s, "[]")
}

// lostRace tells from git's words whether another push was quicker (builtin/push.c,
// receive-pack.c).
func lostRace(reason string) bool {
	for _, s := range []string{
		"fetch first", "non-fast-forward", "stale info", "failed to update ref", "cannot lock ref", "failed to lock", "incorrect old value provided",
		"reference already exists", "remote ref updated since checkout",
	} {
		if strings.Contains(reason, s) {
			return true
		}
	}
	return false
}
