package doc

// rank orders entries by how much they close: a heading of level 1 ends everything before it, a
// nested item ends next to nothing.
func rank(e *Entry) int {
	const belowHeadings, first = 7, 1 << 30
	switch e.Kind {
	case Heading:
		return e.Level
	case Frontmatter:
		return first
	}
	return belowHeadings + e.Level
}

// block is an entry with those that stand under it.
type block struct {
	head piece
	rest []piece
}

func blocks(pieces []piece) []block {
	var out []block
	for i := 0; i < len(pieces); {
		j := i + 1
		for j < len(pieces) && pieces[j].rank > pieces[i].rank {
			j++
		}
		out = append(out, block{head: pieces[i], rest: pieces[i+1 : j]})
		i = j
	}
	return out
}

// mergeGap puts what ours and theirs have in one place behind each other. A block that both have
// stands once and its parts are merged in the same way. Otherwise ours comes first, unless that would
// put an entry of theirs under a heading or item of ours that it has nothing to do with.
func mergeGap(ours, theirs []piece) []piece {
	if len(ours) == 0 {
		return theirs
	}
	if len(theirs) == 0 {
		return ours
	}
	own, theirsOnly := blocks(ours), make([]block, 0)
	extra := make([][]piece, len(own))
	byKey := make(map[int][]int)
	for i, b := range own {
		byKey[b.head.key] = append(byKey[b.head.key], i)
	}
	for _, b := range blocks(theirs) {
		if same := byKey[b.head.key]; len(same) > 0 {
			byKey[b.head.key] = same[1:]
			own[same[0]].head.at[2] = b.head.at[2]
			extra[same[0]] = b.rest
		} else {
			theirsOnly = append(theirsOnly, b)
		}
	}
	out := make([]piece, 0, len(ours)+len(theirs))
	for i, j := 0, 0; i < len(own) || j < len(theirsOnly); {
		if j == len(theirsOnly) || (i < len(own) && own[i].head.rank >= theirsOnly[j].head.rank) {
			out = append(append(out, own[i].head), mergeGap(own[i].rest, extra[i])...)
			i++
		} else {
			out = append(append(out, theirsOnly[j].head), theirsOnly[j].rest...)
			j++
		}
	}
	return out
}
