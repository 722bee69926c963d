// Package gittest makes real repositories for tests, in every shape that git
// claw meets, and checks what is left of them afterwards.
//
// [New] makes one in its own folder with its own HOME, so that neither the
// user's configuration nor the caller's GIT_* variables reach it.
// [Repo.CheckClean] is how a test that writes ends. [RunWriterSuite] is the
// contract that every [gitops.Writer] passes.
package gittest
