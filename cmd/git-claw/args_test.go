package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// sampleCommands has every shape of a command.
func sampleCommands() []*cli.Command {
	return []*cli.Command{
		{Name: "status"},
		{Name: "save", ArgsUsage: "[<path>...]", Flags: []cli.Flag{
			&cli.StringFlag{Name: "message", Aliases: []string{"m"}},
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}},
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"}},
		}},
		{Name: "hooks", Flags: []cli.Flag{&cli.BoolFlag{Name: "check"}}, Subcommands: []*cli.Command{
			{Name: "install", Flags: []cli.Flag{&cli.BoolFlag{Name: "dry-run"}}},
			{Name: "run", Hidden: true, ArgsUsage: "<host>"},
		}},
	}
}

func sample() *arranger {
	return &arranger{commands: sampleCommands(), global: globalFlags(), fallback: "status"}
}

func TestArrange(t *testing.T) {
	t.Parallel()
	// Words of both lines are separated by single blanks, '~' is an empty word.
	tests := []struct{ line, want string }{
		{"", "status"},
		{"--json", "--json status"},
		{"save", "save"},
		{"save FILE -m hi", "save --message=hi -- FILE"},
		{"save FILE --message hi OTHER", "save --message=hi -- FILE OTHER"},
		{"save -mhi FILE", "save --message=hi -- FILE"},
		{"save --message=a=b FILE", "save --message=a=b -- FILE"},
		{"save -m -x FILE", "save --message=-x -- FILE"},
		{"save -m -- FILE", "save --message=-- -- FILE"},
		{"save -m ~ FILE", "save --message= -- FILE"},
		{"save -am hi", "save --all --message=hi"},
		{"save -amhi", "save --all --message=hi"},
		{"save -n5", "save --limit=5"},
		{"save -5", "save --limit=5"},
		{"save FILE -- -m hi --json", "save -- FILE -m hi --json"},
		{"save -- --", "save -- --"},
		{"save - help h", "save -- - help h"},
		{"save status save", "save -- status save"},
		{"-q save -v FILE --json", "--quiet --verbose --json save -- FILE"},
		{"-C a save -C b", "--C=a --C=b save"},
		{"save --color FILE", "--color=always save -- FILE"},
		{"save --color=never FILE", "--color=never save -- FILE"},
		{"hooks", "hooks"},
		{"hooks --check", "hooks --check"},
		{"hooks install --dry-run", "hooks install --dry-run"},
		{"hooks install --check -q", "--quiet hooks --check install"},
		{"hooks --check run claude-code x", "hooks --check run -- claude-code x"},
		{"hooks -- install", "error: 'install' is not a subcommand of 'git claw hooks'"},
		{"save --help-me", "error: unknown option '--help-me'"},
		{"save -x", "error: unknown option '-x'"},
		{"save -json", "error: unknown option '-j'"},
		{"save --m hi", "error: unknown option '--m'"},
		{"-m hi save", "error: unknown option '-m'"},
		{"save -m", "error: option '-m' needs a value"},
		{"save --message", "error: option '--message' needs a value"},
		{"save --all=yes", "error: option '--all' takes no value"},
		{"-- save", "error: unknown option '--'"},
		{"svae", "error: 'svae' is not a git claw command"},
		{"~", "error: '' is not a git claw command"},
		{"svae --json --bogus", "error: 'svae' is not a git claw command"},
		{"hooks isntall", "error: 'isntall' is not a subcommand of 'git claw hooks'"},
	}
	for _, tt := range tests {
		var words []string
		for _, w := range strings.Fields(tt.line) {
			words = append(words, strings.ReplaceAll(w, "~", ""))
		}
		inv, err := sample().arrange(words)
		got := strings.TrimPrefix(strings.Join(inv.argv, " "), "git-claw ")
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != tt.want {
			t.Errorf("arrange(%q) = %q, want %q", tt.line, got, tt.want)
		}
	}
}

func TestArrangeHelp(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line string
		help helpKind
		path string
	}{
		{"-h", helpShort, ""},
		{"--help", helpLong, ""},
		{"save -h", helpShort, "save"},
		{"save FILE --help", helpLong, "save"},
		{"-h hooks install", helpShort, "hooks install"},
		{"save -m -h", helpNone, "save"},
		{"save -- -h", helpNone, "save"},
	}
	for _, tt := range tests {
		inv, err := sample().arrange(strings.Fields(tt.line))
		if err != nil {
			t.Errorf("arrange(%q): %v", tt.line, err)
			continue
		}
		if path := strings.Join(names(inv.path), " "); inv.help != tt.help || path != tt.path {
			t.Errorf("arrange(%q): help %d of '%s', want %d of '%s'", tt.line, inv.help, path, tt.help, tt.path)
		}
	}
}

func TestArrangeFindsJSONInWrongLines(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"svae --json", "save --bogus --json", "--json --bogus"} {
		inv, err := sample().arrange(strings.Fields(line))
		if err == nil || !inv.json {
			t.Errorf("arrange(%q): %v, json %t", line, err, inv.json)
		}
	}
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line string
		want []string
	}{
		{"svae", []string{"did you mean 'git claw save'?", "run 'git claw help' for a list"}},
		{"xyzzy", []string{"run 'git claw help' for a list"}},
		{"hooks isntall", []string{"did you mean 'git claw hooks install'?", "run 'git claw hooks -h' for its subcommands"}},
		{"save --mesage x", []string{"did you mean '--message'?", "run 'git claw save -h' for the options"}},
		{"hooks rnu", []string{"run 'git claw hooks -h' for its subcommands"}}, // 'run' is hidden
	}
	for _, tt := range tests {
		_, err := sample().arrange(strings.Fields(tt.line))
		if got := hintsOf(err); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("arrange(%q) hints %q, want %q", tt.line, got, tt.want)
		}
	}
}

// TestParsedAsArranged runs the sorted words through urfave/cli itself.
func TestParsedAsArranged(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line, message string
		limit         int
		args          []string
	}{
		{"save FILE -m hi", "hi", 0, []string{"FILE"}},
		{"save m -m m all", "m", 0, []string{"m", "all"}},
		{"save help -m hi -n 7", "hi", 7, []string{"help"}},
		{"save -m a,b -- -n 7", "a,b", 0, []string{"-n", "7"}},
		{"save --", "", 0, nil},
	}
	for _, tt := range tests {
		a := sample()
		inv, err := a.arrange(strings.Fields(tt.line))
		if err != nil {
			t.Errorf("arrange(%q): %v", tt.line, err)
			continue
		}
		ran := false
		find(a.commands, "save").Action = func(c *cli.Context) error {
			ran = true
			var args []string
			args = append(args, c.Args().Slice()...)
			if c.String("message") != tt.message || c.Int("limit") != tt.limit || !reflect.DeepEqual(args, tt.args) {
				t.Errorf("%q: message %q, limit %d, arguments %q", tt.line, c.String("message"), c.Int("limit"), args)
			}
			return nil
		}
		guard(a.commands)
		app := &cli.App{Commands: a.commands, Flags: a.global, HideHelp: true, HideVersion: true}
		if err := app.Run(inv.argv); err != nil || !ran {
			t.Errorf("%q: ran %t, %v", tt.line, ran, err)
		}
	}
}

func FuzzArrange(f *testing.F) {
	f.Add("save FILE -m hi")
	f.Add("--color hooks run -- x --json")
	f.Add("-\xff save --=")
	f.Fuzz(func(t *testing.T, line string) {
		inv, err := sample().arrange(strings.Split(line, " "))
		if err == nil && inv.help == helpNone && (len(inv.argv) < 2 || len(inv.path) == 0) {
			t.Errorf("arrange(%q) = %q", line, inv.argv)
		}
	})
}
