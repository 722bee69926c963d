package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
)

// version is set by the build (-ldflags -X).
var version = "dev"

// Categories of commands, in the order in which help lists them.
const (
	categoryStart   = "Start"
	categoryRecord  = "Record"
	categoryFind    = "Find"
	categoryLearn   = "Learn and review"
	categoryHistory = "Look back"
	categoryWiring  = "Wiring"
	categoryHelp    = "Help"
)

var categories = []string{categoryStart, categoryRecord, categoryFind, categoryLearn, categoryHistory, categoryWiring, categoryHelp}

// commands lists every command. A nil run stands for the command's own, which
// the constructor fills in.
func commands(env *Env) []*cli.Command {
	list := []*cli.Command{
		newInitCommand(env, runInit),
		newStatusCommand(env, runStatus),
		newDoctorCommand(env, runDoctor),
		newHealthCommand(env, runHealth),
		newConnectCommand(env, runConnect),
		newSaveCommand(env, runSave),
		newNoteCommand(env, runNote),
		newLearnCommand(env, runLesson),
		newPromoteCommand(env, runPromote),
		newCandidateCommand(env, runCandidate),
		newCheckpointCommand(env, runCheckpoint),
		newConsolidateCommand(env, runConsolidate),
		newDecideCommand(env, runDecide),
		newVerifyCommand(env, runVerify),
		newTrimCommand(env, runTrim),
		newWatchCommand(env, runWatch),
		newSyncCommand(env, runSync),
		newLogCommand(env, runLog),
		newShowCommand(env, runShow),
		newDiffCommand(env, runDiff),
		newSearchCommand(env, runSearch),
		newGetCommand(env, runGet),
		newContextCommand(env, runContext),
		newProposalCommand(env, runProposal),
		newReviewCommand(env, runReview),
		newIndexCommand(env, runIndex),
		newWhyCommand(env, runWhy),
		newUndoCommand(env, runUndo),
		newTickCommand(env, runTick),
		newHooksCommand(env, runHooks),
		newMergeDriverCommand(env, runMergeDriver),
		newHelpCommand(env, runHelp),
		newVersionCommand(env, runVersion),
		newGenerateCommand(env, runGenerate),
	}
	guard(list)
	return list
}

// guard sets on every command what keeps urfave/cli from printing, ending the
// process or adding commands of its own.
func guard(list []*cli.Command) {
	for _, c := range list {
		c.HideHelp = true
		c.OnUsageError = onUsageError
		guard(c.Subcommands)
	}
}

func newApp(env *Env) *cli.App {
	return &cli.App{
		Name:     "git-claw",
		HelpName: "git claw",
		Usage:    "keep the memory of an AI agent in git",
		Flags:    globalFlags(),
		Commands: commands(env),
		Before:   func(c *cli.Context) error { return env.apply(c) },
		// Reached only by a line that arrange did not sort.
		Action:       func(c *cli.Context) error { return usagef("no command given").hint("run 'git claw help' for a list") },
		OnUsageError: onUsageError,
		// By default a cli.ExitCoder would end the process inside Run.
		ExitErrHandler:            func(*cli.Context, error) {},
		HideHelp:                  true,
		HideVersion:               true,            // frees -v
		DisableSliceFlagSeparator: true,            // a comma in a path is part of it
		Compiled:                  time.Unix(1, 0), // else it is looked up on disk
		Reader:                    env.In,
		Writer:                    env.Out,
		ErrWriter:                 env.Err,
	}
}

// globalFlags stand before or after the command (SPEC 10.8).
func globalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "C", Usage: "run as if started in this directory"},
		&cli.StringFlag{Name: "workspace", Aliases: []string{"w"}, Usage: "the workspace, instead of looking for it"},
		&cli.StringFlag{Name: "as", Usage: "who acts: user, agent, cron, checkpoint or unknown"},
		&cli.StringFlag{Name: "session", Usage: "session to record or to ask for"},
		&cli.StringFlag{Name: "for", Usage: "kind of session that will read the answer"},
		&cli.StringFlag{Name: "now", Usage: "use this time as the clock"},
		&cli.BoolFlag{Name: "json", Usage: "answer in JSON Lines"},
		&cli.StringFlag{Name: "color", Usage: "colours: always, never or auto"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no confirmations, progress or hints"},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "say more"},
		&cli.BoolFlag{Name: "h", Usage: "show the options in short"},
		&cli.BoolFlag{Name: "help", Usage: "show the manual page"},
		&cli.BoolFlag{Name: "version", Usage: "show the version"},
	}
}

// run is git claw: it does what the words ask for and returns the exit code.
func run(ctx context.Context, env *Env, words []string) int {
	app := newApp(env)
	sorter := arranger{commands: app.Commands, global: app.Flags, fallback: "status"}
	inv, err := sorter.arrange(words)
	env.Opt.JSON = inv.json
	switch {
	case err != nil:
	case inv.help == helpShort:
		err = showUsage(env, app, inv.path)
	case inv.help == helpLong:
		err = showPage(ctx, env, app, inv.path)
	default:
		err = app.RunContext(ctx, inv.argv)
	}
	if err == nil {
		if out, ok := env.Out.(*stickyWriter); ok {
			err = out.err
		}
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx) // what failed did so because of the signal
	}
	return report(env, err)
}

// apply takes the global options and the variables behind them into env.
func (e *Env) apply(c *cli.Context) error {
	for _, dir := range c.StringSlice("C") {
		if dir == "" {
			continue
		}
		e.Dir = e.Abs(dir)
		if info, err := os.Stat(e.Dir); err != nil || !info.IsDir() {
			return fmt.Errorf("cannot change to '%s': no such directory", dir)
		}
	}
	o := &e.Opt
	*o = Options{
		Actor: e.Getenv("GIT_CLAW_ACTOR"), Session: e.Getenv("GIT_CLAW_SESSION"), SessionKind: e.Getenv("GIT_CLAW_SESSION_KIND"),
		JSON: c.Bool("json"), Quiet: c.Bool("quiet"), Verbose: c.Bool("verbose"),
	}
	if dir := c.String("workspace"); dir != "" {
		o.Workspace = e.Abs(dir)
	}
	if c.IsSet("as") {
		o.Actor, o.ActorSaid = c.String("as"), true
	}
	if c.IsSet("session") {
		o.Session, o.SessionSaid = c.String("session"), true
	}
	if err := o.narrow(c.String("for")); err != nil {
		return err
	}
	if o.Color = c.String("color"); o.Color != "" && o.Color != "always" && o.Color != "never" && o.Color != "auto" {
		return usagef("'%s' is no value of '--color'", o.Color).hint("use 'always', 'never' or 'auto'")
	}
	switch o.SessionKind {
	case "", "main", "group", "cron", "subagent":
	default:
		return usagef("unknown kind of session '%s' in GIT_CLAW_SESSION_KIND", o.SessionKind).hint("use 'main', 'group', 'cron' or 'subagent'")
	}
	if o.Actor != "" {
		if _, err := agent.ParseActor(o.Actor); err != nil {
			return err
		}
	}
	return e.setClock(c.String("now"))
}

// narrow takes the kind of session of --for. It may narrow what the variable
// lets a reader see, not widen it: a group session cannot call itself main.
func (o *Options) narrow(kind string) error {
	switch kind {
	case "":
	case "main":
		if o.SessionKind == "" {
			o.SessionKind = kind
		}
	case "group", "cron", "subagent":
		o.SessionKind = kind
	default:
		return usagef("unknown kind of session '%s'", kind).hint("use 'main', 'group', 'cron' or 'subagent'")
	}
	return nil
}

// setClock fixes the clock where --now or GIT_CLAW_NOW ask for it.
func (e *Env) setClock(option string) error {
	value, name := option, "--now"
	if value == "" {
		value, name = e.Getenv("GIT_CLAW_NOW"), "GIT_CLAW_NOW"
	}
	if value == "" {
		return nil
	}
	t, err := time.Parse(time.RFC3339, value)
	if err != nil {
		return usagef("'%s' is no time for '%s'", value, name).hint("write it as 2026-03-04T15:04:05Z")
	}
	if t.Unix() < 0 || t.Year() > 9999 {
		return usagef("'%s' is no time for '%s': git counts from 1970", value, name)
	}
	e.Now = func() time.Time { return t }
	return nil
}

// onUsageError says in our words that a value could not be read.
func onUsageError(_ *cli.Context, err error, _ bool) error {
	// The flag package writes: invalid value "x" for flag -limit: parse error
	msg := err.Error()
	if rest, ok := strings.CutPrefix(msg, "invalid value "); ok {
		if value, rest, ok := strings.Cut(rest, " for flag -"); ok {
			name, _, _ := strings.Cut(rest, ":")
			return usagef("%s is no value of option '%s'", strings.ReplaceAll(value, `"`, "'"), dashed(name))
		}
	}
	return usagef("%s", msg)
}

// dashed writes the name of an option as it is typed.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// operands checks how many arguments a command got; most below zero means any
// number.
func operands(c *cli.Context, least, most int) error {
	n := c.Args().Len()
	switch {
	case n < least:
		return usagef("too few arguments").hint("%s", fmt.Sprintf("run 'git claw %s -h'", c.Command.Name))
	case most >= 0 && n > most:
		return usagef("too many arguments: '%s'", c.Args().Get(most)).hint("run 'git claw %s -h'", c.Command.Name)
	}
	return nil
}
