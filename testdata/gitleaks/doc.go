// Command gitleaks measures the secret scan against the positive cases that gitleaks
// tests its own rules with: `go run ./testdata/gitleaks`.
//
// The cases are random strings made by gitleaks' generator of rules. So its module is
// fetched with the go command, copied, made to write the cases down where it tests
// them, and run; nothing of it is linked into git claw. Printed are how many cases
// hold a finding, by rule where some do not, and how many of the cases that gitleaks
// does not want found are. With -notes, which names files or folders, it also counts
// findings in their lines.
package main
