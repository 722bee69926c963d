package gitops

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/adler32"
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

var deflaters, inflaters sync.Pool

// maxLoose bounds what is read at once of an object that lies by itself; larger ones
// are left to git.
const maxLoose = 64 << 20

// maxWhole is up to what size the file of an object is read at once; of a larger one
// a piece at a time is held.
const maxWhole = 256 << 10

// readLoose reads an object that lies by itself: most of what a command looks at was
// written a moment ago. ok is false where it does not, or is not what it should be.
// Larger than limit it fails with ErrTooLarge; 0: there is none.
func (r *Repo) readLoose(id ID, kind string, limit int64) (b []byte, ok bool, err error) {
	if r.Git.env.Getenv("GIT_OBJECT_DIRECTORY") != "" {
		return nil, false, nil
	}
	src, done, err := openLoose(r.objectPath(id))
	if err != nil {
		return nil, false, nil //nolint:nilerr // it lies elsewhere
	}
	defer done()
	z, _ := inflaters.Get().(io.ReadCloser)
	if z == nil {
		z, err = zlib.NewReader(src)
	} else {
		err = z.(zlib.Resetter).Reset(src, nil)
	}
	if err != nil {
		return nil, false, nil //nolint:nilerr // git's own message is the better one
	}
	defer inflaters.Put(z)
	name, n, found := looseHeader(z)
	switch {
	case !found:
		return nil, false, nil
	case name != kind:
		return nil, true, &KindError{ID: id, Kind: name, Want: kind}
	case limit > 0 && n > limit:
		return nil, true, tooLarge(id)
	case n > maxLoose:
		return nil, false, nil
	}
	b = make([]byte, n)
	if _, err := io.ReadFull(z, b); err != nil {
		return nil, false, nil //nolint:nilerr // as above
	}
	var one [1]byte
	if n, err := z.Read(one[:]); n != 0 || err != io.EOF { // its checksum is looked at here
		return nil, false, nil
	}
	return b, true, nil
}

// openLoose opens the file of an object.
func openLoose(path string) (io.Reader, func(), error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	done := func() { _ = f.Close() }
	fi, err := f.Stat()
	if err == nil && fi.Size() > maxWhole {
		return bufio.NewReaderSize(f, maxWhole), done, nil
	}
	var b []byte
	if err == nil {
		b = make([]byte, fi.Size())
		_, err = io.ReadFull(f, b)
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return bytes.NewReader(b), done, nil
}

// looseHeader reads the kind and the size of an object that lies by itself.
func looseHeader(z io.Reader) (kind string, n int64, ok bool) {
	head := make([]byte, 0, 32)
	var one [1]byte
	for len(head) < cap(head) {
		if _, err := io.ReadFull(z, one[:]); err != nil {
			return "", 0, false
		}
		if one[0] == 0 {
			break
		}
		head = append(head, one[0])
	}
	kind, size, found := strings.Cut(string(head), " ")
	n, err := strconv.ParseInt(size, 10, 64)
	return kind, n, found && err == nil && n >= 0
}

// storedBytes is up to what size an object is not compressed: it takes one block of
// the disk as it is, and git packs it sooner or later.
const storedBytes = 3 << 10

// stored is a zlib stream that holds data as it is (RFC 1950, RFC 1951).
func stored(head, data []byte) []byte {
	n := len(head) + len(data)
	b := make([]byte, 0, n+11)
	b = append(b, 0x78, 0x01, 1, byte(n), byte(n>>8), byte(^n), byte(^n>>8))
	b = append(append(b, head...), data...)
	return binary.BigEndian.AppendUint32(b, adler32.Checksum(b[7:]))
}

// deflate compresses objects as loose ones.
func deflate(objs []object, level int, chosen bool) ([]looseObject, error) {
	var z *zlib.Writer
	var err error
	out := make([]looseObject, 0, len(objs))
	for _, o := range objs {
		head := append(strconv.AppendInt([]byte(kindNames[o.kind]+" "), int64(len(o.data)), 10), 0)
		if len(o.data) <= storedBytes && !chosen {
			out = append(out, looseObject{o.id, stored(head, o.data)})
			continue
		}
		if z == nil {
			if z, err = newDeflater(level); err != nil {
				return nil, err
			}
		}
		var b bytes.Buffer
		b.Grow(len(o.data)/2 + 128)
		z.Reset(&b)
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
	if z != nil && level == zlib.BestSpeed {
		deflaters.Put(z)
	}
	return out, nil
}

func newDeflater(level int) (*zlib.Writer, error) {
	if z, ok := deflaters.Get().(*zlib.Writer); ok && level == zlib.BestSpeed {
		return z, nil
	}
	return zlib.NewWriterLevel(nil, level)
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
// core.compression, git-config(1)), and whether the user chose it.
func compression(cfg *Config) (level int, chosen bool) {
	for _, name := range []string{"core.loosecompression", "core.compression"} {
		if v, ok := cfg.Get(name); ok {
			if n, err := strconv.Atoi(v); err == nil && n >= -1 && n <= 9 {
				return n, true
			}
		}
	}
	return zlib.BestSpeed, false
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
	anew bool // objects that are in place are not trusted, and written again
}

// looseTemp is an object beside the place where it belongs.
type looseTemp struct {
	looseObject
	path string
}

// stage writes objects beside their places. Those that are in place are made as young
// as new ones, so that no garbage collection takes them for forgotten.
func (s *looseStore) stage(objs []looseObject) (temps []looseTemp, err error) {
	for _, o := range objs {
		if s.freshen(s.repo.objectPath(o.id)) {
			continue
		}
		tmp, err := s.temp(o)
		if err != nil {
			return temps, err
		}
		temps = append(temps, looseTemp{o, tmp})
	}
	return temps, nil
}

// place renames what was staged; with an error it is removed instead.
func (s *looseStore) place(temps []looseTemp, err error) error {
	for _, t := range temps {
		if err == nil {
			err = s.rename(t.path, t.looseObject)
		}
		if err != nil {
			_ = s.disk.remove(t.path)
		}
	}
	return err
}

// temp writes an object beside its place.
func (s *looseStore) temp(o looseObject) (tmp string, err error) {
	dir := filepath.Dir(s.repo.objectPath(o.id))
	tmp = filepath.Join(dir, fmt.Sprintf("tmp_obj_%016x", s.repo.rand64()))
	// A garbage collection removes a directory that is empty at the moment.
	for range fanOutTries {
		if err = s.disk.write(tmp, o.file, 0o444, s.sync); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err = s.makeDir(dir, err); err != nil {
			break
		}
	}
	if err != nil {
		return "", fmt.Errorf("write object %s: %w", o.id.Short(), err)
	}
	shareMode(tmp, s.perm)
	return tmp, nil
}

func (s *looseStore) rename(tmp string, o looseObject) error {
	dst := s.repo.objectPath(o.id)
	err := s.disk.rename(tmp, dst)
	if err == nil && s.sync {
		// A garbage collection that packed it meanwhile may have removed the directory.
		if err = s.disk.syncDir(filepath.Dir(dst)); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		return fmt.Errorf("write object %s: %w", o.id.Short(), err)
	}
	return nil
}

// writeAll writes many objects and waits for the disk twice: for what they hold, before
// they take their names, and for the names.
func (s looseStore) writeAll(objs []looseObject) error {
	dir, err := os.Open(filepath.Join(s.repo.CommonDir, "objects"))
	if err != nil {
		return fmt.Errorf("write objects: %w", err)
	}
	defer func() { _ = dir.Close() }()
	s.sync, s.anew = false, true
	temps, err := s.stage(objs)
	if err == nil {
		err = s.disk.syncAll(dir)
	}
	if err = s.place(temps, err); err == nil {
		err = s.disk.syncAll(dir)
	}
	if err != nil {
		return fmt.Errorf("write objects: %w", err)
	}
	return nil
}

// write puts an object in its place.
func (s *looseStore) write(o looseObject) error {
	temps, err := s.stage([]looseObject{o})
	return s.place(temps, err)
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
		if s.sync {
			err = s.disk.syncDir(filepath.Dir(dir))
		}
	}
	return err
}

func (s *looseStore) freshen(path string) bool {
	now := time.Now() //nolint:forbidigo // the file system's clock
	return !s.sync && !s.anew && os.Chtimes(path, now, now) == nil
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
