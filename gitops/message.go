package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// MessageTrailer is a trailer for a message that git is about to commit.
type MessageTrailer struct {
	Key, Value string
	Replace    bool // in the place of one that is there, of several the first, which else stays
	Only       bool // as Replace, but where there is none nothing is added
}

// AddTrailers lets git add trailers to a message in a file. An empty value is
// left out. edited says that a person or a program sees the message in an editor
// first, so that it may hold comments; git knows them by its configuration.
func (r *Repo) AddTrailers(ctx context.Context, file string, edited bool, trailers []MessageTrailer) error {
	if err := endLine(file); err != nil {
		return err
	}
	args := []string{"-c", "trailer.separators=:"}
	if !edited {
		// A line with this character belongs to the message. Where the message
		// ends is what it will be when the trailers are read.
		args = trailerRules
	}
	args = append(args[:len(args):len(args)], "interpret-trailers", "--in-place", "--no-divider")
	for _, t := range trailers {
		value := OneLine(t.Value)
		if value == "" {
			continue
		}
		trailer := cleanKey(t.Key) + ": " + value
		if t.Replace || t.Only {
			args = append(args, "--if-missing", "doNothing", "--where", "before", "--if-exists", "replace", "--trailer", trailer)
		}
		if !t.Only {
			args = append(args, "--if-missing", "add", "--where", "end", "--if-exists", "doNothing", "--trailer", trailer)
		}
	}
	if _, err := r.run(ctx, Cmd{Args: append(args, "--end-of-options", file)}); err != nil {
		return fmt.Errorf("add trailers to '%s': %w", file, err)
	}
	return nil
}

// endLine ends the last line of a message. Without its newline, which only
// --cleanup=verbatim leaves out, git takes what it adds for a part of the subject.
func endLine(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read message: %w", err)
	}
	if len(text) == 0 || text[len(text)-1] == '\n' {
		return nil
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	_, err = f.WriteString("\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	return nil
}

// Copying reports whether the commit that git is about to make has another
// one's message, or is a merge.
func (r *Repo) Copying() bool {
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD"} {
		if _, err := os.Lstat(filepath.Join(r.GitDir, name)); err == nil || r.hasPseudoRef(name) {
			return true
		}
	}
	return false
}

// CommitAuthor is the author that git tells the hooks of a commit, by the
// environment; false where there is none.
func (r *Repo) CommitAuthor() (Ident, bool) {
	env := r.Git.Env()
	date, _, _ := strings.Cut(strings.TrimPrefix(env.Getenv("GIT_AUTHOR_DATE"), "@"), " ")
	sec, err := strconv.ParseInt(date, 10, 64)
	if err != nil {
		return Ident{}, false
	}
	return Ident{Name: env.Getenv("GIT_AUTHOR_NAME"), Email: env.Getenv("GIT_AUTHOR_EMAIL"), When: time.Unix(sec, 0)}, true
}
