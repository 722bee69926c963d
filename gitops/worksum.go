package gitops

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"strconv"
)

// WorkSum is what a work-tree file holds, without its content: files may be larger than
// the memory.
type WorkSum struct {
	Mode Mode   // ModeAbsent where there is none
	ID   ID     // as git stores it, when nothing is converted
	Sum  string // for Place.BaseSum
}

// SumWork is ReadWork for a file of any size: it is read a piece at a time.
func (r *Repo) SumWork(p string) (WorkSum, error) {
	if err := CheckPath(p); err != nil {
		return WorkSum{}, err
	}
	root, err := r.openRoot()
	if err != nil {
		return WorkSum{}, err
	}
	defer func() { _ = root.Close() }()
	if file, err := checkParents(root, p); err != nil || file != "" {
		return WorkSum{}, err
	}
	var blob hash.Hash
	sum, mode, err := sumAt(root, p, func(size int64) io.Writer {
		blob = r.newHash()
		_, _ = blob.Write(append(strconv.AppendInt([]byte("blob "), size, 10), 0))
		return blob
	})
	if err != nil || mode == ModeAbsent {
		return WorkSum{}, err
	}
	return WorkSum{Mode: mode, ID: idFromBytes(blob.Sum(nil)), Sum: sum}, nil
}

// sumAt is sum of a file. also, where it is not nil, gets the content as well.
func sumAt(root *os.Root, p string, also func(size int64) io.Writer) (string, Mode, error) {
	fi, err := root.Lstat(p)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() <= sumWhole {
		b, mode, err := readAt(root, p, 0)
		if err != nil || mode == ModeAbsent {
			return "", mode, err
		}
		if also != nil {
			_, _ = also(int64(len(b))).Write(b)
		}
		return sum(b), mode, nil
	}
	f, err := root.OpenFile(p, os.O_RDONLY|openNoFollow, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "", ModeAbsent, nil
	}
	if err != nil {
		return "", 0, fmt.Errorf("read '%s': %w", p, err)
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	to := io.Writer(h)
	if also != nil {
		to = io.MultiWriter(h, also(fi.Size()))
	}
	if _, err := io.CopyBuffer(to, f, make([]byte, 256<<10)); err != nil {
		return "", 0, fmt.Errorf("read '%s': %w", p, err)
	}
	mode := ModeFile
	if fi.Mode()&0o100 != 0 {
		mode = ModeExecutable
	}
	return fmt.Sprintf("%x", h.Sum(nil)), mode, nil
}

// sumWhole is up to what size a file is read at once.
const sumWhole = 1 << 20

// WriteBlob writes the content of a blob of any size to w.
func (r *Repo) WriteBlob(ctx context.Context, id ID, w io.Writer) error {
	out, stop, err := r.Git.stream(ctx, r.here(Cmd{Args: []string{"cat-file", "blob", id.String()}}))
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(w, out, make([]byte, 256<<10))
	if serr := stop(err != nil); err == nil {
		err = serr
	}
	if err != nil {
		return fmt.Errorf("read object %s: %w", id.Short(), err)
	}
	return nil
}

// fill writes the content of a file.
func (p *placing) fill(rec *placeRecord, f *os.File) error {
	if rec.Blob == "" {
		_, err := f.Write(rec.Content)
		return err
	}
	id, err := ParseID(rec.Blob)
	if err != nil {
		return err
	}
	h := sha256.New()
	if err := p.repo.WriteBlob(context.Background(), id, io.MultiWriter(f, h)); err != nil {
		return err
	}
	rec.Sum = fmt.Sprintf("%x", h.Sum(nil))
	return nil
}
