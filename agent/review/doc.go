// Package review gathers all that waits for a person, in one queue: proposals,
// contradictions that a merge kept, rule files and skills that were edited in place, and
// preferences that came up often enough to be asked about. It says what each of them
// changes, why, and what it costs in the budget of the host, and does what a person
// decides. What was decided is out of the queue, so that a walk through it can end and go
// on at any place.
package review
