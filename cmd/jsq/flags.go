package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/study"
)

// invalid is the error of arguments that cannot be used. translate puts -- before the name of a flag.
func invalid(what, got, want string) error { return &jsqlib.Invalid{What: what, Got: got, Want: want} }

// quote shows an argument as it is, or quoted where that would not be clear.
func quote(s string) string {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == '"' }) {
		return strconv.Quote(s)
	}
	return s
}

// oneLine keeps control characters of an argument out of a message.
func oneLine(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// value is one flag: its text as it was given or is by default, and what reads the text into the
// variable of the command. What does not fit is a [*jsqlib.Invalid] that names the flag.
type value struct {
	name, usage string
	text        string
	read        func(text string) error
	set         int // how many times it was given
	err         error
	isBool      bool
}

// flags are the flags of one command line, and what a command is called with.
type flags struct {
	ctx      context.Context // ends when the command is interrupted
	progress *progress
	cmd      command
	run      func() (*report, error)
	order    []*value // as declared, for the usage
	values   map[string]*value
	oneOf    []string // flags that exclude each other
	json     bool
	notes    []string // warnings about what was given, for the report
}

func newFlags(cmd command) *flags {
	f := &flags{ctx: context.Background(), cmd: cmd, values: map[string]*value{}}
	f.run = cmd.setup(f)
	add(f, &f.json, "json", "false", "print one JSON object instead of a table", "true or false", func(text string) (bool, bool) {
		yes, err := strconv.ParseBool(text)
		return yes, err == nil
	}).isBool = true
	return f
}

// declare adds a flag. A name in backquotes in the usage stands for its value. The default is shown in
// the usage; read gets the words given.
func (f *flags) declare(name, def, usage string, read func(text string) error) *value {
	v := &value{name: name, text: def, usage: usage, read: read}
	f.order = append(f.order, v)
	f.values[name] = v
	return v
}

// add adds a flag for the variable x. Its text is refused, as want says, unless read can read it.
func add[T any](f *flags, x *T, name, def, usage, want string, read func(text string) (T, bool)) *value {
	if y, ok := read(def); ok {
		*x = y
	}
	return f.declare(name, def, usage, func(text string) error {
		y, ok := read(text)
		if !ok {
			return invalid(name, quote(text), want)
		}
		*x = y
		return nil
	})
}

// word adds a flag for a word that is read later: a part of a [jsqlib.Spec], or a path.
func (f *flags) word(x *string, name, def, usage string) {
	f.declare(name, def, usage, func(text string) error { *x = text; return nil })
}

// integer reads a whole number in [low, high]; 2e9 is one too.
func integer[T int | int64](low, high T) func(text string) (T, bool) {
	return func(text string) (T, bool) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			x, err := jsqlib.ParseFloat(text)
			if err != nil || x != math.Trunc(x) || math.Abs(x) >= 1<<63 {
				return 0, false
			}
			n = int64(x)
		}
		return T(n), n >= int64(low) && n <= int64(high)
	}
}

// number reads a number in (low, high).
func number(low, high float64) func(text string) (float64, bool) {
	return func(text string) (float64, bool) {
		x, err := jsqlib.ParseFloat(text)
		return x, err == nil && x > low && x < high
	}
}

// list reads what read reads, separated by commas.
func list[T any](read func(text string) (T, bool)) func(text string) ([]T, bool) {
	return func(text string) (all []T, ok bool) {
		for word := range strings.SplitSeq(text, ",") {
			x, ok := read(strings.TrimSpace(word))
			if !ok {
				return nil, false
			}
			all = append(all, x)
		}
		return all, true
	}
}

// parse reads the command line and reports whether it asks for help. The grammar is that of package
// flag, which stops at the first operand and says what it refuses in words only.
func (f *flags) parse(args []string) (wantsHelp bool, err error) {
	for only := false; len(args) > 0; { // only operands follow
		arg := args[0]
		args = args[1:]
		if arg == "--" && !only {
			only = true
			continue
		}
		name, text, hasText := f.cmd.operand, arg, true
		if !only && len(arg) > 1 && arg[0] == '-' {
			name, text, hasText = strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
			if name == "" || name[0] == '-' {
				return false, invalid("argument "+quote(arg), "", "--FLAG VALUE")
			}
		} else if name == "" {
			return false, invalid("argument "+quote(arg), "", "flags only, as jsq help "+f.cmd.name+" lists them")
		}
		v := f.values[name]
		switch {
		case v == nil && (name == "h" || name == "help"):
			return true, nil
		case v == nil:
			return false, invalid("unknown flag --"+name, "", "one of "+strings.Join(f.names(), ", "))
		case hasText:
		case v.isBool:
			text = "true"
		case len(args) == 0:
			return false, invalid(name, "nothing", "a value after it")
		default:
			text, args = args[0], args[1:]
		}
		v.text, v.err = text, v.read(text)
		v.set++
	}
	for _, v := range f.order {
		if v.set > 1 {
			return false, invalid(v.name, quote(v.text)+", given "+strconv.Itoa(v.set)+" times", "it once")
		}
	}
	if given := f.givenOf(f.oneOf); len(given) > 1 {
		return false, invalid(f.pairs(" and ", given[:2]...), "", wantOneOf)
	}
	for _, v := range f.order {
		if v.err != nil {
			return false, v.err
		}
	}
	return false, nil
}

// names lists the flags.
func (f *flags) names() (names []string) {
	for _, v := range f.order {
		names = append(names, "--"+v.name)
	}
	return names
}

// usage describes the command.
func (f *flags) usage(w io.Writer) {
	fmt.Fprintf(w, "jsq %s: %s\n\nUsage: jsq %s %s\n\n", f.cmd.name, f.cmd.summary, f.cmd.name, f.cmd.args)
	for _, v := range f.order {
		arg, text := flag.UnquoteUsage(&flag.Flag{Usage: v.usage})
		head := "--" + v.name
		if !v.isBool {
			head += " " + arg
			if v.text != "" {
				text += " (default " + v.text + ")"
			}
		}
		fmt.Fprintf(w, "  %-18s %s\n", head, strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", 21)))
	}
	if f.cmd.help != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(f.cmd.help))
	}
}

func (f *flags) given(name string) bool  { return f.values[name] != nil && f.values[name].set > 0 }
func (f *flags) text(name string) string { return f.values[name].text }

// givenOf returns those of the names that are given.
func (f *flags) givenOf(names []string) (given []string) {
	for _, name := range names {
		if f.given(name) {
			given = append(given, name)
		}
	}
	return given
}

// pairs shows flags and their values.
func (f *flags) pairs(separator string, names ...string) string {
	var out []string
	for _, name := range names {
		if text := f.text(name); text != "" || f.given(name) {
			out = append(out, "--"+name+" = "+quote(text))
		}
	}
	return strings.Join(out, separator)
}

// commandWords are the flags of the command for the options that an error of the library names.
var commandWords = strings.NewReplacer("MaxStates", "--max-states", "law.Distance", "jsq distance", "an r >= 2 of your own", "--r R")

// translate names the flag where a library names its field or option.
func (f *flags) translate(err error) error {
	var refused *jsqlib.Invalid
	switch {
	case errors.Is(err, study.ErrTask): // it was tried: failed work
	case errors.As(err, &refused):
		x := *refused
		if x.What == "system" { // no flag of it alone
			x.What, x.Got = f.pairs(", ", "servers", "alpha", "gap", "load", "arrivals", "service"), ""
		}
		if x.What == "gap" && f.given("load") {
			x = jsqlib.Invalid{What: "load", Got: f.text("load"), Want: strings.NewReplacer("1 - gap", "load", "gap", "1 - load").Replace(x.Want)}
		}
		if v := f.values[x.What]; v != nil {
			x.What = "--" + x.What
			if x.Got == strconv.Quote(v.text) {
				x.Got = quote(v.text)
			}
		}
		x.Want = commandWords.Replace(x.Want)
		return &x
	}
	return err
}

// commandLine returns a command that gives the same result: the flags given, in the order of the flags,
// without those that do not change the result.
func (f *flags) commandLine() string {
	words := []string{"jsq", f.cmd.name}
	for _, v := range f.order {
		if v.set > 0 && v.name != "workers" && v.name != "json" {
			words = append(words, "--"+v.name, shellWord(v.text))
		}
	}
	return strings.Join(words, " ")
}

// shellWord quotes a word for a POSIX shell if it must be.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("+-.,:/=_%@", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
