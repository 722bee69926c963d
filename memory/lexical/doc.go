// Package lexical is the inverted index of notes: words to chunks, and the BM25
// score of a chunk and of the file it stands in.
//
// It stands on bluge: its segment format (blugelabs/ice) and its stemmers. bluge's
// writer and collector are not used. The writer merges in the background and
// keeps a manifest of its own, which a process that lives for ten milliseconds
// cannot wait for and which would have to agree with ours after a crash. Its
// scoring has a parenthesis missing in the idf (blugelabs/bluge v0.2.2,
// search/similarity/bm25.go), so that nearly every word weighs the same; the test
// TestRareOutranksCommon shows it and tells when it is gone.
//
// A Segment is an immutable piece of index. The documents of one file are
// adjacent in it: first one for the file (its key, path, dates, attributes and
// stored data), then one a chunk. Files are dropped whole, and merging keeps the
// order, so the file of a chunk is always the nearest file document before it.
//
// A View is what is searched: segments, each with the files that are dropped. The
// same View answers the same whatever the cut into segments, because all counts
// leave out what is dropped.
//
// Damaged segments give an error that matches ErrCorrupt, never a panic.
package lexical
