package exact

// mover is a model in steps: what one slot (discrete time) or one event of the
// uniformised chain (continuous time) does to queues q, sorted upwards.
type mover interface {
	// each calls emit with every outcome, its unused service U (0 in
	// continuous time) and its probability. next need not be sorted and is
	// only lent.
	each(q []int, emit func(next []int, unused int, p float64))
}

// insert moves q[i] up to its place in the otherwise sorted q.
func insert(q []int, i int) {
	for ; i+1 < len(q) && q[i] > q[i+1]; i++ {
		q[i], q[i+1] = q[i+1], q[i]
	}
}

// events is the continuous-time twin, uniformised at rate N (1 + lambda).
type events struct {
	arrive float64   // probability of an arrival, lambda/(1 + lambda)
	serve  float64   // probability of a completion at a given server
	join   []float64 // by rank
	next   []int
}

func newEvents(n int, load float64, join []float64) *events {
	return &events{
		arrive: load / (1 + load), serve: 1 / (1 + load) / float64(n),
		join: join, next: make([]int, n),
	}
}

func (m *events) each(q []int, emit func([]int, int, float64)) {
	copy(m.next, q)
	for i, p := range m.join {
		m.next[i]++
		emit(m.next, 0, m.arrive*p)
		m.next[i]--
	}
	for i := 0; i < len(q); {
		j := i + 1
		for j < len(q) && q[j] == q[i] {
			j++
		}
		p := m.serve * float64(j-i)
		if q[i] == 0 {
			emit(m.next, 0, p)
		} else {
			m.next[i]--
			emit(m.next, 0, p)
			m.next[i]++
		}
		i = j
	}
}

// slots is the discrete-time model.
type slots struct {
	arrive []float64 // law of A
	serve  []float64 // law of s_i
	join   []float64 // by rank
	job    bool      // job routing
	queues [][]int   // queues[k]: sorted, after k jobs (job routing)
	next   []int
}

func newSlots(n int, arrive, serve, join []float64, job bool) *slots {
	m := &slots{arrive: arrive, serve: serve, join: join, job: job, next: make([]int, n)}
	m.queues = make([][]int, len(arrive)+1)
	for k := range m.queues {
		m.queues[k] = make([]int, n)
	}
	return m
}

func (m *slots) each(q []int, emit func(next []int, unused int, p float64)) {
	if m.job {
		copy(m.queues[0], q)
		m.jobs(0, 1, emit)
		return
	}
	for a, pa := range m.arrive {
		if a == 0 {
			m.services(q, 0, 0, pa, emit)
			continue
		}
		if pa == 0 {
			continue
		}
		for i, p := range m.join {
			after := m.queues[0]
			copy(after, q)
			after[i] += a
			m.services(after, 0, 0, pa*p, emit)
		}
	}
}

// jobs routes the jobs of the slot one after the other: k jobs have joined
// with probability p, whatever A >= k.
func (m *slots) jobs(k int, p float64, emit func([]int, int, float64)) {
	q := m.queues[k]
	m.services(q, 0, 0, p*m.arrive[k], emit)
	if k == len(m.arrive)-1 {
		return
	}
	for i, pi := range m.join {
		after := m.queues[k+1]
		copy(after, q)
		after[i]++
		insert(after, i)
		m.jobs(k+1, p*pi, emit)
	}
}

// services serves the queues from server i on.
func (m *slots) services(q []int, i, unused int, p float64, emit func([]int, int, float64)) {
	if p == 0 {
		return
	}
	if i == len(q) {
		emit(m.next, unused, p)
		return
	}
	for s, ps := range m.serve {
		x := max(q[i]-s, 0)
		m.next[i] = x
		m.services(q, i+1, unused+x-q[i]+s, p*ps, emit)
	}
}
