package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"jsqlab/jsqlib"
	"jsqlab/jsqlib/study"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
)

// Exit statuses.
const (
	exitOK    = 0
	exitWork  = 1 // the work failed or was interrupted
	exitUsage = 2 // unusable arguments
)

// command is one subcommand.
type command struct {
	name    string
	summary string // one line for jsq help
	args    string // what follows the name in the usage line
	operand string // the flag whose value may stand without it: jsq merge DIR is jsq merge --in DIR
	help    string // paragraphs after the list of flags
	// setup declares the flags and returns what does the work. A report that comes with an error is
	// printed too.
	setup func(*flags) func() (*report, error)
}

var commands = map[string]command{}

func register(c command) { commands[c.name] = c }

func main() {
	// jsqlib keeps what is in use within 2 GiB; without this, garbage could be as much again
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(2 << 30)
	}
	status := run(os.Args[1:], os.Stdout, os.Stderr)
	// some file systems say only now that there is no room
	if err := os.Stdout.Close(); err != nil && status == exitOK {
		status = fail(os.Stderr, "jsq", unwritten(err))
	}
	os.Exit(status)
}

// run is main with its surroundings as arguments. An output that does not reach standard output is
// failed work, for every command.
func run(args []string, stdout, stderr io.Writer) int {
	out := &output{w: stdout}
	status := dispatch(args, out, stderr)
	if out.err != nil && status == exitOK {
		return fail(stderr, "jsq "+args[0], unwritten(out.err))
	}
	return status
}

func unwritten(err error) error { return fmt.Errorf("write the result: %w", err) }

// output remembers the first error of its writes.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(text []byte) (int, error) {
	n, err := o.w.Write(text)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// dispatch is run without the errors of stdout.
func dispatch(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		usage(stderr)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		return help(args[1:], stdout, stderr)
	}
	cmd, ok := commands[args[0]]
	if !ok {
		return fail(stderr, "jsq", unknownCommand(args[0]))
	}
	prefix := "jsq " + cmd.name
	f := newFlags(cmd)
	if wantsHelp, err := f.parse(args[1:]); wantsHelp {
		newFlags(cmd).usage(stdout)
		return exitOK
	} else if err != nil {
		return fail(stderr, prefix, f.translate(err))
	}

	signals := []os.Signal{syscall.SIGTERM}
	if !signal.Ignored(os.Interrupt) { // as in the background of a script
		signals = append(signals, os.Interrupt)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	f.ctx = ctx
	f.progress = newProgress(stderr)
	rep, err := f.run()
	f.progress.clear()
	if rep != nil {
		for _, note := range f.notes {
			fmt.Fprintf(stderr, "%s: warning: %s\n", prefix, oneLine(note))
		}
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			rep.interrupted()
		}
		var out bytes.Buffer
		if f.json {
			rep.writeJSON(&out)
		} else {
			rep.writeTable(&out)
		}
		stdout.Write(out.Bytes())
	}
	if err != nil {
		return fail(stderr, prefix, f.translate(err))
	}
	return exitOK
}

// fail prints the error as one line and returns its exit status.
func fail(stderr io.Writer, prefix string, err error) int {
	status, text := exitWork, err.Error()
	var refused *jsqlib.Invalid
	switch {
	case errors.Is(err, study.ErrTask): // it was tried, whatever it wraps
	case errors.As(err, &refused):
		status = exitUsage
	case errors.Is(err, context.Canceled):
		text = "interrupted"
	}
	fmt.Fprintf(stderr, "%s: %s\n", prefix, oneLine(text))
	return status
}

func unknownCommand(name string) error {
	return invalid("command "+quote(name), "", "one of "+strings.Join(commandNames(), ", "))
}

func commandNames() []string {
	var names []string
	for name := range commands {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// help is "jsq help [command]".
func help(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		usage(stdout)
		return exitOK
	}
	cmd, ok := commands[args[0]]
	if !ok {
		return fail(stderr, "jsq help", unknownCommand(args[0]))
	}
	if len(args) > 1 {
		return fail(stderr, "jsq help", invalid("argument "+quote(args[1]), "", "one command"))
	}
	newFlags(cmd).usage(stdout)
	return exitOK
}

func usage(w io.Writer) {
	fmt.Fprint(w, `jsq computes stationary quantities of N parallel servers under Join the
Shortest Queue in the many-server heavy-traffic regime.

Usage: jsq COMMAND [flags]

`)
	for _, name := range commandNames() {
		fmt.Fprintf(w, "  %-10s %s\n", name, commands[name].summary)
	}
	fmt.Fprint(w, `
jsq help COMMAND describes a command and its flags. Exit status: 0 done, 1 the
work failed or was interrupted, 2 unusable arguments.
`)
}
