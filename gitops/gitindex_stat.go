package gitops

import "encoding/binary"

// fileStat is what git's index keeps of a file, cut to 32 bits as git does. The
// zero one matches no file, so that git looks at the content.
type fileStat struct {
	ctime, ctimeNS, mtime, mtimeNS uint32
	dev, ino, uid, gid, size       uint32
}

// sizeOf cuts a size to 32 bits. Multiples of 4 GiB do not become 0, which marks
// an entry whose stat data is not to be believed.
func sizeOf(n int64) uint32 {
	if uint32(n) == 0 && n != 0 {
		return 1 << 31
	}
	return uint32(n)
}

// append puts the first 40 bytes of an entry together.
func (s fileStat) append(b []byte, mode Mode) []byte {
	for _, v := range [...]uint32{s.ctime, s.ctimeNS, s.mtime, s.mtimeNS, s.dev, s.ino, uint32(mode), s.uid, s.gid, s.size} {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

// workFile is what stands at a path of the work tree. mode is ModeAbsent for what
// git does not store, such as a pipe.
type workFile struct {
	there bool
	mode  Mode
	stat  fileStat
}
