package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/hooks/secret"
)

const (
	module  = "github.com/zricethezav/gitleaks/v8"
	version = "v8.30.1"
)

// write is put into gitleaks' own test of a rule.
const write = `
func writeCases(id string, found, passed []string) {
	f, err := os.OpenFile(os.Getenv("CASES"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		err = json.NewEncoder(f).Encode(map[string]any{"id": id, "found": found, "passed": passed})
	}
	if err != nil {
		panic(err)
	}
	_ = f.Close()
}

func values(m map[string]string) (out []string) {
	for _, v := range m {
		out = append(out, v)
	}
	return out
}
`

// rule is the cases of a rule of gitleaks.
type rule struct {
	ID     string   `json:"id"`
	Found  []string `json:"found"`
	Passed []string `json:"passed"`
}

func main() {
	show := flag.Int("show", 0, "how many of the cases that are missed to print for each rule")
	notes := flag.String("notes", "", "files and folders of notes to count findings in, parted by commas")
	flag.Parse()
	if err := run(context.Background(), *show, *notes); err != nil {
		fmt.Fprintf(os.Stderr, "gitleaks: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, show int, notes string) error {
	rules, err := cases(ctx)
	if err != nil {
		return err
	}
	scan := secret.New()
	total, found, whole, passed, wrong := 0, 0, 0, 0, 0
	for _, r := range rules {
		missed := r.missed(scan)
		total, found = total+len(r.Found), found+len(r.Found)-len(missed)
		if len(missed) == 0 {
			whole++
		} else {
			fmt.Printf("%s: %d of %d missed\n", r.ID, len(missed), len(r.Found))
		}
		for _, c := range missed[:min(show, len(missed))] {
			fmt.Printf("    %.200q\n", c)
		}
		passed += len(r.Passed)
		for _, c := range r.Passed {
			if len(scan.Scan([]byte(c))) > 0 {
				wrong++
			}
		}
	}
	fmt.Printf("recall %.4f (%d of %d cases), all cases of %d of %d rules; of %d cases that gitleaks passes %d are found\n",
		float64(found)/float64(total), found, total, whole, len(rules), passed, wrong)
	if notes == "" {
		return nil
	}
	return count(scan, strings.Split(notes, ","))
}

func (r rule) missed(scan *secret.Scanner) []string {
	return slices.DeleteFunc(slices.Clone(r.Found), func(c string) bool { return len(scan.Scan([]byte(c))) > 0 })
}

// cases has gitleaks make its cases.
func cases(ctx context.Context) ([]rule, error) {
	dir, err := os.MkdirTemp("", "gitleaks-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	command := func(in string, environ []string, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir, cmd.Env = in, append(os.Environ(), append(environ, "GOFLAGS=-mod=mod", "GOWORK=off")...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
		}
		return out.Bytes(), nil
	}
	out, err := command(dir, nil, "mod", "download", "-json", module+"@"+version)
	if err != nil {
		return nil, err
	}
	var got struct{ Dir string }
	if err := json.Unmarshal(out, &got); err != nil {
		return nil, err
	}
	src, file := filepath.Join(dir, "src"), filepath.Join(dir, "cases.jsonl")
	if err := errors.Join(copyTree(got.Dir, src), teach(filepath.Join(src, "cmd/generate/config/utils/validate.go"))); err != nil {
		return nil, err
	}
	if _, err := command(filepath.Join(src, "cmd/generate/config"), []string{"CASES=" + file}, "run", ".", filepath.Join(dir, "out.toml")); err != nil {
		return nil, err
	}
	return read(file)
}

// copyTree copies the module, whose files may not be written.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o777)
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), b, 0o666)
	})
}

// teach makes the test of a rule write its cases down.
func teach(file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	s := string(b)
	for _, edit := range [][2]string{
		{"import (\n", "import (\n\t\"encoding/json\"\n\t\"os\"\n"},
		{"falsePositives []string) *config.Rule {\n\tr := &rule\n", "falsePositives []string) *config.Rule {\n\tr := &rule\n\twriteCases(r.RuleID, truePositives, falsePositives)\n"},
		{"falsePositives map[string]string) *config.Rule {\n\tr := &rule\n", "falsePositives map[string]string) *config.Rule {\n\tr := &rule\n\twriteCases(r.RuleID, values(truePositives), values(falsePositives))\n"},
	} {
		if !strings.Contains(s, edit[0]) {
			return fmt.Errorf("'%s' is not what it was in %s", filepath.Base(file), version)
		}
		s = strings.Replace(s, edit[0], edit[1], 1)
	}
	return os.WriteFile(file, []byte(s+write), 0o666)
}

func read(file string) ([]rule, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var rules []rule
	for dec := json.NewDecoder(bufio.NewReader(f)); ; {
		var r rule
		if err := dec.Decode(&r); errors.Is(err, io.EOF) {
			return rules, nil
		} else if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
}

// count counts findings in notes.
func count(scan *secret.Scanner, roots []string) error {
	lines, found := 0, 0
	for _, root := range roots {
		err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || filepath.Ext(p) != ".md" {
				return err
			}
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			lines += bytes.Count(b, []byte{'\n'})
			for _, f := range scan.Scan(b) {
				found++
				fmt.Printf("%s:%d %s\n", p, f.Line, f.Kind)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	fmt.Printf("notes: %d findings in %d lines, %.3f in 1,000\n", found, lines, 1000*float64(found)/float64(max(lines, 1)))
	return nil
}
