// Package recall answers questions from the index.
//
// Words, exact words, quotes and dates are read from the query; tier and session are
// attributes that hits must have or must not have. lexical scores chunks by BM25; with
// an embedder, vector adds those that are near in meaning, and both scores are fused.
// Chunks with an exact or rare word come first, then the score, the newer, the path;
// below the minimum nothing is shown that has no exact word. Snippets are cut from the
// content that was indexed, secrets in them masked. Without any word the notes
// themselves are read, newest first.
package recall
