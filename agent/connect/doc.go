// Package connect wires the events of a host to git claw, so that what an
// agent writes becomes commits with nobody typing a command.
//
// A host is connected by a [Plan]: edits of whole files, each with the bytes
// before and after and a reason, for the caller to show and to ask about;
// [Plan.Apply] makes them only while every file still is what the plan saw. A
// plan that removes is exact: where nothing else changed meanwhile, every byte
// is as before, and files and folders that only this package made are gone;
// where something did, only what is ours goes. No copy of the old state is kept
// for that: what we write says by its form what was there before.
//
// Commands and handlers record the absolute path of the binary and look in PATH
// second, because the PATH of a host is often short.
package connect
