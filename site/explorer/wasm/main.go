//go:build js && wasm

// Command wasm gives the functions of package explore to JavaScript, as globalThis.jsqlab = {distance,
// stop, path}.
package main

import (
	"context"
	"encoding/json"
	"math"
	"syscall/js"
	"time"

	"jsqlab/jsqlib/sim"
	"jsqlab/site/explorer/explore"
)

// JavaScript runs only while Go sleeps: it is let in this often.
const every = 50 * time.Millisecond

func main() {
	stop := func() {}
	js.Global().Set("jsqlab", map[string]any{
		// distance(request, onProgress): a promise of the answer; all are JSON.
		"distance": js.FuncOf(func(_ js.Value, args []js.Value) any {
			request, progress := args[0].String(), args[1]
			ctx, cancel := context.WithCancel(context.Background())
			stop = cancel
			return promise(func() string {
				defer cancel()
				next := time.Now().Add(every)
				return string(explore.Distance(ctx, []byte(request), func(p sim.Progress) {
					if time.Now().Before(next) {
						return
					}
					progress.Invoke(progressJSON(p))
					time.Sleep(time.Millisecond)
					next = time.Now().Add(every)
				}))
			})
		}),
		// stop() ends the run of distance, which answers with what it has.
		"stop": js.FuncOf(func(js.Value, []js.Value) any { stop(); return nil }),
		// path(request): the answer.
		"path": js.FuncOf(func(_ js.Value, args []js.Value) any {
			return string(explore.Path([]byte(args[0].String())))
		}),
	})
	js.Global().Call("jsqlabReady")
	select {}
}

func progressJSON(p sim.Progress) string {
	out := map[string]any{"phase": p.Phase, "slots": p.Slots, "planned": p.Planned}
	if p.RelError > 0 && !math.IsInf(p.RelError, 1) {
		out["rel_error"] = p.RelError
	}
	b, err := json.Marshal(out)
	if err != nil {
		return "{}"
	}
	return string(b)
}

// promise runs f on a goroutine of its own.
func promise(f func() string) js.Value {
	var executor js.Func
	executor = js.FuncOf(func(_ js.Value, args []js.Value) any {
		executor.Release()
		resolve := args[0]
		go func() { resolve.Invoke(f()) }()
		return nil
	})
	return js.Global().Get("Promise").New(executor)
}
