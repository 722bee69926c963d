package gitops

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// looseObject is an object as it lies in the object store by itself: its header and
// content, compressed.
type looseObject struct {
	id   ID
	file []byte
}

var deflaters sync.Pool

// deflate compresses objects as loose ones.
func deflate(objs []object, level int) ([]looseObject, error) {
	z, _ := deflaters.Get().(*zlib.Writer)
	if z == nil || level != zlib.BestSpeed {
		var err error
		if z, err = zlib.NewWriterLevel(nil, level); err != nil {
			return nil, err
		}
	}
	out := make([]looseObject, 0, len(objs))
	for _, o := range objs {
		var b bytes.Buffer
		b.Grow(len(o.data)/2 + 128)
		z.Reset(&b)
		head := append(strconv.AppendInt([]byte(kindNames[o.kind]+" "), int64(len(o.data)), 10), 0)
		if _, err := z.Write(head); err != nil {
			return nil, err
		}
		if _, err := z.Write(o.data); err != nil {
			return nil, err
		}
		if err := z.Close(); err != nil {
			return nil, err
		}
		out = append(out, looseObject{o.id, b.Bytes()})
	}
	if level == zlib.BestSpeed {
		deflaters.Put(z)
	}
	return out, nil
}

// sound reports whether a loose object is what its id says.
func (r *Repo) sound(id ID, file []byte) bool {
	z, err := zlib.NewReader(bytes.NewReader(file))
	if err != nil {
		return false
	}
	h := r.newHash()
	_, err = io.Copy(h, z)
	return err == nil && idFromBytes(h.Sum(nil)) == id
}

// compression is the level for loose objects (core.looseCompression, and
// core.compression, git-config(1)).
func compression(cfg *Config) int {
	for _, name := range []string{"core.loosecompression", "core.compression"} {
		if v, ok := cfg.Get(name); ok {
			if n, err := strconv.Atoi(v); err == nil && n >= -1 && n <= 9 {
				return n
			}
		}
	}
	return zlib.BestSpeed
}

// objectPath is where an object lies by itself.
func (r *Repo) objectPath(id ID) string {
	hex := id.String()
	return filepath.Join(r.CommonDir, "objects", hex[:2], hex[2:])
}

// looseStore writes loose objects.
type looseStore struct {
	repo *Repo
	disk *disk
	perm fs.FileMode // core.sharedRepository
	sync bool
}

// write puts an object in its place, unless it is there: then it is made as young
// as a new one, so that no garbage collection takes it for forgotten.
func (s *looseStore) write(o looseObject) error {
	dst := s.repo.objectPath(o.id)
	if s.freshen(dst) {
		return nil
	}
	dir := filepath.Dir(dst)
	tmp := filepath.Join(dir, fmt.Sprintf("tmp_obj_%016x", s.repo.rand64()))
	var err error
	// A garbage collection removes a directory that is empty at the moment.
	for range fanOutTries {
		if err = s.disk.write(tmp, o.file, 0o444, s.sync); errors.Is(err, fs.ErrNotExist) {
			err = s.makeDir(dir, err)
			if err == nil {
				continue
			}
			break
		}
		if err == nil {
			shareMode(tmp, s.perm)
			err = s.disk.rename(tmp, dst)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err == nil && s.sync {
		err = s.disk.syncDir(dir)
	}
	if err != nil {
		_ = s.disk.remove(tmp)
		return fmt.Errorf("write object %s: %w", o.id.Short(), err)
	}
	return nil
}

func (s *looseStore) makeDir(dir string, why error) error {
	if filepath.Base(filepath.Dir(dir)) != "objects" {
		return why
	}
	err := s.disk.mkdir(dir)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		shareMode(dir, s.perm|s.perm&0o444>>2)
	}
	return err
}

func (s *looseStore) freshen(path string) bool {
	now := time.Now() //nolint:forbidigo // the file system's clock
	return !s.sync && os.Chtimes(path, now, now) == nil
}

// shareMode adds permissions to what the umask left. What nobody writes stays so.
func shareMode(path string, bits fs.FileMode) {
	if bits == 0 {
		return
	}
	if fi, err := os.Lstat(path); err == nil {
		if fi.Mode()&0o200 == 0 {
			bits &^= 0o222
		}
		_ = os.Chmod(path, fi.Mode().Perm()|fi.Mode()&fs.ModeSetgid|bits)
	}
}

// coreFsync says which of git's components are synced as well (core.fsync,
// git-config(1)).
func coreFsync(cfg *Config) (objects, refs, index bool) {
	v, _ := cfg.Get("core.fsync")
	for word := range strings.FieldsFuncSeq(strings.ToLower(v), func(r rune) bool { return r == ',' || r == ' ' }) {
		on := !strings.HasPrefix(word, "-")
		switch strings.TrimPrefix(word, "-") {
		case "all":
			objects, refs, index = on, on, on
		case "none":
			objects, refs, index = false, false, false
		case "loose-object", "objects", "committed":
			objects = on
		case "added":
			objects, index = on, on
		case "reference":
			refs = on
		case "index":
			index = on
		}
	}
	if cfg.Bool("core.fsyncobjectfiles", false) {
		objects = true
	}
	return objects, refs, index
}
