package gitops

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// commitObject builds the commit when everything that git would put into it is
// known: no signature, no hook, and names and addresses that configuration or
// environment spell out. It gives the very object that commitTree would.
func (c *commitRun) commitObject(tree ID, parents []ID) (o object, signature string, known bool) {
	env := c.repo.Git.env
	if c.sign || c.tx.Sign || len(c.hooks) > 0 || env.Getenv("GIT_AUTHOR_DATE") != "" || env.Getenv("GIT_COMMITTER_DATE") != "" {
		return o, "", false
	}
	if strings.IndexByte(c.message, 0) >= 0 || !utf8.ValidString(c.message) {
		return o, "", false // git refuses the first and mends the second
	}
	author, ok := c.person("author")
	if !ok {
		return o, "", false
	}
	committer, ok := c.person("committer")
	if !ok {
		return o, "", false
	}
	now := env.Now()
	when := fmt.Sprintf("%d %s", now.Unix(), now.Format("-0700"))
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, parent := range parents {
		fmt.Fprintf(&b, "parent %s\n", parent)
	}
	signature = committer + " " + when
	fmt.Fprintf(&b, "author %s %s\ncommitter %s\n\n%s", author, when, signature, c.message)
	data := []byte(b.String())
	return object{kind: kindCommit, id: c.repo.hashObject(kindCommit, data), data: data}, signature, true
}

// person is the `Name <mail>` of a role, when it is said in so many words. git
// guesses and cleans up in other cases (ident.c), and is asked then.
func (c *commitRun) person(role string) (string, bool) {
	env := c.repo.Git.env
	part := func(variable, key string) string {
		if v := env.Getenv("GIT_" + strings.ToUpper(role) + "_" + variable); v != "" {
			return v
		}
		for _, section := range []string{role, "user"} {
			if v, ok := c.cfg.Get(section + "." + key); ok {
				return v
			}
		}
		return ""
	}
	name, mail := part("NAME", "name"), part("EMAIL", "email")
	if !plainIdent(name) || !plainIdent(mail) {
		return "", false
	}
	return name + " <" + mail + ">", true
}

// plainIdent reports whether git would take a name or an address as it is.
func plainIdent(s string) bool {
	const crud = ".,:;<>\"\\'"
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == '<' || r == '>' || r == 0x7f || r == 0xfffd }) &&
		!strings.ContainsAny(s[:1], crud+" ") && !strings.ContainsAny(s[len(s)-1:], crud+" ")
}

// writeAside starts writing objects; written waits for it.
func (c *commitRun) writeAside(objs []object) {
	ctx := c.ctx
	c.writing = make(chan error, 1)
	go func() { c.writing <- c.repo.writeObjects(ctx, objs, c.flags...) }()
}

func (c *commitRun) written() error {
	if c.writing == nil {
		return nil
	}
	err := <-c.writing
	c.writing = nil
	return err
}

// hasAttributes reports whether the transaction holds a .gitattributes: git reads
// it from the index where the work tree has none yet, and calls an object corrupt
// that appears while it looks.
func (c *commitRun) hasAttributes() bool {
	return slices.ContainsFunc(c.tx.Changes, func(ch Change) bool { return path.Base(ch.Path) == ".gitattributes" })
}

func (c *commitRun) commitTree(tree ID, parents []ID) (ID, error) {
	args := withFlags(c.flags, "-c", "i18n.commitEncoding=UTF-8", "commit-tree", "-F", "-")
	for _, parent := range parents {
		args = append(args, "-p", parent.String())
	}
	if c.sign || c.tx.Sign {
		args = append(args, "-S")
	}
	out, err := c.repo.run(c.ctx, Cmd{
		Args: append(args, tree.String()), Stdin: strings.NewReader(c.message), Env: c.dates(),
	})
	if ge := identError(err); ge != nil {
		return ID{}, ge
	}
	if err != nil {
		return ID{}, fmt.Errorf("make commit: %w", err)
	}
	return ParseID(strings.TrimSuffix(string(out), "\n"))
}

// identError recognises git's complaints about a name or an address (ident.c).
func identError(err error) error {
	var ge *GitError
	if !errors.As(err, &ge) {
		return nil
	}
	for _, s := range []string{"empty ident name", "disallowed characters", "Please tell me who you are", "auto-detect"} {
		if strings.Contains(ge.Stderr, s) {
			return &IdentError{Detail: strings.TrimSpace(ge.Stderr)}
		}
	}
	return nil
}

// dates gives git our clock, unless the user has set git's own variables.
func (c *commitRun) dates() []string {
	env := c.repo.Git.env
	now := env.Now()
	stamp := fmt.Sprintf("@%d %s", now.Unix(), now.Format("-0700"))
	var out []string
	for _, name := range []string{"GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"} {
		if env.Getenv(name) == "" {
			out = append(out, name+"="+stamp)
		}
	}
	return out
}
