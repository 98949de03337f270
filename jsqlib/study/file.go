package study

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
)

// Formats of the files of a sweep.
const (
	planFormat   = "jsqlab sweep plan 1"
	resultFormat = "jsqlab sweep result 1"
)

// sealed is a file of a sweep. SHA256 is that of the bytes of Data as they stand in the file.
type sealed struct {
	Format string          `json:"format"`
	SHA256 string          `json:"sha256"`
	Data   json.RawMessage `json:"data"`
}

// seal returns the file that holds data.
func seal(format string, data any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("  ", "  ")
	if err := e.Encode(data); err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	body := bytes.TrimSpace(b.Bytes())
	return fmt.Appendf(nil, "{\n  \"format\": %q,\n  \"sha256\": \"%x\",\n  \"data\": %s\n}\n", format, sha256.Sum256(body), body), nil
}

// unseal reads the data of one format out of a file. Every byte counts: the file must be the one that
// seal makes of what was read.
func unseal(text []byte, format string, data any) error {
	var s sealed
	if err := strict(text, &s); err != nil {
		return err
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(s.Data)); got != s.SHA256 {
		return errors.New("its contents do not have the SHA-256 that it says")
	}
	if err := strict(s.Data, data); err != nil {
		return err
	}
	again, err := seal(format, data)
	if err != nil {
		return err
	}
	if !bytes.Equal(again, text) {
		return errors.New("it is not written as this program writes it")
	}
	return nil
}

// strict decodes JSON with neither unknown keys nor anything after it.
func strict(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return errors.New("no JSON of this kind")
	}
	if d.More() {
		return errors.New("something after its end")
	}
	return nil
}

// formatOf returns the format in the first line of a file, "" for a file that no sweep wrote.
func formatOf(text []byte) string {
	const head = "{\n  \"format\": \"jsqlab sweep "
	if !bytes.HasPrefix(text, []byte(head)) {
		return ""
	}
	line, _, _ := bytes.Cut(text[len(head):], []byte("\","))
	return "jsqlab sweep " + string(line)
}
