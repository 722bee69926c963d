package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/agent/connect"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/githook"
	"github.com/git-claw/git-claw/memory"
)

// Verdict of one of the doctor's looks.
type Verdict string

// The verdicts.
const (
	OK   Verdict = "ok"
	Warn Verdict = "warn"
	Fail Verdict = "fail"
)

// Finding is one thing the doctor looked at.
type Finding struct {
	Name    string // stable word, such as "hooks"
	Verdict Verdict
	Text    string
	Command string // what mends it, may be empty
	Fixed   bool   // --fix mended it
}

// DoctorOptions is how the doctor works.
type DoctorOptions struct {
	Fix    bool
	Binary string
	// ManPage tells whether `man git-claw` finds the page.
	ManPage func(context.Context) bool
	Hosts   []connect.Connection // what is known of them; none: not asked
}

// Doctor examines git, the repository and what git claw installed. ws may be nil
// when the folder is in no repository. It never changes a note.
func Doctor(ctx context.Context, git *gitops.Git, ws *memory.Workspace, opt DoctorOptions) ([]Finding, error) {
	d := &doctor{git: git, ws: ws, opt: opt}
	looks := []func(context.Context) error{d.version, d.repository}
	if ws != nil && !ws.Repo.Bare {
		looks = append(looks, d.identity, d.workspace, d.settings, d.writer, d.leftovers, d.progress, d.hooks, d.merging, d.hosts, d.health, d.memory, d.searched, d.index, d.names)
	}
	looks = append(looks, d.manual)
	for _, look := range looks {
		if err := look(ctx); err != nil {
			return d.out, err
		}
	}
	return d.out, nil
}

type doctor struct {
	git *gitops.Git
	ws  *memory.Workspace
	opt DoctorOptions
	out []Finding
}

func (d *doctor) say(name string, v Verdict, command, format string, args ...any) {
	d.out = append(d.out, Finding{Name: name, Verdict: v, Text: fmt.Sprintf(format, args...), Command: command})
}

func (d *doctor) version(ctx context.Context) error {
	v, err := d.git.Version(ctx)
	var old *gitops.TooOldError
	if errors.As(err, &old) {
		d.say("git", Fail, "", "%s", old)
		return nil
	}
	if err != nil {
		return err
	}
	d.say("git", OK, "", "git %s", v)
	return nil
}

func (d *doctor) repository(context.Context) error {
	if d.ws == nil {
		d.say("repository", Fail, "git claw init", "this folder is in no git repository")
		return nil
	}
	r := d.ws.Repo
	if r.Bare {
		d.say("repository", Fail, "", "a bare repository: it can be read with log and show, and nothing is saved in it")
		return nil
	}
	var shape []string
	shape = append(shape, "objects "+r.ObjectFormat, "refs "+r.RefFormat)
	if r.GitDir != r.CommonDir {
		shape = append(shape, "linked worktree")
	}
	where := "at the top of the repository"
	if d.ws.Prefix != "" {
		where = "in folder '" + d.ws.Prefix + "' of the repository"
	}
	d.say("repository", OK, "", "%s; workspace %s", strings.Join(shape, ", "), where)
	for _, b := range blockers(context.Background(), r) {
		d.say("branches", Warn, b.Command, "%s", b.Problem)
	}
	if name := cloudFolder(r.TopLevel); name != "" {
		d.say("folder", Warn, "", "a folder that %s syncs can hold conflict copies inside .git; a git remote is the safer way between machines", name)
	}
	return nil
}

func (d *doctor) identity(ctx context.Context) error {
	err := d.ws.Repo.CheckIdent(ctx)
	var ident *gitops.IdentError
	if errors.As(err, &ident) {
		d.say("identity", Fail, identCommand(), "%s", ident)
		return nil
	}
	if err == nil {
		d.say("identity", OK, "", "git knows who commits")
	}
	return err
}

func (d *doctor) workspace(context.Context) error {
	ws := d.ws
	if ws.Adopted {
		d.say("workspace", OK, "", "adopted, root '%s'", ws.Root)
	} else {
		d.say("workspace", Warn, "git claw init", "'%s' is not adopted: nothing is recorded", ws.Root)
	}
	d.say("host", OK, "", "%s: %s", ws.Host.Name, ws.HostReason)
	names := ws.Profiles.Names()
	if len(names) == 0 {
		names = []string{"base only"}
	}
	d.say("profiles", OK, "", "%s", strings.Join(names, " "))
	return nil
}

func (d *doctor) settings(context.Context) error {
	for _, w := range d.ws.Settings.Warnings() {
		d.say("settings", Warn, "", "%s", w)
	}
	return nil
}

// leftovers finishes what a killed command began, and explains old locks.
func (d *doctor) leftovers(ctx context.Context) error {
	r := d.ws.Repo
	if d.opt.Fix {
		left, err := r.Recover(ctx)
		if err != nil {
			return err
		}
		for _, p := range left {
			d.say("recovery", Warn, "git claw diff -- "+shellQuote(p), "'%s' was edited while a write was interrupted; it was left as it is", p)
		}
	} else if r.NeedsRecovery() {
		d.say("recovery", Warn, "git claw doctor --fix", "a command was killed before it was done; the next one that writes finishes it")
	}
	for _, l := range r.Locks() {
		v := OK
		cmd := ""
		if l.Age > 10*time.Minute {
			v, cmd = Warn, "rm "+shellQuote(l.Path)
		}
		d.say("locks", v, cmd, "'%s' exists since %s; git claw never removes a lock that is not its own", l.Path, l.Age.Round(time.Second))
	}
	return nil
}

// writer says how commits are made here.
func (d *doctor) writer(ctx context.Context) error {
	if !d.ws.Adopted {
		return nil
	}
	name, why, err := d.ws.Repo.WriterReason(ctx, writerOptions(d.ws), d.ws.ManagedPaths()...)
	switch {
	case err != nil:
		return err
	case name == "fast":
		d.say("writer", OK, "", "commits are made in process, claw.durability is '%s'", d.ws.Settings.String("durability"))
	default:
		d.say("writer", OK, "", "commits are made through git: %s", why)
	}
	return nil
}

func (d *doctor) progress(ctx context.Context) error {
	if p := d.ws.Repo.Progress(); p != nil {
		d.say("progress", Warn, "git status", "a %s is in progress; saving waits until it is over", p.What)
		return nil
	}
	head, err := d.ws.Repo.Head(ctx)
	if err == nil && head.Ref == "" && !head.Commit.IsZero() {
		d.say("branch", Warn, switchCommand(head.Commit), "HEAD is on no branch: what is saved now is easily lost")
	}
	return err
}

func (d *doctor) hooks(ctx context.Context) error {
	if d.opt.Fix && d.ws.Adopted && d.opt.Binary != "" {
		return d.fixHooks(ctx)
	}
	hooks, err := HookStatus(ctx, d.ws, d.opt.Binary)
	if err != nil {
		return err
	}
	for _, h := range hooks {
		d.hook(h)
	}
	return nil
}

func (d *doctor) fixHooks(ctx context.Context) error {
	done, err := InstallHooks(ctx, d.ws, d.opt.Binary)
	if err != nil {
		return err
	}
	for _, r := range done {
		d.hook(r.Status)
		d.out[len(d.out)-1].Fixed = r.Action != githook.Unchanged && r.Action != githook.Skipped
	}
	return nil
}

func (d *doctor) hook(h githook.Status) {
	switch {
	case h.State == githook.Current && h.Chained:
		d.say("hooks", OK, "", "%s runs beside the hook that was there", h.Hook)
	case inPlace(h):
		d.say("hooks", OK, "", "%s is in place", h.Hook)
	default:
		text := fmt.Sprintf("%s: %s", h.Hook, h.State)
		if h.Reason != "" {
			text += ": " + h.Reason
		}
		if h.Add != "" {
			text += fmt.Sprintf("; add to '%s': %s", h.AddTo, h.Add)
		}
		d.say("hooks", Warn, h.Next, "%s", text)
	}
}

// health tells what the last examination found; it is the command's work to make one.
func (d *doctor) health(context.Context) error {
	const command = "git claw health"
	if !d.ws.Adopted {
		return nil
	}
	switch r := LastHealth(d.ws); {
	case r == nil:
		d.say("health", OK, command, "never tested")
	case r.Fails > 0:
		d.say("health", Warn, command, "%s when it was last tested, on %s", r.Brief(), r.At.Format("2006-01-02 15:04"))
	default:
		d.say("health", OK, "", "%s when it was last tested, on %s", r.Brief(), r.At.Format("2006-01-02 15:04"))
	}
	return nil
}

// memory reports notes without history: ignored ones and unmanaged ones.
func (d *doctor) memory(ctx context.Context) error {
	ignored, err := ignoredMemory(ctx, d.ws)
	if err != nil {
		return err
	}
	if len(ignored) > 0 {
		d.say("ignored", Warn, "git check-ignore -v "+shellQuote(ignored[0]),
			"git ignores %s that would be managed, such as '%s': they have no history and are found by search only", plural(len(ignored), "file"), ignored[0])
	}
	dash, err := Status(ctx, d.ws, nil)
	if err != nil {
		return err
	}
	if u := dash.Unmanaged; u.Notes > 0 {
		d.say("unmanaged", OK, u.Hint, "%s outside the managed folders, most in '%s'", plural(u.Notes, "note"), u.Folder)
	}
	return nil
}

// names warns of two tracked spellings of one name, which cannot both exist on
// a file system without case.
func (d *doctor) names(ctx context.Context) error {
	files, err := d.ws.Repo.ListFiles(ctx, d.ws.ManagedPaths()...)
	if err != nil {
		return err
	}
	seen := make(map[string]string, len(files))
	for _, f := range files {
		key := memory.FoldName(f)
		if o, ok := seen[key]; ok && o != f {
			d.say("names", Warn, "", "'%s' and '%s' are one file on a file system without case", o, f)
		}
		seen[key] = f
	}
	return nil
}

func (d *doctor) manual(ctx context.Context) error {
	if d.opt.ManPage == nil {
		return nil
	}
	if d.opt.ManPage(ctx) {
		d.say("manual", OK, "", "'man git-claw' finds the page")
	} else {
		d.say("manual", Warn, "git claw help", "'man git-claw' finds no page, so 'git claw --help' shows none; 'git claw help' does")
	}
	return nil
}

// blocker is a ref that stands in the way of ours.
type blocker struct{ Problem, Command string }

// proposalKinds are the second parts of proposal branches (SPEC GN-05).
var proposalKinds = []string{"candidate", "promote", "l1", "evolve", "consolidate", "vocab", "skill", "trim"}

// blockers finds branches named `claw` or `claw/<kind>`, loose or packed: git
// cannot have a branch and a folder of branches of one name.
func blockers(ctx context.Context, r *gitops.Repo) []blocker {
	refs, err := r.Refs(ctx, "refs/heads")
	if err != nil {
		return nil
	}
	var out []blocker
	for _, ref := range refs {
		name := strings.TrimPrefix(ref.Name, "refs/heads/")
		kind, isKind := strings.CutPrefix(name, "claw/")
		switch {
		case name == "claw", isKind && slices.Contains(proposalKinds, kind):
			out = append(out, blocker{
				Problem: fmt.Sprintf("the branch '%s' stands in the way of proposals", name),
				Command: fmt.Sprintf("git branch -m %s %s-old", name, strings.ReplaceAll(name, "/", "-")),
			})
		case conflictCopy(path.Base(name)):
			out = append(out, blocker{
				Problem: fmt.Sprintf("the branch '%s' looks like a conflict copy of a synced folder", name),
				Command: "git log " + shellQuote(name),
			})
		}
	}
	return out
}

// conflictCopy recognises names such as `main 2`, which cloud folders give.
func conflictCopy(name string) bool {
	base, n, ok := strings.Cut(name, " ")
	return ok && base != "" && len(n) == 1 && n[0] >= '2' && n[0] <= '9'
}

// cloudFolder names the service that syncs a path, or "".
func cloudFolder(p string) string {
	for _, part := range strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r == os.PathSeparator }) {
		switch {
		case part == "com~apple~CloudDocs" || part == "iCloud Drive":
			return "iCloud"
		case part == "Dropbox" || strings.HasPrefix(part, "Dropbox ("):
			return "Dropbox"
		case part == "OneDrive" || strings.HasPrefix(part, "OneDrive - "):
			return "OneDrive"
		}
	}
	return ""
}

// ignoredMemory lists ignored files that would be managed, apart from those that
// git claw itself ignores (SPEC WS-35).
func ignoredMemory(ctx context.Context, ws *memory.Workspace) ([]string, error) {
	files, err := ws.Repo.Ignored(ctx, ws.ManagedPaths()...)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range files {
		rel := strings.TrimPrefix(f, ws.Prefix)
		if strings.HasSuffix(rel, "/") {
			if !ws.NeverManaged(rel) {
				out = append(out, rel)
			}
			continue
		}
		if strings.EqualFold(path.Ext(rel), ".md") && ws.Managed(rel) && !ws.IgnoredByUs(rel) {
			out = append(out, rel)
		}
	}
	return out, nil
}
