package gitops

import (
	"encoding/hex"
	"fmt"
)

// ID is an object id: 20 bytes (SHA-1) or 32 bytes (SHA-256). The zero ID
// stands for "no object". IDs are comparable.
type ID struct {
	raw  [32]byte
	size uint8
}

// ParseID reads 40 or 64 hex digits. The all-zero id gives the zero ID.
func ParseID(s string) (ID, error) {
	if len(s) != 40 && len(s) != 64 {
		return ID{}, fmt.Errorf("not an object id '%.80s'", s)
	}
	var id ID
	n, err := hex.Decode(id.raw[:], []byte(s))
	if err != nil {
		return ID{}, fmt.Errorf("not an object id '%.80s'", s)
	}
	if id.raw == ([32]byte{}) {
		return ID{}, nil
	}
	id.size = uint8(n)
	return id, nil
}

// idFromBytes takes 20 or 32 raw bytes.
func idFromBytes(b []byte) ID {
	var id ID
	id.size = uint8(copy(id.raw[:], b))
	return id
}

// Bytes returns the raw bytes, 20 or 32 of them.
func (id ID) Bytes() []byte { return id.raw[:id.size] }

// Size is 20 or 32, 0 for the zero ID.
func (id ID) Size() int { return int(id.size) }

// IsZero reports whether id names no object.
func (id ID) IsZero() bool { return id.size == 0 }

// String returns the full hex form, or 40 zeros for the zero ID.
func (id ID) String() string {
	if id.size == 0 {
		return "0000000000000000000000000000000000000000"
	}
	return hex.EncodeToString(id.raw[:id.size])
}

// Short returns the first ten hex digits, for people.
func (id ID) Short() string { return id.String()[:10] }

// MarshalText makes an ID a hex string in JSON; the zero ID is empty.
func (id ID) MarshalText() ([]byte, error) {
	if id.size == 0 {
		return nil, nil
	}
	return []byte(id.String()), nil
}

// Mode is the mode of a tree entry as git stores it.
type Mode uint32

// The modes that git writes.
const (
	ModeAbsent     Mode = 0
	ModeTree       Mode = 0o040000
	ModeFile       Mode = 0o100644
	ModeExecutable Mode = 0o100755
	ModeSymlink    Mode = 0o120000
	ModeGitlink    Mode = 0o160000
)

// IsFile reports whether the mode is a regular file, executable or not.
func (m Mode) IsFile() bool { return m&0o170000 == 0o100000 }

// String returns the octal form that git prints, six digits.
func (m Mode) String() string { return fmt.Sprintf("%06o", uint32(m)) }

// IDFromString takes 20 or 32 raw bytes; none give the zero ID.
func IDFromString(raw string) ID {
	var id ID
	id.size = uint8(copy(id.raw[:], raw))
	return id
}

// UnmarshalText reads what MarshalText wrote.
func (id *ID) UnmarshalText(b []byte) error {
	*id = ID{}
	if len(b) == 0 {
		return nil
	}
	var err error
	*id, err = ParseID(string(b))
	return err
}
