package gitops

import "io/fs"

// fileMark tells whether a file is still the very one that was seen: whoever writes
// it since gives it another time.
type fileMark struct {
	Ino   uint64 `json:"ino,omitempty"`
	Size  int64  `json:"size,omitempty"`
	MTime int64  `json:"mtime,omitempty"` // nanoseconds
}

func markOf(fi fs.FileInfo) fileMark {
	_, ino, _ := fileKey(fi)
	return fileMark{Ino: ino, Size: fi.Size(), MTime: fi.ModTime().UnixNano()}
}

// IsZero: there was no file.
func (m fileMark) IsZero() bool { return m == fileMark{} }
