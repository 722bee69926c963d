package gitops

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
)

// The redo log of the fast writer, one for each worktree. A record holds everything
// that a commit writes, so that a kill at any later moment can be finished, and a
// power cut mended: it is on the disk before anything that depends on it is done.
//
// A header (magic, hash of the boot it was begun in, checksum), then records: kind,
// number, length, payload, checksum. A record that is done stays until everything it
// stands for is on the disk as well.
const (
	redoName     = "redo"
	redoMagic    = "clawred1"
	redoHeader   = len(redoMagic) + sha256.Size + 4
	recordHead   = 1 + 8 + 4
	recordMark   = recordHead + 4 // a record without payload
	redoBound    = 4 << 20        // bytes from which on the log is begun anew
	recordRedo   = 'R'
	recordDone   = 'D'
	recordUndone = 'A'
)

// redoRecord is one commit.
type redoRecord struct {
	Ref     string        `json:"ref"`
	Old     string        `json:"old"`
	New     string        `json:"new"`
	RefTemp string        `json:"temp"` // name in the folder of the log; linked to the ref's lock
	RefDev  uint64        `json:"dev"`  // what that file is
	RefIno  uint64        `json:"ino"`
	RefWas  fileMark      `json:"was,omitzero"` // the file that had the old value
	Stage   string        `json:"stage"`        // the prepared index, in the folder of the log
	Stamp   string        `json:"stamp"`        // the index it was made from
	Index   []redoEntry   `json:"index"`
	Log     string        `json:"log"` // line for the reflogs
	Places  []placeRecord `json:"places,omitempty"`
	Objects []redoObject  `json:"objects"`

	seq     uint64
	ended   bool // done, or given up
	done    bool
	objects []looseObject
}

type redoEntry struct {
	Path []byte `json:"path"`
	Was  string `json:"was,omitempty"` // in the index before
	Mode Mode   `json:"mode,omitempty"`
	ID   string `json:"id,omitempty"` // "": removed
}

type redoObject struct {
	ID   string `json:"id"`
	Size int    `json:"size"`
}

// redoLog is the log of one worktree, open. The queue lock is held.
type redoLog struct {
	repo *Repo
	disk *disk
	f    *os.File
	size int64
	seq  uint64
	boot [sha256.Size]byte // in which it was begun
}

func (r *Repo) redoPath() string { return filepath.Join(r.ClawDir(), redoName) }

// openRedo opens the log; nil where there is none.
func (r *Repo) openRedo(d *disk) (*redoLog, error) {
	f, err := os.OpenFile(r.redoPath(), os.O_RDWR|os.O_APPEND|openNoFollow, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	l := &redoLog{repo: r, disk: d, f: f}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = &EscapeError{Path: r.redoPath(), Reason: "it is not a regular file"}
	}
	if err != nil {
		l.close()
		return nil, fmt.Errorf("open journal: %w", err)
	}
	l.size = fi.Size()
	head := make([]byte, redoHeader)
	if _, err := f.ReadAt(head, 0); err != nil || !l.readHeader(head) {
		// It was torn while it was begun: nothing was written by it yet.
		l.close()
		return nil, d.remove(r.redoPath())
	}
	return l, nil
}

// createRedo begins a log and makes sure that its name is on the disk.
func (r *Repo) createRedo(ctx context.Context, d *disk, sync bool) (*redoLog, error) {
	if err := r.makeClawDir(ctx, r.ClawDir()); err != nil {
		return nil, err
	}
	l := &redoLog{repo: r, disk: d, boot: sha256.Sum256([]byte(r.bootID())), size: int64(redoHeader)}
	head := append([]byte(redoMagic), l.boot[:]...)
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(head, castagnoli()))
	tmp := r.redoPath() + ".new"
	_ = d.remove(tmp)
	err := d.write(tmp, head, 0o600, sync)
	if err == nil {
		shareMode(tmp, r.sharedBits(ctx))
		err = d.rename(tmp, r.redoPath())
	}
	if err == nil && sync {
		err = errors.Join(d.syncDir(r.ClawDir()), d.syncDir(r.GitDir))
	}
	if err == nil {
		l.f, err = os.OpenFile(r.redoPath(), os.O_RDWR|os.O_APPEND|openNoFollow, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("begin journal: %w", err)
	}
	return l, nil
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

func (l *redoLog) readHeader(b []byte) bool {
	sum := redoHeader - 4
	copy(l.boot[:], b[len(redoMagic):])
	return string(b[:len(redoMagic)]) == redoMagic && binary.LittleEndian.Uint32(b[sum:]) == crc32.Checksum(b[:sum], castagnoli())
}

// bootID is another one after each start of the machine.
func (r *Repo) bootID() string {
	if r.boot != "" {
		return r.boot
	}
	return systemBootID()
}

func (l *redoLog) close() { _ = l.f.Close() }

// sameBoot reports whether the machine has run since the log was begun. Then what
// was written is in the kernel's memory at least.
func (l *redoLog) sameBoot() bool { return l.boot == sha256.Sum256([]byte(l.repo.bootID())) }

// clean reports whether the last record is ended: nobody died. It reads a few
// bytes.
func (l *redoLog) clean() bool {
	if l.size == int64(redoHeader) {
		return true
	}
	b := make([]byte, recordMark)
	if l.size < int64(redoHeader+recordMark) {
		return false
	}
	if _, err := l.f.ReadAt(b, l.size-recordMark); err != nil {
		return false
	}
	kind, seq, payload, rest := cutRecord(b)
	l.seq = seq
	return (kind == recordDone || kind == recordUndone) && len(payload) == 0 && len(rest) == 0
}

// add writes a record. It counts when wait has returned.
func (l *redoLog) add(rec *redoRecord, objects []looseObject) error {
	rec.Objects = rec.Objects[:0]
	for _, o := range objects {
		rec.Objects = append(rec.Objects, redoObject{o.id.String(), len(o.file)})
	}
	meta, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	payload := binary.LittleEndian.AppendUint32(nil, uint32(len(meta)))
	payload = append(payload, meta...)
	for _, o := range objects {
		payload = append(payload, o.file...)
	}
	l.seq++
	if err := l.append(recordRedo, payload); err != nil {
		// Half a record at the end would hide what is written behind it.
		_ = l.f.Truncate(l.size)
		return fmt.Errorf("write journal: %w", err)
	}
	rec.seq = l.seq
	return nil
}

// wait waits until the log is on the disk.
func (l *redoLog) wait() error {
	if err := l.disk.syncFile(l.f); err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	return nil
}

// end marks the last record.
func (l *redoLog) end(kind byte) error { return l.append(kind, nil) }

func (l *redoLog) append(kind byte, payload []byte) error {
	b := make([]byte, 0, recordMark+len(payload))
	b = append(b, kind)
	b = binary.LittleEndian.AppendUint64(b, l.seq)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(payload)))
	b = append(b, payload...)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli()))
	if err := l.disk.append(l.f, b); err != nil {
		return err
	}
	l.size += int64(len(b))
	return nil
}

// cutRecord cuts a record off; kind is 0 where none is whole.
func cutRecord(b []byte) (kind byte, seq uint64, payload, rest []byte) {
	if len(b) < recordMark {
		return 0, 0, nil, b
	}
	n := uint64(binary.LittleEndian.Uint32(b[9:]))
	if uint64(len(b)) < n+recordMark {
		return 0, 0, nil, b
	}
	end := recordHead + int(n)
	if binary.LittleEndian.Uint32(b[end:]) != crc32.Checksum(b[:end], castagnoli()) {
		return 0, 0, nil, b
	}
	return b[0], binary.LittleEndian.Uint64(b[1:]), b[recordHead:end], b[end+4:]
}

// read returns all records. What is torn at the end was never relied on, and is cut
// off.
func (l *redoLog) read() ([]*redoRecord, error) {
	b, err := os.ReadFile(l.repo.redoPath())
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	if len(b) < redoHeader {
		return nil, errors.New("read journal: it became shorter")
	}
	var out []*redoRecord
	rest := b[redoHeader:]
	for {
		kind, seq, payload, after := cutRecord(rest)
		switch {
		case kind == recordRedo:
			rec := &redoRecord{}
			if err := rec.decode(payload); err != nil {
				return nil, fmt.Errorf("read journal: %w", err)
			}
			rec.seq = seq
			out = append(out, rec)
		case (kind == recordDone || kind == recordUndone) && len(out) > 0 && out[len(out)-1].seq == seq:
			last := out[len(out)-1]
			last.ended, last.done = true, kind == recordDone
		}
		if kind == 0 {
			break
		}
		l.seq, rest = seq, after
	}
	if len(rest) > 0 {
		l.size -= int64(len(rest))
		if err := l.disk.truncate(l.f, l.size); err != nil {
			return nil, fmt.Errorf("mend journal: %w", err)
		}
	}
	return out, nil
}

func (rec *redoRecord) decode(payload []byte) error {
	if len(payload) < 4 {
		return errTruncated
	}
	n := uint64(binary.LittleEndian.Uint32(payload))
	if n > uint64(len(payload)-4) {
		return errTruncated
	}
	if err := json.Unmarshal(payload[4:4+n], rec); err != nil {
		return err
	}
	rest := payload[4+n:]
	for _, o := range rec.Objects {
		id, err := ParseID(o.ID)
		if err != nil || o.Size < 0 || o.Size > len(rest) {
			return errTruncated
		}
		rec.objects = append(rec.objects, looseObject{id, bytes.Clone(rest[:o.Size])})
		rest = rest[o.Size:]
	}
	return nil
}

// checkpoint makes everything safe that the records stand for, and forgets them.
func (l *redoLog) checkpoint() error {
	if err := l.disk.syncAll(l.f); err != nil {
		return fmt.Errorf("empty journal: %w", err)
	}
	if err := l.disk.truncate(l.f, int64(redoHeader)); err != nil {
		return fmt.Errorf("empty journal: %w", err)
	}
	l.size = int64(redoHeader)
	return nil
}

// redoIsOpen reports whether the log has something to be looked at. Without the
// queue lock that may be a writer at work.
func (r *Repo) redoIsOpen() bool {
	if isHeld(r.indexPath()+".lock") || isHeld(filepath.Join(r.GitDir, "HEAD.lock")) {
		return true
	}
	l, err := r.openRedo(&disk{})
	if err != nil || l == nil {
		return err != nil
	}
	defer l.close()
	return !l.clean() || !l.sameBoot()
}
