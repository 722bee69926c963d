package gitops

import (
	"encoding/binary"
	"fmt"
)

// Stat is what the file system says about a file without opening it. Two equal
// ones stand for the same content, unless the file was written within one tick
// of the clock, see [WorkFile].Racy. Comparable.
type Stat struct {
	Size  int64  // bytes
	MTime int64  // nanoseconds since 1970
	CTime int64  // nanoseconds since 1970, 0 on Windows
	Ino   uint64 // 0 on Windows
	Mode  Mode   // what git would record: ModeFile, ModeExecutable, ModeSymlink, ModeTree; ModeAbsent for anything else
}

// StatSize is the length of a stored Stat in bytes.
const StatSize = 36

// AppendBinary appends StatSize bytes. It never fails.
func (s Stat) AppendBinary(b []byte) ([]byte, error) {
	b = binary.BigEndian.AppendUint64(b, uint64(s.Size))
	b = binary.BigEndian.AppendUint64(b, uint64(s.MTime))
	b = binary.BigEndian.AppendUint64(b, uint64(s.CTime))
	b = binary.BigEndian.AppendUint64(b, s.Ino)
	return binary.BigEndian.AppendUint32(b, uint32(s.Mode)), nil
}

// UnmarshalBinary reads what AppendBinary wrote: exactly StatSize bytes.
func (s *Stat) UnmarshalBinary(b []byte) error {
	if len(b) != StatSize {
		return fmt.Errorf("read stat data: %d bytes, want %d", len(b), StatSize)
	}
	s.Size = int64(binary.BigEndian.Uint64(b))
	s.MTime = int64(binary.BigEndian.Uint64(b[8:]))
	s.CTime = int64(binary.BigEndian.Uint64(b[16:]))
	s.Ino = binary.BigEndian.Uint64(b[24:])
	s.Mode = Mode(binary.BigEndian.Uint32(b[32:]))
	return nil
}
