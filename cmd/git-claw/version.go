package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

func newVersionCommand(env *Env, run func(context.Context, *Env) error) *cli.Command {
	return &cli.Command{
		Name:     "version",
		Category: categoryHelp,
		Usage:    "show the version",
		Action: func(c *cli.Context) error {
			if err := operands(c, 0, 0); err != nil {
				return err
			}
			return run(c.Context, env)
		},
	}
}

type versionJSON struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func runVersion(_ context.Context, env *Env) error {
	v := versionJSON{Version: buildVersion(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if env.Opt.JSON {
		return writeJSON(env.Out, "claw.version/1", v)
	}
	fmt.Fprintf(env.Out, "git claw version %s\n", v.Version)
	if env.Opt.Verbose {
		fmt.Fprintf(env.Out, "%s %s/%s\n", v.Go, v.OS, v.Arch)
	}
	return nil
}

// buildVersion is what the build set, or for 'go install' what the module says.
func buildVersion() string {
	if version != "dev" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return version
}
