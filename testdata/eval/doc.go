// Command eval measures how well `git claw search` finds things: `make eval`.
//
// workspace/ is the memory of an invented agent: fourteen months of notes in
// five languages, with facts that were replaced, near twins, ids and code.
// questions.jsonl holds what a person would ask of it, one object a line:
//
//	{"id":"p-en-001","lang":"en","kind":"paraphrase","query":"...","evidence":[{"path":"MEMORY.md","text":"..."}]}
//
// Evidence is a piece of the line that answers the question. It stands on
// exactly one line of its file, so that notes can be edited without counting
// lines; `-check` fails when that is no longer so. Where another line answers
// as well (a summary, the same decision in MEMORY.md), it stands under "or" of
// the piece: either will do. Kinds:
//
//	keyword        words of the note
//	paraphrase     other words than the note's; at least half of the set
//	id             ticket, invoice, commit, version, address, port
//	date           what happened or was decided on a day
//	name           a person, a company, a place
//	code           identifiers, paths, commands
//	substring      a piece of a longer word, or two characters of a CJK run
//	contradiction  a fact that changed: the old and the new line are evidence
//	old            the earlier state of such a fact
//	new            the later one
//	cross          asked in another language than the note's; out of reach for words alone
//
// Each question is a fresh process on a repository built for the run, in a
// sandbox. An evidence line is found by the first of ten results whose path
// and line range hold it. Per question: recall@5 and recall@10 are the share
// of evidence lines found that early; MRR is 1 over the first rank at which
// one was found; nDCG@10 counts each rank that brought evidence once,
// discounted by log2(1 + rank), against all evidence at the first ranks. The
// table shows means. Nothing is asserted: a number is for a person to judge.
package main
