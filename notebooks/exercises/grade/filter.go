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
// by: but for what forbidden takes out, none of them reads or writes files,
// starts processes or goroutines, or calls assembly with lengths or strides
// that are not checked.
var allowed = byName(
	"cmp", "errors", "fmt", "maps", "math", "math/big", "math/bits", "math/cmplx", "math/rand/v2", "slices", "sort", "strconv", "strings",
	"gonum.org/v1/gonum/floats", "gonum.org/v1/gonum/integrate", "gonum.org/v1/gonum/stat", "gonum.org/v1/gonum/stat/distuv",
	"jsqlab/jsqlib", "jsqlab/jsqlib/bound", "jsqlab/jsqlib/limit", "jsqlab/jsqlib/wasserstein", "jsqlab/notebooks/nb",
)

// forbidden are functions and types of allowed packages, and names of methods,
// that answers may not use, with the reason.
var forbidden = map[string]string{
	"gonum.org/v1/gonum/stat.PC":                    matrices,
	"gonum.org/v1/gonum/stat.CC":                    matrices,
	"gonum.org/v1/gonum/stat.CovarianceMatrix":      matrices,
	"gonum.org/v1/gonum/stat.CorrelationMatrix":     matrices,
	"gonum.org/v1/gonum/stat.Mahalanobis":           matrices,
	"gonum.org/v1/gonum/stat.WassersteinDistanceND": matrices,
	"jsqlab/jsqlib/wasserstein.Null":                goroutines,
	"jsqlab/notebooks/nb.Exact":                     simulates,
	"jsqlab/notebooks/nb.Direct":                    simulates,
	"jsqlab/notebooks/nb.Boundary":                  simulates,
	"jsqlab/notebooks/nb.Distance":                  simulates,
	"Bits":                                          words,
	"SetBits":                                       words,
	"GobDecode":                                     words,
}

const (
	matrices   = "it leads to gonum's matrices, which do not check strides"
	goroutines = "it calls methods of its context in other goroutines"
	simulates  = "it runs in other goroutines"
	words      = "in math/big, it gives a number's memory away unchecked"
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
// use, except where own, the names that the submission declares, hide a package.
// Untrusted code may be refused: the error says what for. What comes after %% or
// %main, and so is run by the notebook only, is left out.
func extract(source string, whose trust, own map[string]bool) ([]byte, error) {
	const head = "package " + packageName + "; "
	source = declarations(source)
	if line := command.FindString(source); line != "" {
		return nil, fmt.Errorf("the line %q is a command for the notebook: want Go code only", line)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "answer", head+source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	if whose == untrusted {
		if err := refuse(file); err != nil {
			return nil, err
		}
	}
	imports, err := importsOf(file, whose, own)
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

// declarations returns the part of a cell that is not run by the notebook only.
func declarations(source string) string {
	if at := mainBody.FindStringIndex(source); at != nil {
		return source[:at[0]]
	}
	return source
}

// namesIn returns the names that the cell declares in the package; none when it
// is not Go.
func namesIn(source string) (names []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "answer", "package "+packageName+"; "+declarations(source), 0)
	if err != nil {
		return nil
	}
	for _, d := range file.Decls {
		names = append(names, declared(d)...)
	}
	return names
}

// taken says whether what is put beside the answers uses the name.
func taken(name string) bool {
	return testName.MatchString(name) || slices.Contains(reserved, name)
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
			case taken(name):
				return fmt.Errorf("%s is declared: that is a name of the checks: choose another one", name)
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
	paths := maps.Clone(allowed)
	for _, spec := range file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil && spec.Name != nil {
			paths[spec.Name.Name] = p
		}
	}
	var err error
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			err = fmt.Errorf("a go statement: answers run in one goroutine")
		case *ast.SelectorExpr:
			why := forbidden[n.Sel.Name]
			if x, ok := n.X.(*ast.Ident); ok && why == "" {
				why = forbidden[paths[x.Name]+"."+n.Sel.Name]
			}
			if why != "" {
				err = fmt.Errorf("%s is not for answers: %s", n.Sel.Name, why)
			}
		}
		return err == nil
	})
	return err
}

// reserved are the names that secretTest, taskTest and the feedback cells use.
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
func importsOf(file *ast.File, whose trust, own map[string]bool) (string, error) {
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
		if whose == untrusted && spec.Name != nil && taken(name) {
			return "", fmt.Errorf("import %s %q: %[1]s is a name of the checks: choose another one", name, p)
		}
		if used[name] {
			paths[name] = p
		}
	}
	for name := range used {
		if p := allowed[name]; p != "" && paths[name] == "" && !own[name] {
			paths[name] = p
		}
	}
	var line strings.Builder
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		fmt.Fprintf(&line, "import %s %q; ", name, paths[name])
	}
	return line.String(), nil
}
