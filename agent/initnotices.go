package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-claw/git-claw/hooks/githook"
	"github.com/git-claw/git-claw/memory"
)

// foresee completes the answer to a dry run: what would be recorded first, and
// which hooks would be installed.
func (in *initer) foresee(ctx context.Context) error {
	if in.res.Workspace == nil {
		return nil // there is no repository to ask
	}
	if err := in.baseline(ctx); err != nil {
		return err
	}
	if err := in.foreseeMerge(ctx); err != nil {
		return err
	}
	if in.opt.NoHooks {
		return nil
	}
	hooks, err := HookStatus(ctx, in.res.Workspace, in.opt.Binary)
	for _, h := range hooks {
		if !inPlace(h) {
			in.res.Hooks = append(in.res.Hooks, githook.Result{Status: h})
		}
	}
	return err
}

// notices collects what a person should know about this repository.
func (in *initer) notices(ctx context.Context) error {
	if in.res.Workspace == nil {
		return nil
	}
	ws := in.res.Workspace
	note := func(format string, args ...any) {
		in.res.Notices = append(in.res.Notices, fmt.Sprintf(format, args...))
	}
	code, err := looksLikeCode(ctx, ws)
	if err != nil {
		return err
	}
	if code {
		note("this repository holds code; a repository of its own for the workspace is easier to share: git claw init <folder elsewhere>")
	}
	for _, c := range blockers(ctx, in.repo) {
		note("%s: %s", c.Problem, c.Command)
	}
	ignored, err := ignoredMemory(ctx, ws)
	if err != nil {
		return err
	}
	if err := in.teamNotice(ctx, note); err != nil {
		return err
	}
	if len(ignored) > 0 {
		note("git ignores %s that would be managed, such as '%s': they have no history and are found by search only", plural(len(ignored), "file"), ignored[0])
	}
	return nil
}

// teamNotice prints how to untrack what a team repository ignores from now on;
// doing it is a person's decision (SPEC RC-17).
func (in *initer) teamNotice(ctx context.Context, note func(string, ...any)) error {
	if !in.opt.Team || len(in.res.Plan.Ignored) == 0 {
		return nil
	}
	paths := make([]string, len(in.res.Plan.Ignored))
	for i, p := range in.res.Plan.Ignored {
		paths[i] = in.res.Workspace.Prefix + strings.TrimSuffix(p, "/")
	}
	tracked, err := in.repo.ListFiles(ctx, paths...)
	if err != nil || len(tracked) == 0 {
		return err
	}
	words := make([]string, len(paths))
	for i, p := range paths {
		words[i] = shellQuote(p)
	}
	note("%s of what the team ignores stay tracked; to untrack them: git -C %s rm -r --cached --ignore-unmatch -- %s",
		plural(len(tracked), "file"), shellQuote(in.repo.TopLevel), strings.Join(words, " "))
	return nil
}

// codeMarks are files whose presence says that a repository is about code.
var codeMarks = []string{"go.mod", "package.json", "Cargo.toml", "pyproject.toml", "setup.py", "pom.xml", "build.gradle", "CMakeLists.txt", "Gemfile", "composer.json"}

// looksLikeCode reports whether the repository's top level is a code project.
func looksLikeCode(_ context.Context, ws *memory.Workspace) (bool, error) {
	for _, name := range codeMarks {
		_, err := os.Lstat(filepath.Join(ws.Repo.TopLevel, name))
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return false, fmt.Errorf("look at '%s': %w", name, err)
		}
	}
	return false, nil
}
