// Godoc writes the library reference of the site: one MyST page for each
// package, from its doc comments and examples, and an index of them.
//
//	go run ./site/godoc OUTDIR FOLDER...
//
// A FOLDER stands for itself and all packages below it. Every exported name has
// the target PACKAGE.Name or PACKAGE.Type.Method, which pages link to as
// [text](#PACKAGE.Name).
package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"jsqlab/jsqlib/study/whole"
)

const module = "jsqlab"

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "godoc: want OUTDIR FOLDER...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "godoc:", err)
		os.Exit(1)
	}
}

func run(out string, folders []string) error {
	var pages []*page
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(dir string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			p, err := load(dir)
			if p != nil {
				pages = append(pages, p)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	known := map[string]bool{}
	for _, p := range pages {
		for _, name := range p.names() {
			known[p.Name+"."+name] = true
		}
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	index := &bytes.Buffer{}
	fmt.Fprint(index, "# Library reference\n\nThe doc comments of the source, with their examples. Symbols are those of the notebooks.\n\n"+
		"| package | what it does |\n|---|---|\n")
	toc := ""
	for _, p := range pages {
		p.known = known
		name := p.Name + ".md"
		if err := whole.Write(filepath.Join(out, name), p.render()); err != nil {
			return err
		}
		synopsis := strings.TrimPrefix(p.Synopsis(p.Doc), "Package "+p.Name+" ")
		synopsis = strings.TrimRight(synopsis, ":.")
		fmt.Fprintf(index, "| [%s](%s) | %s |\n", p.ImportPath, name, escape(synopsis))
		toc += p.ImportPath + " <" + p.Name + ">\n"
	}
	fmt.Fprintf(index, "\n```{toctree}\n:hidden:\n%s```\n", toc)
	return whole.Write(filepath.Join(out, "index.md"), index.Bytes())
}

// page is a package and the page that is written of it.
type page struct {
	*doc.Package
	fset  *token.FileSet
	known map[string]bool // targets of all pages
	out   bytes.Buffer
}

// load reads the library package in dir, with its examples; nil if dir has none.
func load(dir string) (*page, error) {
	b, err := build.ImportDir(dir, 0)
	var none *build.NoGoError
	if errors.As(err, &none) || err == nil && b.Name == "main" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, names := range [][]string{b.GoFiles, b.TestGoFiles, b.XTestGoFiles} {
		for _, name := range names {
			f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
	}
	p, err := doc.NewFromFiles(fset, files, path.Join(module, filepath.ToSlash(dir)))
	if err != nil {
		return nil, err
	}
	return &page{Package: p, fset: fset}, nil
}

// names lists all exported names of the package: Name and Type.Method.
func (p *page) names() (names []string) {
	values := func(vs []*doc.Value) {
		for _, v := range vs {
			names = append(names, v.Names...)
		}
	}
	funcs := func(receiver string, fs []*doc.Func) {
		for _, f := range fs {
			names = append(names, receiver+f.Name)
		}
	}
	values(p.Consts)
	values(p.Vars)
	funcs("", p.Funcs)
	for _, t := range p.Types {
		names = append(names, t.Name)
		values(t.Consts)
		values(t.Vars)
		funcs("", t.Funcs)
		funcs(t.Name+".", t.Methods)
	}
	return names
}

func (p *page) render() []byte {
	p.printf("# %s\n\n", p.ImportPath)
	p.code("go", fmt.Sprintf("import %q", p.ImportPath))
	p.comment(p.Doc, 2)
	p.examples(p.Examples, 2)
	p.values("## Constants", p.Consts)
	p.values("## Variables", p.Vars)
	if len(p.Funcs) > 0 {
		p.printf("## Functions\n\n")
		p.funcs("", p.Funcs, 3)
	}
	if len(p.Types) > 0 {
		p.printf("## Types\n\n")
	}
	for _, t := range p.Types {
		p.target(t.Name)
		p.printf("### type %s\n\n", t.Name)
		p.decl(t.Decl)
		p.comment(t.Doc, 5)
		p.examples(t.Examples, 4)
		p.values("", t.Consts)
		p.values("", t.Vars)
		p.funcs("", t.Funcs, 4)
		p.funcs(t.Name, t.Methods, 4)
	}
	return p.out.Bytes()
}

func (p *page) values(heading string, values []*doc.Value) {
	if len(values) > 0 && heading != "" {
		p.printf("%s\n\n", heading)
	}
	for _, v := range values {
		for _, name := range v.Names {
			if ast.IsExported(name) {
				p.target(name)
			}
		}
		p.decl(v.Decl)
		p.comment(v.Doc, 5)
	}
}

func (p *page) funcs(receiver string, funcs []*doc.Func, level int) {
	for _, f := range funcs {
		name, title := f.Name, "func "+f.Name
		if receiver != "" {
			name, title = receiver+"."+f.Name, fmt.Sprintf("func (%s) %s", f.Recv, f.Name)
		}
		p.target(name)
		p.printf("%s %s\n\n", strings.Repeat("#", level), escape(title))
		p.decl(f.Decl)
		p.comment(f.Doc, level+1)
		p.examples(f.Examples, level+1)
	}
}

func (p *page) examples(examples []*doc.Example, level int) {
	for _, e := range examples {
		title := "Example"
		if e.Suffix != "" {
			title += " (" + strings.ReplaceAll(e.Suffix, "_", " ") + ")"
		}
		p.printf("%s %s\n\n", strings.Repeat("#", min(level, 6)), title)
		p.comment(e.Doc, 6)
		p.code("go", body(p.source(&printer.CommentedNode{Node: e.Code, Comments: e.Comments})))
		if e.Output != "" {
			p.printf("prints\n\n")
			p.code("text", e.Output)
		}
	}
}

// comment writes a doc comment, its headings at the given level.
func (p *page) comment(text string, level int) {
	cp := p.Printer()
	cp.HeadingLevel = min(level, 6)
	cp.HeadingID = func(*comment.Heading) string { return "" }
	cp.DocLinkURL = p.link
	p.out.Write(escapeDollars(cp.Markdown(p.Parser().Parse(text))))
	p.printf("\n")
}

// link is the target of a name in a doc comment, empty if it has none here.
func (p *page) link(l *comment.DocLink) string {
	target := p.Name
	if l.ImportPath != "" {
		target = path.Base(l.ImportPath)
		if l.ImportPath != module && !strings.HasPrefix(l.ImportPath, module+"/") {
			return ""
		}
		if l.Name == "" {
			return target + ".md"
		}
	}
	if l.Recv != "" {
		target += "." + l.Recv
	}
	if target += "." + l.Name; !p.known[target] {
		return ""
	}
	return "#" + target
}

func (p *page) target(name string) { p.printf("(%s.%s)=\n", p.Name, name) }

func (p *page) decl(d ast.Decl) { p.code("go", p.source(d)) }

func (p *page) code(language, text string) {
	p.printf("```%s\n%s\n```\n\n", language, strings.Trim(text, "\n"))
}

func (p *page) printf(format string, args ...any) { fmt.Fprintf(&p.out, format, args...) }

// source is the formatted source of a node.
func (p *page) source(node any) string {
	var b bytes.Buffer
	if err := format.Node(&b, p.fset, node); err != nil {
		panic(err) // it has been parsed
	}
	return b.String()
}

var output = regexp.MustCompile(`(?is)\n\t// (unordered )?output:.*`)

// body is what stands between the braces of an example, one tab less indented
// and without its output.
func body(block string) string {
	inside := output.ReplaceAllString(strings.TrimSuffix(strings.TrimPrefix(block, "{"), "}"), "")
	return strings.ReplaceAll(inside, "\n\t", "\n")
}

var special = regexp.MustCompile("[\\\\`*_\\[\\]<>$|]")

// escape makes plain text safe for Markdown.
func escape(text string) string { return special.ReplaceAllString(text, `\$0`) }

// escapeDollars keeps dollars outside code blocks from opening a formula.
func escapeDollars(markdown []byte) []byte {
	lines := strings.Split(string(markdown), "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "\t") {
			lines[i] = strings.ReplaceAll(line, "$", `\$`)
		}
	}
	return []byte(strings.Join(lines, "\n"))
}
