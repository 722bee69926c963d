package gitops

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1" //nolint:gosec // git's object format
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"strconv"
	"strings"
)

// object is an object to be written.
type object struct {
	kind byte // as in a pack: 1 commit, 2 tree, 3 blob
	id   ID
	data []byte
}

const (
	kindCommit = 1
	kindTree   = 2
	kindBlob   = 3
)

var kindNames = map[byte]string{kindCommit: "commit", kindTree: "tree", kindBlob: "blob"}

func (r *Repo) newHash() hash.Hash {
	if r.ObjectFormat == "sha256" {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // git's object format
}

// hashObject computes an object's id.
func (r *Repo) hashObject(kind byte, data []byte) ID {
	h := r.newHash()
	_, _ = h.Write(strconv.AppendInt([]byte(kindNames[kind]+" "), int64(len(data)), 10))
	_, _ = h.Write([]byte{0})
	_, _ = h.Write(data)
	return idFromBytes(h.Sum(nil))
}

// BlobID is the id that data would have as a blob, without filters.
func (r *Repo) BlobID(data []byte) ID { return r.hashObject(kindBlob, data) }

// writeObjects hands all objects to one `git unpack-objects`, as a pack without
// deltas. git then writes them as it always does: permissions, core.fsync,
// freshening of those that exist. flags are options of git itself.
func (r *Repo) writeObjects(ctx context.Context, objs []object, flags ...string) error {
	if len(objs) == 0 {
		return nil
	}
	pack, err := r.encodePack(objs)
	if err != nil {
		return err
	}
	for range fanOutTries {
		_, err = r.run(ctx, Cmd{Args: withFlags(flags, "unpack-objects", "-q"), Stdin: bytes.NewReader(pack)})
		var ge *GitError
		if !errors.As(err, &ge) || !strings.Contains(ge.Stderr, "No such file or directory") {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("write objects: %w", err)
	}
	return nil
}

// fanOutTries bounds how often objects are written again after git failed because
// a gc removed the directory, empty at that moment, that it was about to put an
// object into.
const fanOutTries = 10

// encodePack writes pack version 2 (gitformat-pack(5)) with whole objects.
func (r *Repo) encodePack(objs []object) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("PACK")
	_ = binary.Write(&b, binary.BigEndian, [2]uint32{2, uint32(len(objs))})
	z, err := zlib.NewWriterLevel(nil, zlib.BestSpeed)
	if err != nil {
		return nil, err
	}
	for _, o := range objs {
		size := len(o.data)
		c := o.kind<<4 | byte(size&15)
		for size >>= 4; size > 0; size >>= 7 {
			b.WriteByte(c | 0x80)
			c = byte(size & 0x7f)
		}
		b.WriteByte(c)
		z.Reset(&b)
		if _, err := z.Write(o.data); err != nil {
			return nil, err
		}
		if err := z.Close(); err != nil {
			return nil, err
		}
	}
	h := r.newHash()
	_, _ = h.Write(b.Bytes())
	b.Write(h.Sum(nil))
	return b.Bytes(), nil
}
