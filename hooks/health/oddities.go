package health

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Oddities walks through what is managed. Of nested repositories and of folders that
// are never managed nothing is told.
func (s *workSnapshot) Oddities(ctx context.Context) ([]Oddity, error) {
	var out []Oddity
	for _, root := range s.ws.ManagedRoots() {
		rel, folder := strings.CutSuffix(root, "/")
		fi, err := os.Lstat(s.abs(rel))
		switch {
		case errors.Is(err, fs.ErrNotExist), err != nil && !errors.Is(err, fs.ErrPermission):
			continue
		case err != nil:
			out = append(out, Oddity{rel, "it cannot be looked at: no permission", true})
			continue
		case folder && fi.IsDir():
			if out, err = s.walk(ctx, rel, out); err != nil {
				return nil, err
			}
			continue
		}
		if what := s.oddity(rel, fi, folder); what != "" {
			out = append(out, Oddity{rel, what, fi.Mode()&fs.ModeSymlink == 0 && !folder})
		}
	}
	return out, nil
}

// oddity says what is in the place of a file, or of a folder; "" where nothing is
// wrong with it.
func (s *workSnapshot) oddity(rel string, fi fs.FileInfo, folder bool) string {
	want := "file"
	if folder {
		want = "folder"
	}
	switch m := fi.Mode(); {
	case m&fs.ModeSymlink != 0:
		return s.linkOddity(rel, folder)
	case m.IsDir() && !folder:
		return "a folder is in the place of the file"
	case m.IsRegular() && folder:
		return "a file is in the place of the folder"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe is in the place of the " + want
	case m&fs.ModeSocket != 0:
		return "a socket is in the place of the " + want
	case m&(fs.ModeDevice|fs.ModeIrregular) != 0:
		return "a device is in the place of the " + want
	}
	return ""
}

// linkOddity: git keeps where a link leads, and what lies there only where that is in
// the workspace too. A folder that is a link is not entered at all.
func (s *workSnapshot) linkOddity(rel string, folder bool) string {
	to, err := filepath.EvalSymlinks(s.abs(rel))
	if err != nil {
		return "a link that leads nowhere"
	}
	root, err := filepath.EvalSymlinks(s.ws.Root)
	if err != nil {
		return ""
	}
	if in, err := filepath.Rel(root, to); err != nil || in == ".." || strings.HasPrefix(in, ".."+string(filepath.Separator)) {
		return "a link out of the workspace: git keeps the link, and not what it says"
	}
	if folder {
		return "a link is in the place of the folder: what lies behind it is not recorded under this name"
	}
	return ""
}

// walk looks through a folder.
func (s *workSnapshot) walk(ctx context.Context, dir string, out []Oddity) ([]Oddity, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.ws.NeverManaged(dir + "/") {
		return out, nil
	}
	entries, err := os.ReadDir(s.abs(dir))
	switch {
	case errors.Is(err, fs.ErrPermission):
		return append(out, Oddity{dir + "/", "the folder cannot be read: no permission", true}), nil
	case err != nil:
		return out, nil //nolint:nilerr // it went away
	}
	for _, e := range entries {
		if e.Name() == ".git" {
			return out, nil // a repository of its own
		}
	}
	for _, e := range entries {
		rel := path.Join(dir, e.Name())
		switch m := e.Type(); {
		case m.IsDir():
			if out, err = s.walk(ctx, rel, out); err != nil {
				return nil, err
			}
		case m.IsRegular() || !s.ws.Managed(rel) || m&fs.ModeSymlink != 0 && !isMarkdown(rel):
		default:
			fi, err := e.Info()
			if err != nil {
				continue
			}
			if what := s.oddity(rel, fi, false); what != "" {
				out = append(out, Oddity{rel, what, false})
			}
		}
	}
	return out, nil
}
