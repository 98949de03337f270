//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package whole

import (
	"os"
	"runtime"
)

// hold marks an unfinished file as that of a living process. Windows needs no mark; elsewhere there is
// none, and unfinished files stay.
func hold(*os.File) {}

// removeDead removes an unfinished file that no process holds. Windows removes no file that a process
// has open.
func removeDead(name string) {
	if runtime.GOOS == "windows" {
		os.Remove(name)
	}
}
