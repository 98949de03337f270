package jsqlib_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestArrows holds who may import whom within the library; all may import jsqlib and its internal packages.
func TestArrows(t *testing.T) {
	const root = "jsqlab/jsqlib/"
	may := map[string][]string{
		"limit": nil, "sim": nil, "exact": nil,
		"wasserstein": {"limit"},
		"law":         {"limit"},
		"bound":       {"law"},
		"record":      {"exact", "law", "limit", "sim", "wasserstein"},
		"study":       {"record", "sim", "study/whole"},
		"study/whole": nil,
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		name := strings.TrimPrefix(words[0], root)
		for _, path := range words[1:] {
			to, inside := strings.CutPrefix(path, root)
			if !inside || strings.HasPrefix(to, "internal/") {
				continue
			}
			if _, known := may[name]; !known || !slices.Contains(may[name], to) {
				t.Errorf("%s imports %s: want at most %v", name, to, may[name])
			}
		}
	}
}
