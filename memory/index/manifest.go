package index

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/lexical"
)

// schema is the version of the files in the index folder.
const schema = 3

const (
	manifestName = "manifest.json"
	lockName     = "lock"
	queueName    = "queue" // held by who waits for the lock
)

// manifest names the files of one state.
type manifest struct {
	Key      string       `json:"key"` // what the index was made by and for; another one: built anew
	Commit   gitops.ID    `json:"commit"`
	Clock    int64        `json:"clock"` // mtime of the lock file when the work tree was looked at, ns
	Next     int          `json:"next"`  // number of the next file
	Table    fileRef      `json:"table"`
	Segments []segmentRef `json:"segments"`
}

// fileRef is a file and what it held when it was written.
type fileRef struct {
	Name string `json:"name"`
	CRC  uint32 `json:"crc"`
	Stat stat   `json:"stat"`
}

type segmentRef struct {
	fileRef
	Live  lexical.Totals `json:"live"`
	Drops []byte         `json:"drops,omitempty"`
}

// The parts of a key, and which of them is the workspace's prefix.
const (
	keySep    = "\x01"
	keyPrefix = 3
)

// keyOf is all that the content of an index depends on besides the notes.
func keyOf(ws *memory.Workspace, roots []string) string {
	return strings.Join([]string{
		strconv.Itoa(schema), strconv.Itoa(lexical.Version), lexical.AnalyserVersion,
		ws.Prefix, ws.SIRoot(), ws.Repo.ObjectFormat,
		ws.Settings.String("index.chunkTokens"), ws.Settings.String("index.overlapTokens"),
		strconv.FormatInt(ws.MaxFileBytes(), 10), strconv.FormatBool(embeds(ws)), strings.Join(roots, "\x00"),
	}, keySep)
}

var errNoIndex = errors.New("no index")

// DamagedError: a file of the index is not what was written.
type DamagedError struct {
	Name   string
	Reason string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("damaged index file '%s': %s", e.Name, e.Reason)
}

// Is makes it match lexical.ErrCorrupt: both call for a rebuild.
func (e *DamagedError) Is(target error) bool { return target == lexical.ErrCorrupt }

func readManifest(dir string) (m *manifest, raw []byte, err error) {
	f, _, err := mapFile(filepath.Join(dir, manifestName))
	if gone(err) {
		return nil, nil, errNoIndex
	}
	if err != nil {
		return nil, nil, err
	}
	raw, err = f.copied()
	_ = f.Close()
	if err != nil {
		return nil, nil, &DamagedError{manifestName, err.Error()}
	}
	// A checksum in the first line: the rest decides which files are trusted.
	sum, rest, found := strings.Cut(string(raw), "\n")
	if !found || sum != fmt.Sprintf("%08x", crc32.Checksum([]byte(rest), castagnoli())) {
		return nil, nil, &DamagedError{manifestName, "wrong checksum"}
	}
	m = &manifest{}
	if err := json.Unmarshal([]byte(rest), m); err != nil {
		return nil, nil, &DamagedError{manifestName, err.Error()}
	}
	return m, raw, nil
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// writeManifest puts a state in place.
func writeManifest(dir string, m *manifest, at func(point string)) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%08x\n%s", crc32.Checksum(b, castagnoli()), b)
	tmp := filepath.Join(dir, manifestName+".new")
	if err := os.WriteFile(tmp, []byte(text), 0o666); err != nil {
		return err
	}
	at("manifest")
	return os.Rename(tmp, filepath.Join(dir, manifestName))
}

// newFile begins a new file of the index. It needs no fsync: what a power cut tears
// is seen by the checksum and built anew.
func (m *manifest) newFile(dir, kind string) (*newFile, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%s-%d", kind, m.Next)
	m.Next++
	path := filepath.Join(dir, name)
	_ = os.Remove(path) // of an update that was killed; it may be mapped by somebody
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &newFile{f: f, w: bufio.NewWriterSize(f, 1<<16), sum: crc32.New(castagnoli()), name: name}, nil
}

// newFile is a file that is being written.
type newFile struct {
	f    *os.File
	w    *bufio.Writer
	sum  hash.Hash32
	name string
}

func (n *newFile) Write(b []byte) (int, error) {
	_, _ = n.sum.Write(b)
	return n.w.Write(b)
}

// close ends the file; err is why it should not be kept.
func (n *newFile) close(err error) (fileRef, error) {
	err = errors.Join(err, n.w.Flush(), n.f.Close())
	if err != nil {
		_ = os.Remove(n.f.Name())
		return fileRef{}, err
	}
	st, _, err := lstat(n.f.Name())
	return fileRef{Name: n.name, CRC: n.sum.Sum32(), Stat: st}, err
}

// writeFile writes a whole new file.
func (m *manifest) writeFile(dir, kind string, data []byte) (fileRef, error) {
	f, err := m.newFile(dir, kind)
	if err != nil {
		return fileRef{}, err
	}
	_, err = f.Write(data)
	return f.close(err)
}

// read maps a file and checks it: by its stat data when that is what was written,
// else by its checksum, after which the stat data are the right ones: in a copied
// repository all files have others, and not every search should read all of them.
func (r *fileRef) read(dir string) (mapping, error) {
	if r.Name == "" || strings.ContainsAny(r.Name, `/\`) {
		return mapping{}, &DamagedError{r.Name, "no file of the index"}
	}
	m, st, err := mapFile(filepath.Join(dir, r.Name))
	if err != nil {
		return mapping{}, err
	}
	if int64(len(m.data)) != r.Stat.Size {
		_ = m.Close()
		return mapping{}, &DamagedError{r.Name, fmt.Sprintf("%d bytes instead of %d", len(m.data), r.Stat.Size)}
	}
	if st != r.Stat && m.crc() != r.CRC {
		_ = m.Close()
		return mapping{}, &DamagedError{r.Name, "wrong checksum"}
	}
	r.Stat = st
	return m, nil
}

// readAll reads a file whole, checked as read does.
func (r *fileRef) readAll(dir string) ([]byte, error) {
	m, err := r.read(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = m.Close() }()
	return m.copied()
}

// sweep removes files that the manifest does not name.
func (m *manifest) sweep(dir string) {
	names := map[string]bool{manifestName: true, lockName: true, m.Table.Name: true}
	for _, s := range m.Segments {
		names[s.Name] = true
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range list {
		if e.Name() == manifestName+".new" || !names[e.Name()] && (strings.HasPrefix(e.Name(), "segment-") || strings.HasPrefix(e.Name(), "table-")) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// sweepUnnamed removes what an update left that failed. The caller holds the lock.
func sweepUnnamed(dir string) {
	m, _, err := readManifest(dir)
	if errors.Is(err, errNoIndex) {
		m, err = &manifest{}, nil
	}
	if err == nil {
		m.sweep(dir)
	}
}

// unused is a number from which on no file of a folder has one. An index that is
// built anew takes no name that somebody who still reads the old one may open.
func unused(dir string) int {
	next := 1
	list, _ := os.ReadDir(dir) // there is none yet
	for _, e := range list {
		_, number, _ := strings.Cut(e.Name(), "-")
		if n, err := strconv.Atoi(number); err == nil {
			next = max(next, n+1)
		}
	}
	return next
}
