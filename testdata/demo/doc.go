// Command demo shows the product on a sample workspace: `make demo`.
//
// It lays out three weeks of an agent's Markdown folder as people keep one (a
// few commits by hand, the rest uncommitted; see history/), adopts it with git
// claw, connects it to a scripted host that runs the hooks it finds in its
// settings as Claude Code would while an "agent" edits files, and then prints
// what a person sees: the real commands, their real output and one line of
// explanation each. Everything happens in a scratch folder with a home of its
// own. The clock is fixed, so that two runs differ only in ids.
//
// Exit status 1 means that a command did not do what the text beside it says;
// a test runs the whole demo for that reason.
package main
