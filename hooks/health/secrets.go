package health

import (
	"bytes"
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/hooks"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/daily"
)

// secretsFamily looks for credentials in all managed files. Which of its checks a
// file belongs to depends on what kind of note it is.
func secretsFamily() Family {
	const fix = "take the line out, and change the credential: git keeps what was committed; 'claw:allow' in the line lets it pass"
	scan := secret.New()
	return Family{
		Name: "secrets",
		Checks: []Check{
			{ID: "EPI-006", Severity: Failure, Rule: "OM-17", Meaning: "no credentials in daily notes", Fix: fix},
			{ID: "GIT-008", Severity: Failure, Rule: "GN-21", Meaning: "no credentials in managed files, and no files of credentials in git", Fix: fix},
			{ID: "SNAP-001", Severity: Failure, Rule: "RC-12", Meaning: "no credentials in snapshots of sessions", Fix: fix},
		},
		Look: Over(isAnyFile, func(_ *Run, n *Note, out *Out) string {
			id := secretCheck(n.File)
			for _, f := range scan.Scan(n.Text) {
				addSecret(out, id, n.Path, f)
			}
			if _, kind := scan.MaskName(n.Path); kind != "" {
				out.Add(Finding{
					ID: "GIT-008", Path: n.Path, Message: "secret in its name: " + kind, Expected: "no credential", Actual: kind,
					Fix: "give the file another name, and change the credential: git keeps what was committed",
				})
			}
			if n.Tracked {
				return secretFile(n.Path, n.Text)
			}
			return ""
		}, func(ctx context.Context, r *Run, facts []Fact[string], out *Out) error {
			if err := largeSecrets(ctx, r, scan, out); err != nil {
				return err
			}
			return judgeSecretFiles(ctx, r, facts, out)
		}),
		Wake: func(_ *Run, changes []Change) bool {
			return slices.ContainsFunc(changes, func(c Change) bool { return !strings.Contains(c.Path, "/") && secretName(c.Path) })
		},
	}
}

func addSecret(out *Out, id, rel string, f secret.Finding) {
	out.Add(Finding{
		ID: id, Path: rel, Line: f.Line, EndLine: f.EndLine, Message: "secret: " + f.Kind,
		Expected: "no credential", Actual: f.Kind,
	})
}

// large is a snapshot that can look through a file which it does not hold.
type large interface {
	With(ctx context.Context, f File, read func(io.Reader) error) error
}

// largeSecrets looks through what is too large for the other checks: a tracked file
// may lower claw.maxFileBytes, and a commit may hold what git claw would not save.
func largeSecrets(ctx context.Context, r *Run, scan *secret.Scanner, out *Out) error {
	s, ok := r.Snapshot.(large)
	if !ok {
		return nil
	}
	for _, f := range r.Large() {
		if !r.On(secretCheck(f)) {
			continue
		}
		err := s.With(ctx, f, func(text io.Reader) error {
			found, err := scan.ScanReader(io.LimitReader(text, hooks.MaxScan))
			for _, one := range found {
				addSecret(out, secretCheck(f), f.Path, one)
			}
			return err
		})
		if err != nil && !unreadable(err) {
			return err
		}
	}
	return nil
}

func isAnyFile(_ *Run, f File) bool { return f.Mode.IsFile() }

// secretCheck is the check that a file's credentials belong to.
func secretCheck(f File) string {
	if f.Kind == memory.KindDaily || f.Kind == memory.KindNote {
		if _, verdict := daily.Name(f.Path); verdict == daily.Dated {
			if base := strings.TrimSuffix(path.Base(f.Path), path.Ext(f.Path)); len(strings.Trim(base, "0123456789-_")) == 0 && len(base) <= len("YYYY-MM-DD") {
				return "EPI-006"
			}
			return "SNAP-001"
		}
	}
	return "GIT-008"
}

// judgeSecretFiles looks at names: of managed files those that were read, and of
// the root itself all that git tracks.
func judgeSecretFiles(ctx context.Context, r *Run, facts []Fact[string], out *Out) error {
	if !r.On("GIT-008") {
		return nil
	}
	add := func(rel, why string) {
		out.Add(Finding{
			ID: "GIT-008", Path: rel, Message: why, Expected: "not tracked", Actual: "tracked",
			Fix: "git rm --cached " + shellQuote(rel) + ", and change what stands in it: git keeps what was committed",
		})
	}
	for _, f := range facts {
		if f.Value != "" {
			add(f.File.Path, f.Value)
		}
	}
	tracked, err := r.Tracked(ctx)
	if err != nil {
		return err
	}
	for _, rel := range tracked {
		if strings.Contains(rel, "/") || !secretName(rel) || r.WS.Managed(rel) {
			continue
		}
		text, ok, err := r.Text(ctx, rel)
		if err != nil {
			return err
		}
		if why := secretFile(rel, text); ok && why != "" {
			add(rel, why)
		}
	}
	return nil
}

// secretName reports whether credentials are kept under a name: what init ignores for
// that reason (SPEC WS-08), and keys and stores of keys, which are no text that could
// be looked into.
func secretName(rel string) bool {
	base := strings.ToLower(path.Base(rel))
	name, ext := strings.TrimSuffix(base, path.Ext(base)), path.Ext(base)
	switch {
	case base == ".env", isKeyStore(ext), slices.Contains([]string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk"}, base):
		return true
	}
	return name == "secrets" && slices.Contains([]string{".json", ".yml", ".yaml", ".toml", ".env", ".txt"}, ext)
}

func isKeyStore(ext string) bool {
	return slices.Contains([]string{".key", ".pem", ".p12", ".pfx", ".jks", ".keystore", ".ppk"}, ext)
}

// secretFile says why a file of such a name is one of credentials, or "": an empty
// file, a certificate, a public key and a presentation of Keynote are none.
func secretFile(rel string, text []byte) string {
	if !secretName(rel) {
		return ""
	}
	const is = "a file of credentials, by its name"
	base := strings.ToLower(path.Base(rel))
	switch ext := path.Ext(base); {
	case ext == ".pem" && bytes.Contains(text, []byte("-----BEGIN ")) && !bytes.Contains(text, []byte("PRIVATE KEY")):
		return ""
	case ext == ".key" && bytes.HasPrefix(text, []byte("PK\x03\x04")):
		return ""
	case strings.HasPrefix(base, "id_") && (bytes.HasPrefix(text, []byte("ssh-")) || bytes.HasPrefix(text, []byte("ecdsa-")) || bytes.HasPrefix(text, []byte("sk-"))):
		return ""
	case isKeyStore(ext), strings.HasPrefix(base, "id_"):
		if len(bytes.TrimSpace(text)) == 0 {
			return ""
		}
		return is
	}
	for _, line := range Lines(text) {
		line = bytes.Trim(line, " \t{}[],")
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if i := bytes.IndexAny(line, "=:"); i >= 0 && len(bytes.Trim(line[i+1:], " \t\"'")) == 0 {
			continue // a name without a value
		}
		return is
	}
	return ""
}
