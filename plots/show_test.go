//go:build unix

package plots

import (
	"encoding/gob"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// TestShow plays the kernel's part over two pipes: the image arrives with its size and its words, and Show returns after
// the kernel has acknowledged it.
func TestShow(t *testing.T) {
	dir := t.TempDir()
	to, from := filepath.Join(dir, "to"), filepath.Join(dir, "from")
	for _, p := range []string{to, from} {
		if err := syscall.Mkfifo(p, 0o600); err != nil {
			t.Skip("no named pipes here: ", err)
		}
	}
	t.Setenv(protocol.GONB_PIPE_ENV, to)
	t.Setenv(protocol.GONB_PIPE_BACK_ENV, from)
	gonbui.IsNotebook = true
	defer func() { gonbui.IsNotebook = false }()

	got := make(chan protocol.DisplayData, 4)
	go func() {
		defer close(got)
		r, err := os.Open(to)
		if err != nil {
			return
		}
		w, err := os.OpenFile(from, os.O_WRONLY, 0)
		if err != nil {
			return
		}
		dec, enc := gob.NewDecoder(r), gob.NewEncoder(w)
		for syncs := 0; syncs < 1; {
			var d protocol.DisplayData
			if dec.Decode(&d) != nil {
				return
			}
			sync, ok := d.Data[protocol.MIMECommValue].(protocol.CommValue)
			if !ok {
				got <- d
				continue
			}
			if enc.Encode(&protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: sync.Value}) != nil {
				return
			}
			syncs++
		}
	}()
	f, err := gallery["contrast"]()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Show(); err != nil {
		t.Fatal(err)
	}
	d := <-got
	data, ok := d.Data[protocol.MIMEImagePNG].([]byte)
	if !ok {
		t.Fatalf("data of %v: want image/png", d.Data)
	}
	if b := decode(t, data).Bounds(); b.Dx() != 945 || b.Dy() != 561 {
		t.Errorf("image of %v: want 945 by 561", b)
	}
	if m, _ := d.Metadata["image/png"].(map[string]int); m["width"] != 726 || m["height"] != 431 {
		t.Errorf("size in metadata = %v: want 726 by 431", d.Metadata)
	}
	if s, _ := d.Data[protocol.MIMETextPlain].(string); !strings.Contains(s, "routing unit") || d.Metadata["alt"] != s {
		t.Errorf("text = %q, alt = %q: want the figure in words", s, d.Metadata["alt"])
	}
}
