package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/record"
	"jsqlab/jsqlib/sim"
)

// TestReadme: the results that the README shows are those that its commands
// and its program give.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(text)
	const command = "distance --servers 32 --alpha 4.5"
	var out, errs bytes.Buffer
	if status := run(strings.Fields(command), &out, &errs); status != 0 {
		t.Fatalf("exit status %d: %s", status, errs.String())
	}
	shown := 0
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "distance to") || strings.HasPrefix(line, "certificate:") {
			shown++
			if !strings.Contains(readme, "    "+line+"\n") {
				t.Errorf("README.md does not show %q", line)
			}
		}
	}
	if shown != 3 || !strings.Contains(readme, command) {
		t.Errorf("%d lines of jsq %s to compare, want 3", shown, command)
	}

	d, err := record.Distance(context.Background(), jsqlib.Model{Servers: 32, Alpha: 4.5}, sim.BoundaryOptions{Options: sim.Options{Seed: 1, RelError: 0.01}})
	if err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf("prints `W1 = %.2e ± %.0e, certificate [%.2e, %.2e]`", d.W1.Value, d.W1.HalfWidth(), d.CertificateLow, d.CertificateHigh)
	if !strings.Contains(readme, line) {
		t.Errorf("README.md does not say %q", line)
	}
}
