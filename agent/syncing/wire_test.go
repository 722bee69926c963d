package syncing_test

import (
	"net"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// acceptance is what SPEC section 14 wants of sync, by its numbers.
var acceptance = map[string]func(*testing.T){
	"T39": TestSameDay, "T40": TestSameBullet, "T41": TestCandidates, "T42": TestSeveralKinds, "T43": TestArchived,
	"T46": TestProposalsTravel, "T48": TestAcceptAfterSync, "T62": TestStrangers, "T63": TestForeignCommits,
}

// TestOverNetwork is SPEC section 14 over git's own protocol, on loopback.
func TestOverNetwork(t *testing.T) {
	t.Parallel()
	for name, test := range acceptance {
		t.Run(name, test)
	}
}

// TestOverHTTP is SPEC section 14 over git's HTTP protocol, on loopback: all of it when much
// is tested, see the Makefile.
func TestOverHTTP(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*testing.T){"T39": TestSameDay, "T46": TestProposalsTravel}
	if os.Getenv("CLAW_TEST_BIG") != "" {
		tests = acceptance
	}
	for name, test := range tests {
		t.Run(name, test)
	}
}

// url is how the machines of a test reach the remote: by its folder, or over the network in
// the tests that run others once more.
func (f *fleet) url() string {
	folder := filepath.Base(f.remote)
	switch root, _, _ := strings.Cut(f.t.Name(), "/"); root {
	case "TestOverNetwork":
		return "git://127.0.0.1:" + serve(f.t, f.remote) + "/" + folder
	case "TestOverHTTP":
		return serveHTTP(f.t, f.m[0].Git("--exec-path"), f.remote) + "/" + folder
	}
	return f.remote
}

// serve starts `git daemon` for the folder of a bare repository and returns its port.
func serve(t testing.TB, bare string) string {
	t.Helper()
	base := filepath.Dir(bare)
	for range 5 { // another test may be quicker with a port
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Skip("no loopback:", err)
		}
		_, port, _ := net.SplitHostPort(l.Addr().String())
		_ = l.Close()
		cmd := exec.Command("git", "daemon", "--export-all", "--enable=receive-pack", "--reuseaddr", "--listen=127.0.0.1", "--port="+port, "--base-path="+base, base)
		if err := cmd.Start(); err != nil {
			t.Skip("no git daemon:", err)
		}
		ended := make(chan bool)
		go func() { _ = cmd.Wait(); close(ended) }()
		t.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGTERM); <-ended })
		if answers(ended, "git://127.0.0.1:"+port+"/"+filepath.Base(bare)) {
			return port
		}
	}
	t.Skip("git daemon does not listen")
	return ""
}

// answers waits for a server; false when it ended.
func answers(ended chan bool, url string) bool {
	for range 200 {
		select {
		case <-ended:
			return false
		case <-time.After(10 * time.Millisecond):
		}
		if exec.Command("git", "ls-remote", url).Run() == nil {
			return true
		}
	}
	return false
}

// serveHTTP starts a server for the folder of a bare repository and returns its address.
func serveHTTP(t testing.TB, execPath, bare string) string {
	t.Helper()
	backend := filepath.Join(execPath, "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("no git http-backend:", err)
	}
	srv := httptest.NewServer(&cgi.Handler{
		Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(bare), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=li"},
	})
	t.Cleanup(srv.Close)
	return srv.URL
}
