package agent

import (
	"context"
	"errors"

	"github.com/git-claw/git-claw/hooks/mergesetup"
	"github.com/git-claw/git-claw/memory"
)

// SetUpMerge has git merge memory by entry in the repository of a workspace, as far as it does not yet,
// and says what it changed.
func SetUpMerge(ctx context.Context, ws *memory.Workspace, binary string) ([]string, error) {
	return mergesetup.Setup{Workspace: ws, Binary: binary}.Install(ctx)
}

// setUpMerge is the part of init. A repository that cannot be set up is a workspace all the same: git
// merges it as text then, and says where it cannot.
func (in *initer) setUpMerge(ctx context.Context) {
	changed, err := SetUpMerge(ctx, in.res.Workspace, in.opt.Binary)
	in.res.Merge = changed
	if err != nil {
		in.res.Notices = append(in.res.Notices, "git will not merge memory by entry: "+err.Error())
	}
}

// foreseeMerge tells a dry run what would be set up.
func (in *initer) foreseeMerge(ctx context.Context) error {
	s := mergesetup.Setup{Workspace: in.res.Workspace, Binary: in.opt.Binary}
	st, err := s.Look(ctx)
	in.res.Merge = s.Changes(st)
	return err
}

// merging looks whether git merges memory by entry.
func (d *doctor) merging(ctx context.Context) error {
	if !d.ws.Adopted {
		return nil
	}
	s := mergesetup.Setup{Workspace: d.ws, Binary: d.opt.Binary}
	st, err := s.Look(ctx)
	if err != nil {
		return err
	}
	if d.opt.Fix && d.opt.Binary != "" && !st.Done() {
		changed, err := s.Install(ctx)
		if err != nil && !errors.As(err, new(*mergesetup.ForeignError)) {
			d.say("merging", Warn, "", "%s", err)
			return nil
		}
		if st, err = s.Look(ctx); err != nil {
			return err
		}
		defer func() { d.out[len(d.out)-1].Fixed = len(changed) > 0 && st.Done() }()
	}
	if !st.Committed {
		d.say("merging", Warn, "git claw init", "'.gitattributes' does not name all files of memory: other machines merge them as text")
	}
	d.driver(st)
	return nil
}

// driver judges what the configuration says.
func (d *doctor) driver(st mergesetup.Status) {
	fix := "git claw doctor --fix"
	switch {
	case st.State == mergesetup.Missing:
		d.say("merging", Warn, fix, "git merges memory as text: '%s' is not set", mergesetup.DriverName)
	case st.State == mergesetup.Foreign:
		d.say("merging", Warn, "git config --local --remove-section merge.claw", "'%s' names another driver; memory is merged by that", mergesetup.DriverName)
	case st.State == mergesetup.Outdated && !st.Runnable:
		d.say("merging", Warn, fix, "the merge driver '%s' is not there or cannot be run; git looks for 'git-claw' in PATH, and merges as text without it", st.Binary)
	case st.State == mergesetup.Outdated:
		d.say("merging", Warn, fix, "the merge driver is '%s', another git-claw than this one", st.Binary)
	case !st.Attributes:
		d.say("merging", Warn, fix, "'info/attributes' does not name all files of memory: a merge without a work tree merges them as text")
	default:
		d.say("merging", OK, "", "git merges memory by entry, with '%s'", st.Binary)
	}
}
