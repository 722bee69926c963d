// Package recall answers questions from the index: it reads a query, lets
// lexical score the chunks, puts exact and rare words first, and shows of each
// chunk the lines that matched.
package recall
