package sliders

import (
	"strconv"
	"strings"
	"sync"

	"jsqlab/jsqlib"
)

// servers are the places of the slider for N.
var servers = []int{2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128}

// The slider for alpha moves in tenths.
const alphaMin, alphaMax = 5, 60

// arrivals are the base laws of one server's share of the arrivals, all of mean 1.
var arrivals = []struct {
	name string
	law  jsqlib.PMF
}{
	{"binomial:2", nil}, // the reference system
	{"binomial:8", jsqlib.Binomial(8)},
	{"bernoulli", jsqlib.PMF{0, 1}},
	{"pmf:0.75,0,0,0,0.25", jsqlib.PMF{0.75, 0, 0, 0, 0.25}},
}

var (
	routings = []jsqlib.Routing{jsqlib.Batch, jsqlib.Job}
	policies = []jsqlib.Policy{{}, {Rule: jsqlib.Pod, Choices: 2}}
)

// The controls, in the order in which they are shown.
const (
	nServers = iota
	nAlpha
	nArrivals
	nRouting
	nPolicy
	nControls
)

// board holds the places of the controls, as the browser reports them.
type board struct {
	mu      sync.Mutex
	place   [nControls]int
	changed chan struct{} // has one entry after a change
}

// places returns where the controls stand for the system, the nearest place where it is on none.
func places(s jsqlib.Model) (place [nControls]int) {
	for i, n := range servers {
		if n <= s.Servers {
			place[nServers] = i
		}
	}
	place[nAlpha] = min(max(int(10*s.Alpha+0.5), alphaMin), alphaMax)
	for i, a := range arrivals {
		if same(a.law, s.Arrivals) {
			place[nArrivals] = i
		}
	}
	for i, r := range routings {
		if r == s.Routing {
			place[nRouting] = i
		}
	}
	for i, p := range policies {
		if p == s.Policy {
			place[nPolicy] = i
		}
	}
	return place
}

// limits are the first and the last place of each control.
var limits = [nControls][2]int{
	{0, len(servers) - 1}, {alphaMin, alphaMax}, {0, len(arrivals) - 1}, {0, len(routings) - 1}, {0, len(policies) - 1},
}

func newBoard(s jsqlib.Model) *board {
	return &board{place: places(s), changed: make(chan struct{}, 1)}
}

// set takes the places of all controls, in their order, as the browser reports them: "8,45,0,0,0". What is no such
// text is ignored: it comes from outside.
func (b *board) set(text string) {
	parts := strings.Split(text, ",")
	if len(parts) != nControls {
		return
	}
	var place [nControls]int
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < limits[i][0] || n > limits[i][1] {
			return
		}
		place[i] = n
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.place == place {
		return
	}
	b.place = place
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

// system returns the system that the controls describe.
func (b *board) system() jsqlib.Model {
	b.mu.Lock()
	defer b.mu.Unlock()
	return jsqlib.Model{
		Servers:  servers[b.place[nServers]],
		Alpha:    float64(b.place[nAlpha]) / 10,
		Arrivals: arrivals[b.place[nArrivals]].law,
		Routing:  routings[b.place[nRouting]],
		Policy:   policies[b.place[nPolicy]],
	}
}
