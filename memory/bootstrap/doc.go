// Package bootstrap predicts what a host loads of the root files at the start of
// a session, and what it cuts off (SPEC WS-10 to WS-15). It is pure: files go in,
// pieces of them come out.
//
// The cuts of openclaw are those of OpenClaw 2026.9.6, unit by unit; its digest of
// the rules in a long AGENTS.md is made the same way, but called approximate, for
// its choice of lines is the part that changes most between versions.
package bootstrap
