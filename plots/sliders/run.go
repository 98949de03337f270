package sliders

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"jsqlab/jsqlib"
)

// Switch is the environment variable that turns the sliders on, with the value "on". Whoever
// starts a JupyterLab whose browser can reach the kernel sets it: sliders wait for
// that browser, and a run without one must not.
const Switch = "JSQLAB_SLIDERS"

// patience bounds the time of one computation while sliders are live. JSQ takes a second or less;
// sampled policies can take much longer.
const patience = 8 * time.Second

// Run shows the answer for the system, as text and figure, and, if [Switch] is on and a browser
// answers, controls that change the system, until they are dismissed.
// The error is that of [Solve] for the system given; what the controls make is answered in place.
func Run(s jsqlib.Model) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if os.Getenv(Switch) == "on" {
		err := live(ctx, s)
		if !errors.Is(err, errNoBrowser) {
			return err
		}
		fmt.Println("no sliders here: this page has no way to the kernel; open it by make lab, and run the cell again")
	}
	return still(ctx, s)
}

// MustRun is [Run], and panics on an error, which stops the notebook.
func MustRun(s jsqlib.Model) {
	if err := Run(s); err != nil {
		panic(err)
	}
}

// still shows one answer.
func still(ctx context.Context, s jsqlib.Model) error {
	a, err := Solve(ctx, s)
	if err != nil {
		return err
	}
	fmt.Print(a.Text())
	f, err := a.Figure()
	if err != nil {
		return err
	}
	return f.Show()
}

// follow solves what the controls describe and shows it, again after every change, until ctx ends. A change
// ends the computation under way. show gets a nil answer and no error when a computation begins.
func follow(ctx context.Context, b *board, patience time.Duration, show func(jsqlib.Model, *Answer, error)) {
	for {
		s := b.system()
		show(s, nil, nil)
		run, cancel := context.WithTimeout(ctx, patience)
		type outcome struct {
			a   *Answer
			err error
		}
		done := make(chan outcome, 1)
		go func() {
			a, err := Solve(run, s)
			done <- outcome{a, err}
		}()
		select {
		case o := <-done:
			cancel()
			show(s, o.a, o.err)
			select {
			case <-b.changed:
			case <-ctx.Done():
				return
			}
		case <-b.changed:
			cancel()
			<-done
		case <-ctx.Done():
			cancel()
			<-done
			return
		}
	}
}
