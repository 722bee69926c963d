package syncing_test

import (
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/agent/syncing"
	"github.com/git-claw/git-claw/gitops"
)

// TestPassword: a server that wants a password ends the sync, for without a terminal nobody
// can be asked.
func TestPassword(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1, "MEMORY.md", "# Memory\n\n- start\n")
	wall := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(wall.Close)
	a := f.m[0]
	a.Git("remote", "set-url", "origin", strings.Replace(wall.URL, "://", "://li:pass-phrase@", 1)+"/memory.git")
	head := a.Git("rev-parse", "HEAD")
	_, err := trySync(a, syncing.Options{})
	var failed *gitops.RemoteError
	if !errors.As(err, &failed) || strings.Contains(failed.Stderr+failed.Error(), "pass-phrase") {
		t.Fatalf("%v", err)
	}
	if !strings.Contains(failed.Hints()[0], "credential.helper") || a.Git("rev-parse", "HEAD") != head {
		t.Errorf("%v: %q", err, failed.Hints())
	}
	a.Check()
}

// slowly writes a little at a time.
type slowly struct {
	http.ResponseWriter
	pause time.Duration
}

func (s slowly) Write(p []byte) (n int, err error) {
	const most = 32 << 10
	for len(p) > 0 {
		some := p[:min(most, len(p))]
		m, err := s.ResponseWriter.Write(some)
		if n += m; err != nil {
			return n, err
		}
		if f, ok := s.ResponseWriter.(http.Flusher); ok {
			f.Flush()
		}
		time.Sleep(s.pause * time.Duration(len(some)) / most)
		p = p[len(some):]
	}
	return n, nil
}

// TestSlowRemote: one large object that comes slowly is a sign of life, though git says
// nothing of how far it is.
func TestSlowRemote(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2, "MEMORY.md", "# Memory\n")
	backend := filepath.Join(f.m[0].Git("--exec-path"), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("no git http-backend:", err)
	}
	handler := &cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(f.remote), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=li"}}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(slowly{w, 160 * time.Millisecond}, r) }))
	t.Cleanup(srv.Close)
	a, b := f.m[0], f.m[1]
	noise := make([]byte, 500<<10)
	if _, err := a.Read(noise); err != nil {
		t.Fatal(err)
	}
	a.Write("memory/large.txt", hex.EncodeToString(noise)+"\n")
	doSync(a)
	b.Git("remote", "set-url", "origin", srv.URL+"/memory.git")
	b.Git("config", "claw.syncTimeout", "2s")
	start := time.Now()
	if res := doSync(b); res.Files != 1 {
		t.Errorf("%+v", res)
	}
	if d := time.Since(start); d < 2200*time.Millisecond {
		t.Errorf("it was not slow: %s", d)
	}
	b.Check()
}
