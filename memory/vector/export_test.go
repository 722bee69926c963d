package vector

import "encoding/binary"

// Reseal writes sums that fit into the bytes of a file, if its header gives the
// size it has.
func Reseal(b []byte) bool {
	if len(b) < headerFixed || string(b[:8]) != magic {
		return false
	}
	var h header
	h.dim, h.count = int(binary.LittleEndian.Uint32(b[12:])), int(binary.LittleEndian.Uint32(b[16:]))
	id := int(binary.LittleEndian.Uint32(b[20:]))
	if h.dim > MaxDim || h.count > maxCount || headerFixed+id > len(b) {
		return false
	}
	h.embedder = string(b[headerFixed : headerFixed+id])
	if h.layout().size != int64(len(b)) {
		return false
	}
	t := cut(h, b)
	for i := range h.count {
		binary.LittleEndian.PutUint32(t.metaOf(i)[4:], t.rowSum(i))
	}
	binary.LittleEndian.PutUint32(b[24:], t.indexCRC())
	binary.LittleEndian.PutUint32(b[28:], headerSum(b[:h.layout().hashes]))
	return true
}
