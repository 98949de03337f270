// Package whole writes files whole or not at all.
//
// [Write] writes the data under another name in the same folder, brings it to the disk, and renames it.
// A reader sees the old file or the new one, whenever the process is killed. What a killed process
// leaves, .NAME.PID-RANDOM.part, is removed by the next Write of the same file, or by [Clean].
package whole

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
)

// part matches the name of an unfinished file; its first group is the name that the file was to have.
var part = regexp.MustCompile(`^\.(.+)\.[0-9]+-[0-9a-f]+\.part$`)

var errIrregular = errors.New("not a regular file")

// Write makes data the contents of a file. A file that exists keeps its mode, and a symbolic link
// stays: the file that it leads to is written. The error is a [*fs.PathError] that names file, and the
// file is then as it was.
func Write(file string, data []byte) error {
	err := write(file, data)
	if err == nil {
		return nil
	}
	// the names below are not those that the caller knows
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &fs.PathError{Op: "write", Path: file, Err: err}
}

func write(file string, data []byte) error {
	file, err := Resolve(file)
	if err != nil {
		return err
	}
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
	case err != nil:
		return err
	case info.IsDir():
		return syscall.EISDIR
	case !info.Mode().IsRegular():
		return errIrregular
	}
	dir, name := filepath.Split(file)
	if dir == "" {
		dir = "."
	}
	const attempts = 5
	for range attempts {
		// Where file locks do not work between machines, another machine may take the unfinished file
		// for dead and remove it.
		if err = replace(dir, name, info, data); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return err
	}
	if d, err := os.Open(dir); err == nil {
		d.Sync() // so that the name is on the disk too; not every file system can
		d.Close()
	}
	Clean(dir, func(of string) bool { return of == name })
	return nil
}

// replace writes a new file and gives it the name of the old one, and the mode of the old one if there
// is any.
func replace(dir, name string, old fs.FileInfo, data []byte) error {
	mode := fs.FileMode(0o666)
	if old != nil {
		mode = old.Mode().Perm()
	}
	temp := filepath.Join(dir, fmt.Sprintf(".%s.%d-%08x.part", name, os.Getpid(), rand.Uint32()))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	hold(f)
	if old != nil {
		err = f.Chmod(mode) // the process may mask some of it
	}
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(temp, filepath.Join(dir, name))
	}
	if err != nil {
		os.Remove(temp)
	}
	return err
}

// Resolve follows symbolic links to the file that [Write] writes. That file need not exist, but its
// folder must.
func Resolve(file string) (string, error) {
	const links = 40 // as many as Linux follows
	for range links {
		dir, name := filepath.Split(file)
		if dir == "" {
			dir = "."
		}
		dir, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return "", err
		}
		file = filepath.Join(dir, name)
		to, err := os.Readlink(file)
		if err != nil {
			return file, nil // no link
		}
		if !filepath.IsAbs(to) {
			to = dir + string(filepath.Separator) + to // not Join, which takes away x/.. even where x is a link
		}
		file = to
	}
	return "", &fs.PathError{Op: "readlink", Path: file, Err: syscall.ELOOP}
}

// Clean removes from a directory the unfinished files that killed processes left, of files whose names
// satisfy of. The files of living processes stay.
func Clean(dir string, of func(name string) bool) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if m := part.FindStringSubmatch(e.Name()); m != nil && e.Type().IsRegular() && of(m[1]) {
			removeDead(filepath.Join(dir, e.Name()))
		}
	}
}

// Unusable says whether another name of the file or directory would do. A full disk is no such error:
// the work has failed.
func Unusable(err error) bool {
	for _, kind := range []error{
		fs.ErrNotExist, fs.ErrExist, fs.ErrPermission, errIrregular,
		syscall.ENOTDIR, syscall.EISDIR, syscall.ELOOP, syscall.EINVAL, syscall.ENAMETOOLONG, syscall.EROFS,
	} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}
