package gitops

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// MachineID is the name of this clone among all that share a history, 8 hexadecimal
// digits (SPEC GN-16). It is drawn at the first call, and again in a folder that was
// copied: where neither the place of the git directory nor its inode is the one that
// was written down.
func (r *Repo) MachineID(ctx context.Context) (string, error) {
	file := filepath.Join(r.CommonClawDir(), "machine-id")
	here := r.place()
	b, err := ReadSmall(file, 8<<10)
	if err == nil {
		if id, rest, _ := strings.Cut(string(b), "\n"); isMachineID(id) && samePlace(rest, here) {
			return id, nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read machine id: %w", err)
	}
	var raw [4]byte
	if _, err := io.ReadFull(r.Git.env.Rand, raw[:]); err != nil {
		return "", fmt.Errorf("draw a machine id: %w", err)
	}
	id := hex.EncodeToString(raw[:])
	if err := r.MakeCommonClawDir(ctx); err != nil {
		return "", err
	}
	if err := WriteFileAtomic(file, []byte(id+"\n"+here[0]+"\n"+here[1]+"\n"), 0o666); err != nil {
		return "", fmt.Errorf("write machine id: %w", err)
	}
	r.share(ctx, file)
	return id, nil
}

// place is where the shared git directory is, by name and by inode.
func (r *Repo) place() [2]string {
	inode := ""
	if fi, err := os.Stat(r.CommonDir); err == nil {
		if dev, ino, ok := fileKey(fi); ok {
			inode = strconv.FormatUint(dev, 16) + ":" + strconv.FormatUint(ino, 16)
		}
	}
	return [2]string{strconv.Quote(r.CommonDir), inode}
}

// samePlace: a folder that was moved has its inode, and one that was restored its name.
func samePlace(recorded string, here [2]string) bool {
	path, rest, _ := strings.Cut(recorded, "\n")
	inode, _, _ := strings.Cut(rest, "\n")
	return path == here[0] || inode != "" && inode == here[1]
}

func isMachineID(s string) bool {
	const digits = "0123456789abcdef"
	return len(s) == 8 && strings.Trim(s, digits) == ""
}
