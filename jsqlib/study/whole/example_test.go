package whole_test

import (
	"fmt"
	"os"
	"path/filepath"

	"jsqlab/jsqlib/study/whole"
)

// A private file stays private, and a link to it stays a link.
func ExampleWrite() {
	dir, err := os.MkdirTemp("", "whole")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file, link := filepath.Join(dir, "table.csv"), filepath.Join(dir, "latest.csv")
	if err := os.WriteFile(file, []byte("old\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	if err := os.Symlink("table.csv", link); err != nil {
		fmt.Println(err)
		return
	}
	if err := whole.Write(link, []byte("new\n")); err != nil {
		fmt.Println(err)
		return
	}
	text, _ := os.ReadFile(file)
	info, _ := os.Stat(file)
	fmt.Printf("%s%v\n", text, info.Mode())
	// Output:
	// new
	// -rw-------
}
