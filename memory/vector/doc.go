// Package vector keeps the embeddings of chunks on disk and finds the ones
// nearest to a query by an exact scan: there is no graph to build, to tune or to
// repair, and 100,000 vectors are scanned in some milliseconds.
//
// A store is a directory of immutable files. Each holds the vectors of one
// embedder, sorted by chunk hash:
//
//	header      magic "clawvec\n", version, dim, count, length of the embedder
//	            id, CRC32C of hashes+bits+meta, CRC32C of the header; the id;
//	            zeros up to a multiple of 64 bytes
//	hashes      count * 16 bytes, ascending
//	bits        count * ceil(dim/64) * 8 bytes: bit i is set when component i >= 0
//	meta        count * (float32 scale, CRC32C of hash, scale and components)
//	components  count * dim int8; scale * components is a vector of length 1
//
// All numbers are little endian. A file is written under a temporary name,
// synced and renamed; there is no list of files that could disagree with them,
// the directory is the list. A file is mapped read-only and nothing in it is used
// unchecked: its size and the first two sums when it is opened (no work for each
// vector), the sum of a vector each time the vector is read.
//
// A store is a cache: what is damaged is passed over, reported by Stat, and not
// had any more, so that the owner of the chunks embeds them again.
package vector
