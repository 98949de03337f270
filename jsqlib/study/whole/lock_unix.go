//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package whole

import (
	"os"
	"syscall"
)

// hold marks an unfinished file as that of a living process, until it is closed. On a file system
// without locks it does nothing.
func hold(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// removeDead removes an unfinished file that no process holds.
func removeDead(name string) {
	f, err := os.OpenFile(name, os.O_RDWR, 0) // network file systems lock for writing only what is open for writing
	if err != nil {
		return
	}
	defer f.Close()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		os.Remove(name)
	}
}
