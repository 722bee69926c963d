package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// PatchedFile is a file of a patch as it is after it.
type PatchedFile struct {
	Path    string
	Content []byte
	Mode    Mode // ModeAbsent: the patch deletes it
}

// PatchError: git cannot apply a patch.
type PatchError struct{ Detail string }

func (e *PatchError) Error() string { return "cannot apply the patch: " + e.Detail }

// ExitCode: the answer is no.
func (e *PatchError) ExitCode() int { return 1 }

// ApplyPatch applies a patch, as git diff writes it, to the files of a commit without
// touching the work tree, the index or the object store: files that it names are put
// into a folder beside the index, and git works there. Errors: *PatchError.
func (r *Repo) ApplyPatch(ctx context.Context, commit ID, patch []byte) ([]PatchedFile, error) {
	paths, err := r.patchPaths(ctx, patch)
	if err != nil {
		return nil, err
	}
	if err := r.makeClawDir(ctx, r.ClawDir()); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(r.ClawDir(), "patch.*.tmp")
	if err != nil {
		return nil, fmt.Errorf("apply patch: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	tree, err := r.objects.TreeOf(ctx, commit)
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		if err := r.putOut(ctx, tree, dir, p); err != nil {
			return nil, err
		}
	}
	if _, err := r.applyIn(ctx, dir, patch, "--whitespace=nowarn"); err != nil {
		return nil, err
	}
	out := make([]PatchedFile, 0, len(paths))
	for _, p := range paths {
		f, err := takeIn(dir, p)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// applyIn runs git apply in a folder that it takes for no part of a repository.
func (r *Repo) applyIn(ctx context.Context, dir string, patch []byte, args ...string) ([]byte, error) {
	out, err := r.Git.Run(ctx, Cmd{
		Dir: dir, Args: append([]string{"-c", "core.symlinks=true", "apply", "-p1"}, args...), Stdin: bytes.NewReader(patch),
		Env: []string{"GIT_CEILING_DIRECTORIES=" + r.ClawDir(), "GIT_DIR=" + filepath.Join(dir, "none")},
	})
	var ge *GitError
	if errors.As(err, &ge) {
		detail, _, _ := strings.Cut(strings.TrimPrefix(ge.Stderr, "error: "), "\n")
		return nil, &PatchError{Detail: detail}
	}
	return out, err
}

// patchPaths lists what a patch touches: new names, and old ones by its reverse.
func (r *Repo) patchPaths(ctx context.Context, patch []byte) ([]string, error) {
	var paths []string
	for _, args := range [][]string{{"--numstat", "-z"}, {"--numstat", "-z", "-R"}} {
		out, err := r.applyIn(ctx, r.GitDir, patch, args...)
		if err != nil {
			return nil, err
		}
		for field := range strings.SplitSeq(string(out), "\x00") {
			parts := strings.SplitN(field, "\t", 3)
			if len(parts) < 3 {
				continue
			}
			if err := CheckPath(parts[2]); err != nil {
				return nil, err
			}
			paths = append(paths, parts[2])
		}
	}
	if len(paths) == 0 {
		return nil, &PatchError{Detail: "it changes no file"}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// putOut writes a file of a tree into a folder, if it is there.
func (r *Repo) putOut(ctx context.Context, tree ID, dir, path string) error {
	e, ok, err := r.objects.Lookup(ctx, tree, path)
	if err != nil || !ok {
		return err
	}
	if !e.Mode.IsFile() {
		return &PatchError{Detail: fmt.Sprintf("'%s' is no file", path)}
	}
	b, err := r.objects.Blob(ctx, e.ID)
	if err != nil {
		return err
	}
	perm := fs.FileMode(0o600)
	if e.Mode == ModeExecutable {
		perm = 0o700
	}
	name := filepath.Join(dir, filepath.FromSlash(path))
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, b, perm)); err != nil {
		return fmt.Errorf("apply patch: %w", err)
	}
	return nil
}

// takeIn reads a file that git may have changed.
func takeIn(dir, path string) (PatchedFile, error) {
	f := PatchedFile{Path: path, Mode: ModeAbsent}
	name := filepath.Join(dir, filepath.FromSlash(path))
	fi, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err == nil && !fi.Mode().IsRegular() {
		return f, &PatchError{Detail: fmt.Sprintf("'%s' would be no file", path)}
	}
	if err == nil {
		f.Content, err = os.ReadFile(name)
	}
	if err != nil {
		return f, fmt.Errorf("apply patch: %w", err)
	}
	f.Mode = ModeFile
	if fi.Mode()&0o100 != 0 {
		f.Mode = ModeExecutable
	}
	return f, nil
}
