package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/law"
	"jsqlab/jsqlib/sim"
	"jsqlab/jsqlib/study"
)

// usageError says that arguments cannot be used: what they are and what is
// wanted.
type usageError struct {
	what string // "--alpha = -1", "command foo"
	want string
}

func (e *usageError) Error() string { return e.what + ": want " + e.want }

func flagError(name, got, want string) error {
	return &usageError{"--" + name + " = " + got, want}
}

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

// value is the text of one flag. What it means is up to the command.
type value struct {
	text   string
	set    int // how many times it was given
	isBool bool
}

func (v *value) String() string   { return v.text }
func (v *value) IsBoolFlag() bool { return v.isBool }
func (v *value) Set(s string) error {
	v.text = s
	v.set++
	return nil
}

// flags are the flags of one command line, as text.
type flags struct {
	ctx    context.Context // ends when the command is interrupted
	cmd    command
	set    *flag.FlagSet
	order  []string // as declared, for the usage
	values map[string]*value
	notes  []string // warnings about what was given, for the report
}

func newFlags(cmd command) *flags {
	f := &flags{ctx: context.Background(), cmd: cmd, set: flag.NewFlagSet(cmd.name, flag.ContinueOnError), values: map[string]*value{}}
	f.set.SetOutput(io.Discard)
	f.set.Usage = func() {}
	if cmd.flags != nil {
		cmd.flags(f)
	}
	f.declareBool("json", "print one JSON object instead of a table")
	return f
}

// declare adds a flag. A name in backquotes in the usage stands for its value.
func (f *flags) declare(name, def, usage string) { f.add(name, usage, &value{text: def}) }

func (f *flags) declareBool(name, usage string) {
	f.add(name, usage, &value{text: "false", isBool: true})
}

func (f *flags) add(name, usage string, v *value) {
	f.set.Var(v, name, usage)
	f.order = append(f.order, name)
	f.values[name] = v
}

// parse reads the command line and reports whether it asks for help.
func (f *flags) parse(args []string) (wantsHelp bool, err error) {
	err = f.set.Parse(f.withOperand(args))
	switch {
	case errors.Is(err, flag.ErrHelp):
		return true, nil
	case err != nil:
		return false, f.parseError(err)
	case f.set.NArg() > 0:
		return false, &usageError{"argument " + quote(f.set.Arg(0)), "flags only, as jsq help " + f.cmd.name + " lists them"}
	}
	for _, name := range f.order {
		v := f.values[name]
		if v.set > 1 {
			return false, flagError(name, quote(v.text)+", given "+strconv.Itoa(v.set)+" times", "it once")
		}
		if v.isBool {
			if _, err := strconv.ParseBool(v.text); err != nil {
				return false, flagError(name, quote(v.text), "true or false")
			}
		}
	}
	return false, nil
}

// parseError puts the errors of package flag in the form of ours.
func (f *flags) parseError(err error) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		return &usageError{"unknown flag --" + name, "one of --" + strings.Join(f.order, ", --")}
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return flagError(name, "nothing", "a value after it")
	}
	if arg, ok := strings.CutPrefix(text, "bad flag syntax: "); ok {
		return &usageError{"argument " + quote(arg), "--FLAG VALUE"}
	}
	return &usageError{text, "flags as jsq help " + f.cmd.name + " lists them"}
}

// usage describes the command.
func (f *flags) usage(w io.Writer) {
	fmt.Fprintf(w, "jsq %s: %s\n\nUsage: jsq %s %s\n\n", f.cmd.name, f.cmd.summary, f.cmd.name, f.cmd.args)
	for _, name := range f.order {
		arg, text := flag.UnquoteUsage(f.set.Lookup(name))
		v := f.values[name]
		head := "--" + name
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
func (f *flags) bool(name string) bool {
	b, _ := strconv.ParseBool(f.text(name)) // checked by parse
	return b
}
func (f *flags) json() bool { return f.bool("json") }

// integer reads a whole number in [low, high]; 2e9 is one too.
func (f *flags) integer(name string, low, high int64, want string) (int64, error) {
	text := f.text(name)
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		x, ferr := jsqlib.ParseFloat(text)
		if ferr != nil || x != math.Trunc(x) || math.Abs(x) >= 1<<63 {
			return 0, flagError(name, quote(text), want)
		}
		n = int64(x)
	}
	if n < low || n > high {
		return 0, flagError(name, quote(text), want)
	}
	return n, nil
}

// number reads a float64; whether it is in range is up to usable.
func (f *flags) number(name, want string, usable func(float64) bool) (float64, error) {
	text := f.text(name)
	x, err := jsqlib.ParseFloat(text)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || !usable(x) {
		return 0, flagError(name, quote(text), want)
	}
	return x, nil
}

// model is the system that the common flags describe.
type model struct {
	*flags
	jsqlib.Model
	c jsqlib.Constants
}

// declareModel adds the common flags of the model.
func declareModel(f *flags) {
	f.declare("model", "dt", "`MODEL`: dt, discrete time in slots; or ct, continuous time, Poisson arrivals and\nexponential services")
	f.declare("servers", "", "number `N` of servers, at least 1")
	f.declare("alpha", "", "`A` > 0: the gap is N^(-A)")
	f.declare("gap", "", "or the gap `E` itself, 0 < E < 1: the share of the service that is left unused")
	f.declare("load", "", "or the load `RHO` = 1 - gap; the decimal is subtracted from 1 exactly")
	f.declare("arrivals", "binomial:2", "dt: base `LAW` of one server's share of the arrivals of a slot, mean 1; each job is\n"+
		"kept with probability 1 - gap. "+lawUsage)
	f.declare("service", "binomial:2", "dt: `LAW` of the service that a server offers in a slot, mean 1; as for --arrivals")
	f.declare("policy", "jsq", "`RULE`: jsq; pod:D, the shortest of D distinct servers drawn at random; or\npod:D:replacement, of D servers each drawn from all")
	f.declare("routing", "batch", "dt: `UNIT` that joins a queue: batch, all arrivals of a slot; or job, each in its turn")
}

// declareRun adds the common flags of a simulation; budget is the default of
// --max-slots in words.
func declareRun(f *flags, budget string) {
	f.declare("rel-error", "0.01", "stop when the 95 % half width is at most this share `X` of the value")
	f.declare("max-slots", "0", "budget `K` of slots (ct: steps of the uniformised chain) over all replications;\n0: "+budget)
	declareStreams(f)
}

// declareStreams adds the flags of what is random or parallel.
func declareStreams(f *flags) {
	f.declare("seed", "1", "seed `S` of the random streams, 0 <= S < 2^64")
	f.declare("workers", "0", "number `W` of goroutines, no matter for the result; 0: one for each core")
}

const modelArgs = "--servers N (--alpha A | --gap E | --load RHO) [flags]"

// model reads the common flags.
func (f *flags) model() (*model, error) {
	m := &model{flags: f}
	s, err := f.spec()
	if err != nil {
		return nil, err
	}
	wantServers := fmt.Sprintf("1 <= servers <= %d", jsqlib.MaxServers)
	if !f.given("servers") {
		return nil, flagError("servers", "nothing", wantServers)
	}
	servers, err := f.integer("servers", 1, jsqlib.MaxServers, wantServers)
	if err != nil {
		return nil, err
	}
	s.Servers = int(servers)
	if s.Alpha, s.Gap, err = f.alphaGap(); err != nil {
		return nil, err
	}
	m.Model, m.c, err = s.Parse()
	return m, f.translate(err)
}

// spec reads the words that describe a system but for its size. Laws in files become laws in words.
func (f *flags) spec() (s jsqlib.Spec, err error) {
	s.Model, s.Policy = f.text("model"), f.text("policy")
	if s.Model == jsqlib.DT {
		if err := f.laws(); err != nil {
			return s, err
		}
	}
	words := map[string]*string{"arrivals": &s.Arrivals, "service": &s.Service, "routing": &s.Routing}
	for _, name := range []string{"arrivals", "service", "routing"} {
		if s.Model == jsqlib.CT && !f.given(name) {
			continue // the default of the flag is for discrete time
		}
		*words[name] = f.text(name)
	}
	return s, nil
}

// alphaGap reads the one of --alpha, --gap and --load that is given; the other
// result is 0.
func (f *flags) alphaGap() (alpha, gap float64, err error) {
	var given []string
	for _, name := range []string{"alpha", "gap", "load"} {
		if f.given(name) {
			given = append(given, name)
		}
	}
	const want = "exactly one of --alpha, --gap and --load"
	switch {
	case len(given) == 0:
		return 0, 0, flagError("alpha", "nothing", want)
	case len(given) > 1:
		return 0, 0, &usageError{fmt.Sprintf("--%s = %s and --%s = %s", given[0], quote(f.text(given[0])), given[1], quote(f.text(given[1]))), want}
	}
	switch given[0] {
	case "alpha":
		alpha, err = f.number("alpha", "alpha > 0", func(x float64) bool { return x > 0 })
	case "gap":
		gap, err = f.number("gap", "0 < gap < 1", func(x float64) bool { return x > 0 && x < 1 })
	case "load":
		gap, err = f.loadGap()
	}
	return alpha, gap, err
}

// loadGap returns 1 - load, with the decimal that was typed taken exactly and
// the difference rounded once.
func (f *flags) loadGap() (float64, error) {
	const want = "0 < load < 1"
	text := f.text("load")
	// a syntax check, and a bound on the exponent of the exact number
	if _, err := jsqlib.ParseFloat(text); err != nil {
		return 0, flagError("load", quote(text), want)
	}
	load, ok := new(big.Rat).SetString(text)
	one := big.NewRat(1, 1)
	if !ok || load.Sign() <= 0 || load.Cmp(one) >= 0 {
		return 0, flagError("load", quote(text), want)
	}
	gap, _ := new(big.Rat).Sub(one, load).Float64()
	switch gap {
	case 0:
		return 0, flagError("load", quote(text), "0 < load < 1, with a gap 1 - load that float64 can tell from 0")
	case 1:
		return 0, flagError("load", quote(text), fmt.Sprintf("load >= %g, the smallest load", jsqlib.MinLoad))
	}
	return gap, nil
}

// streams reads the flags of declareStreams.
func (f *flags) streams() (seed uint64, workers int, err error) {
	seed, err = strconv.ParseUint(f.text("seed"), 10, 64)
	if err != nil {
		return 0, 0, flagError("seed", quote(f.text("seed")), "a whole number, 0 <= seed < 2^64")
	}
	w, err := f.integer("workers", 0, 1<<20, "workers >= 0 (0: one for each core)")
	return seed, int(w), err
}

// simOptions reads the flags of declareRun.
func (f *flags) simOptions() (o sim.Options, err error) {
	if o.Seed, o.Workers, err = f.streams(); err != nil {
		return o, err
	}
	o.RelError, err = f.number("rel-error", "0 < rel-error < 1", func(x float64) bool { return x > 0 && x < 1 })
	if err != nil {
		return o, err
	}
	o.MaxSlots, err = f.integer("max-slots", 0, math.MaxInt64, "a whole number, max-slots >= 0 (0: the default)")
	return o, err
}

// translate names the flag where a library names its field or option.
func (f *flags) translate(err error) error {
	var field *jsqlib.Invalid
	switch {
	case errors.Is(err, study.ErrTask): // it was tried: failed work
	case errors.As(err, &field):
		name, want := field.What, field.Want
		if name == "gap" && f.given("load") {
			return flagError("load", f.text("load"), strings.NewReplacer("1 - gap", "load", "gap", "1 - load").Replace(want))
		}
		got := field.Got
		if v := f.values[name]; v != nil && got == strconv.Quote(v.text) {
			got = quote(v.text)
		}
		return flagError(name, got, want)
	case errors.Is(err, law.ErrReach), errors.Is(err, law.ErrConstants):
		_, want, _ := strings.Cut(err.Error(), ": want ")
		return &usageError{f.pairs("servers", "alpha", "gap", "load", "arrivals", "service"), want}
	}
	return err
}

// pairs shows flags and their values.
func (f *flags) pairs(names ...string) string {
	var out []string
	for _, name := range names {
		if text := f.text(name); text != "" {
			out = append(out, "--"+name+" = "+quote(text))
		}
	}
	return strings.Join(out, ", ")
}

// commandLine returns a command that gives the same result: what was given, in
// the order of the flags, without what does not matter to it.
func (f *flags) commandLine() string {
	words := []string{"jsq", f.cmd.name}
	for _, name := range f.order {
		if v := f.values[name]; v.set > 0 && name != "workers" && name != "json" {
			words = append(words, "--"+name, shellWord(v.text))
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
