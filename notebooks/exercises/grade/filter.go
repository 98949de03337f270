package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// packageName is the package that a submission is compiled as.
const packageName = "submission"

// allowed are the packages a student's code may use, by the name it uses them
// by: none of them reads or writes files, starts processes, or sees memory.
var allowed = byName(
	"cmp", "context", "errors", "fmt", "maps", "math", "math/big", "math/bits", "math/cmplx", "math/rand/v2", "slices", "sort", "strconv", "strings",
	"gonum.org/v1/gonum/floats", "gonum.org/v1/gonum/integrate", "gonum.org/v1/gonum/integrate/quad", "gonum.org/v1/gonum/mat",
	"gonum.org/v1/gonum/mathext", "gonum.org/v1/gonum/optimize", "gonum.org/v1/gonum/stat", "gonum.org/v1/gonum/stat/distuv",
	"jsqlab/jsqlib", "jsqlab/jsqlib/bound", "jsqlab/jsqlib/exact", "jsqlab/jsqlib/law", "jsqlab/jsqlib/limit", "jsqlab/jsqlib/sim",
	"jsqlab/jsqlib/wasserstein",
)

func byName(paths ...string) map[string]string {
	m := map[string]string{}
	for _, p := range paths {
		m[nameOf(p)] = p
	}
	return m
}

// nameOf returns the name of the package at an import path.
func nameOf(p string) string {
	if regexp.MustCompile(`/v[0-9]+$`).MatchString(p) {
		p = path.Dir(p)
	}
	return path.Base(p)
}

var (
	mainBody  = regexp.MustCompile(`(?m)^%(%|main|test|exec)`)
	command   = regexp.MustCompile(`(?m)^[%!].*`)
	directive = regexp.MustCompile(`^(//go:|//line |/\*line |//export )`)
	testName  = regexp.MustCompile(`^(Test|Benchmark|Fuzz|Example)`)
)

// trust says whose code it is.
type trust bool

const (
	trusted   trust = true
	untrusted trust = false
)

// extract makes a Go file of a cell: its declarations, with the imports they
// use. Untrusted code may be refused: the error says what for. What comes after
// %% or %main, and so is run by the notebook only, is left out.
func extract(source string, whose trust) ([]byte, error) {
	if at := mainBody.FindStringIndex(source); at != nil {
		source = source[:at[0]]
	}
	if line := command.FindString(source); line != "" {
		return nil, fmt.Errorf("the line %q is a command for the notebook: want Go code only", line)
	}
	const head = "package " + packageName + "; "
	file, err := parser.ParseFile(token.NewFileSet(), "answer", head+source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	if whose == untrusted {
		if err := refuse(file); err != nil {
			return nil, err
		}
	}
	imports, err := importsOf(file, whose)
	if err != nil {
		return nil, err
	}
	// The lines keep their numbers: imports are blanked where they are and put on the first line.
	text := []byte(head + source)
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			for at := g.Pos() - file.FileStart; at < g.End()-file.FileStart; at++ {
				if text[at] != '\n' {
					text[at] = ' '
				}
			}
		}
	}
	return slices.Concat([]byte(head), []byte(imports), text[len(head):]), nil
}

// refuse returns an error when the file holds anything that could run before
// the checks, beside them, or in their place.
func refuse(file *ast.File) error {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if directive.MatchString(c.Text) {
				return fmt.Errorf("the comment %q is a directive for the compiler: remove it", c.Text)
			}
		}
	}
	for _, d := range file.Decls {
		for _, name := range declared(d) {
			switch {
			case name == "init" || name == "main":
				return fmt.Errorf("%s is declared: an answer has none", name)
			case testName.MatchString(name) || slices.Contains(reserved, name) || allowed[name] != "":
				return fmt.Errorf("%s is declared: that is the name of a package or a test: choose another one", name)
			}
		}
		if f, ok := d.(*ast.FuncDecl); ok && f.Body == nil {
			return fmt.Errorf("func %s has no body", f.Name.Name)
		}
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		var call ast.Expr
		ast.Inspect(g, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit: // runs when it is called
				return false
			case *ast.CallExpr:
				call = n
			case *ast.UnaryExpr:
				if n.Op == token.ARROW {
					call = n
				}
			}
			return true
		})
		if call != nil {
			return fmt.Errorf("a variable outside functions is given a value by a call, which would run before the checks: make it a function")
		}
	}
	var err error
	ast.Inspect(file, func(n ast.Node) bool {
		if _, ok := n.(*ast.GoStmt); ok {
			err = fmt.Errorf("a go statement: answers run in one goroutine")
		}
		return err == nil
	})
	return err
}

// reserved are names that what is put beside the answers uses.
var reserved = []string{"check", "fmt", "os", "testing", secretName}

// declared returns the names that a declaration outside functions makes known
// in the package.
func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
			case *ast.ValueSpec:
				for _, x := range spec.Names {
					names = append(names, x.Name)
				}
			}
		}
	}
	return names
}

// importsOf returns the imports that the file needs: those it has, and
// allowed packages that it uses by name, as GoNB would add them.
func importsOf(file *ast.File, whose trust) (string, error) {
	used := map[string]bool{}
	for _, name := range file.Unresolved {
		used[name.Name] = true
	}
	paths := map[string]string{}
	for _, spec := range file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return "", err
		}
		name := nameOf(p)
		if whose == untrusted && allowed[name] != p {
			return "", fmt.Errorf("import %q: want one of the packages that answers may use: %s", p, strings.Join(slices.Sorted(maps.Values(allowed)), ", "))
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == "." || name == "_" {
			return "", fmt.Errorf("import %s %q: want an ordinary import", name, p)
		}
		if used[name] {
			paths[name] = p
		}
	}
	for name := range used {
		if p := allowed[name]; p != "" && paths[name] == "" {
			paths[name] = p
		}
	}
	var line strings.Builder
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		fmt.Fprintf(&line, "import %s %q; ", name, paths[name])
	}
	return line.String(), nil
}
