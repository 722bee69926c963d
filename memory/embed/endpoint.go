package embed

import (
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const maxRedirects = 3

// setEndpoint takes the URL apart: where requests go, what is shown, and what is
// secret.
func (c *client) setEndpoint(cfg Config) error {
	bad := func(reason string) error {
		return &ConfigError{Name: "claw.embedderUrl", Reason: reason, Hint: "git config claw.embedderUrl " + c.base}
	}
	base := cfg.BaseURL
	if base == "" {
		base = c.base
	}
	u, err := url.Parse(base)
	switch {
	case err != nil: // its text quotes the URL, password included
		return bad("is no URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return bad("is neither http nor https")
	case u.Hostname() == "" || u.Opaque != "":
		return bad("names no host")
	}
	c.addSecrets(u.Query())
	if err := c.setCredentials(cfg.Key, u.User); err != nil {
		return err
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	if !strings.HasSuffix(strings.TrimRight(u.Path, "/"), c.path) {
		u = u.JoinPath(c.path)
	}
	c.endpoint = u.String()
	c.shown = show(u)
	if c.header != "" && u.Scheme == "http" && !loopback(u.Hostname()) && !cfg.AllowPlainHTTP {
		return &ConfigError{
			Name: "claw.embedderUrl", Reason: fmt.Sprintf("would send the key unencrypted to '%s'", quote(u.Host, c.secrets)),
			Hint: "git config claw.embedderUrl https://" + quote(u.Host, c.secrets),
		}
	}
	return nil
}

// addSecrets: some services take their key in the query.
func (c *client) addSecrets(query url.Values) {
	for _, values := range query {
		for _, v := range values {
			if len(v) >= 8 {
				c.secrets = append(c.secrets, v, url.QueryEscape(v))
			}
		}
	}
}

// setCredentials chooses the Authorization header: the key, or else the user of
// the URL. It leaves the URL in any case, because errors of net/http quote it.
func (c *client) setCredentials(key string, user *url.Userinfo) error {
	key = strings.TrimSpace(key)
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return &ConfigError{Name: "claw.embedderKey", Reason: "holds characters that no key has"}
	}
	if key != "" {
		c.header = "Bearer " + key
		c.secrets = append(c.secrets, key)
	}
	if user == nil {
		return nil
	}
	password, _ := user.Password()
	pair := base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
	if c.header == "" {
		c.header = "Basic " + pair
	}
	for _, s := range []string{user.String(), pair, password} {
		if s != "" {
			c.secrets = append(c.secrets, s)
		}
	}
	if name := user.Username(); len(name) >= 8 { // a token; "me" would blot out words
		c.secrets = append(c.secrets, name)
	}
	return nil
}

// show gives a URL without user, password, query and fragment.
func show(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// httpClient is the caller's or our own; both follow no redirect that leaves the
// host, because texts and credentials would go along.
func (c *client) httpClient(cfg Config) *http.Client {
	out := &http.Client{Transport: &http.Transport{
		Proxy:                  cfg.Proxy,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		DialContext:            (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
	}}
	if cfg.Client != nil {
		given := *cfg.Client
		out = &given
	}
	out.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		from := via[0].URL
		if req.URL.Scheme != from.Scheme || !strings.EqualFold(req.URL.Host, from.Host) || len(via) > maxRedirects ||
			req.Method != http.MethodPost {
			return &redirectError{to: show(req.URL)}
		}
		return nil
	}
	return out
}

// redirectError stops a redirect; it arrives wrapped by net/http.
type redirectError struct{ to string }

func (e *redirectError) Error() string { return fmt.Sprintf("redirect to '%s'", e.to) }
