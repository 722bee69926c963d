package gitops

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// endTree ends a child and all that it started, when it shares our process group, as one
// that may ask at the terminal must: git does not end the ssh, the helper for HTTP or the
// git at the other end of a path that it talks to.
func endTree(p *os.Process, env Env) error {
	below := descendants(p.Pid, env)
	err := terminate(p)
	for _, pid := range below {
		if q, ferr := os.FindProcess(pid); ferr == nil {
			_ = terminate(q)
		}
	}
	return err
}

// descendants lists the processes that a process started, and those that these did.
func descendants(pid int, env Env) []int {
	ps, err := lookPath("ps", env)
	if err != nil {
		return nil
	}
	out, err := exec.Command(ps, "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) != 2 {
			continue
		}
		child, cerr := strconv.Atoi(f[0])
		parent, perr := strconv.Atoi(f[1])
		if cerr == nil && perr == nil && child > 1 {
			children[parent] = append(children[parent], child)
		}
	}
	var all []int
	for next := children[pid]; len(next) > 0; {
		child := next[0]
		all = append(all, child)
		next = append(next[1:], children[child]...)
		if len(all) > 1000 {
			break
		}
	}
	return all
}
