package main

import (
	"runtime"
	"runtime/debug"
)

// version is the version of jsqlab.
var version = "0.1.0"

func init() {
	register(command{
		name:    "version",
		summary: "versions of jsq, of Go and of the modules it is built with",
		args:    "[flags]",
		setup: func(f *flags) func() (*report, error) {
			return func() (*report, error) { return runVersion(f) }
		},
	})
}

func runVersion(f *flags) (*report, error) {
	r := newReport(f)
	r.text("version", "jsq", "", version)
	r.text("go_version", "go", "", runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH)
	modules := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			modules[m.Path] = m.Version
			r.row(m.Path, "", m.Version)
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				r.text("revision", "revision", "", s.Value)
			}
		}
	}
	r.key("modules", modules)
	return r, nil
}
