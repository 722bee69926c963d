package proposal

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/memory"
)

// commandTime is how long a program that opens a pull request may take.
const commandTime = 2 * time.Minute

// Published is a proposal on a remote.
type Published struct {
	Remote string
	Answer string // of claw.pullRequestCommand, most often an address
	Ran    bool   // there is one
}

// Publish pushes the branch of a proposal, and has claw.pullRequestCommand open a pull
// request of it: a JSON array of arguments, of which {branch}, {base}, {title}, {body}
// and {id} are filled in. The setting counts only in git's own configuration.
func Publish(ctx context.Context, ws *memory.Workspace, p *Proposal) (*Published, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	if err := p.waits("publish"); err != nil {
		return nil, err
	}
	if p.State == Quarantined || p.State == Withdrawn || p.State == Merged {
		return nil, &agent.RefusedError{Problem: fmt.Sprintf("cannot publish '%s': it is %s", p.ID, p.State)}
	}
	argv, ok, err := ws.Repo.LocalCommand(ctx, "claw.pullRequestCommand")
	if err != nil {
		return nil, err
	}
	remote, base, err := upstream(ctx, ws)
	if err != nil {
		return nil, err
	}
	ref := "refs/heads/" + p.Branch
	if err := ws.Repo.Push(ctx, remote, ref+":"+ref); err != nil {
		return nil, err
	}
	out := &Published{Remote: remote}
	if !ok {
		return out, nil
	}
	body := strings.TrimSpace(strings.Join([]string{p.Reason, p.Body}, "\n\n"))
	fill := strings.NewReplacer("{branch}", p.Branch, "{base}", base, "{title}", p.Title, "{body}", body, "{id}", p.ID)
	for i := 1; i < len(argv); i++ {
		argv[i] = fill.Replace(argv[i])
	}
	answer, err := ws.Repo.Program(ctx, argv, commandTime)
	out.Answer, out.Ran = strings.TrimSpace(string(answer)), err == nil
	return out, err
}

// upstream is the remote that the branch belongs to, and the name of the branch there.
func upstream(ctx context.Context, ws *memory.Workspace) (remote, base string, err error) {
	cfg, err := ws.Repo.Config(ctx)
	if err != nil {
		return "", "", err
	}
	head, err := ws.Repo.Head(ctx)
	if err != nil {
		return "", "", err
	}
	branch := head.Branch()
	remote, _ = cfg.Get("branch." + branch + ".remote")
	merge, _ := cfg.Get("branch." + branch + ".merge")
	if remote == "" || remote == "." {
		remote, merge = "origin", ""
	}
	if _, ok := cfg.Get("remote." + remote + ".url"); !ok {
		return "", "", &agent.RefusedError{Problem: "there is no remote to publish to", Advice: []string{"git remote add origin <url>"}}
	}
	base = strings.TrimPrefix(merge, "refs/heads/")
	if base == "" {
		base = branch
	}
	return remote, base, nil
}
