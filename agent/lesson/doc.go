// Package lesson writes down what failed and what was learned from it, counts what
// comes again, and proposes to make a rule or a skill of it (SPEC section 4).
// Repetition alone never does: each step has a reason and waits for a person.
package lesson
