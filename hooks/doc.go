// Package hooks decides whether content is fit to be committed, and holds what
// git and hosts call: the check of what is staged, installation of git hooks
// beside foreign ones (hooks/githook), the payloads of host hooks
// (hooks/payload), and the secret scanner (hooks/secret).
package hooks
