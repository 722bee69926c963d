package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/git-claw/git-claw/testdata/sandbox"
)

// rssCommand makes this program run another one and print its peak of memory.
const rssCommand = "max-rss-of"

// maxRSS runs a command and returns the most memory it held, in bytes. A new
// process of this program stands in between: until it calls exec, a child shares
// the memory of the one that started it, and Linux counts that peak as the
// child's. The bench itself is large.
func maxRSS(ctx context.Context, box *sandbox.Box, dir string, argv ...string) (int64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	if _, err := peak(nil); err != nil {
		return 0, err
	}
	result, err := box.Run(ctx, dir, "", append([]string{self, rssCommand}, argv...)...)
	if err != nil {
		return 0, err
	}
	if result.Code != 0 {
		return 0, fmt.Errorf("exit %d: %s", result.Code, strings.TrimSpace(result.Stderr))
	}
	return strconv.ParseInt(strings.TrimSpace(result.Stdout), 10, 64)
}

// rssMain is the process in between; it returns the exit status.
func rssMain(argv []string) int {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		return 1
	}
	bytes, err := peak(cmd.ProcessState)
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		return 1
	}
	fmt.Println(bytes)
	return 0
}
