package dispatch

import (
	"sync"

	"bot/engine"
)

// gates bound how often a skill runs at once, and let one that mostly waits for
// another system run without a worker: it holds its conversation, and nobody
// else's turn. Its methods are safe for concurrent use.
type gates struct {
	mu   sync.Mutex
	open map[string]int // runs at present, by skill
}

// enter counts a run in, unless there are as many as there may be.
func (g *gates) enter(skill string, most int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if most > 0 && g.open[skill] >= most {
		return false
	}
	if g.open == nil {
		g.open = make(map[string]int)
	}
	g.open[skill]++
	return true
}

// leave counts a run out.
func (g *gates) leave(skill string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open[skill]--; g.open[skill] == 0 {
		delete(g.open, skill)
	}
}

// runs is how many there are.
func (g *gates) runs(skill string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open[skill]
}

// visits is what one turn has to do with gates. It belongs to the turn.
type visits struct {
	d        *Dispatcher
	job      job
	entered  []string // skills whose run is over, and still counted in
	reserved string   // the skill of which a run is counted in for this turn, until it is used
}

// enter is turn.Options.Enter.
func (v *visits) enter(c engine.Choice) (leave func(), ok bool) {
	name := c.Skill.Name()
	if v.reserved == name {
		v.reserved = ""
	} else if !v.d.gates.enter(name, c.Concurrency) {
		return nil, false
	}
	if c.Waits {
		v.d.results <- result{end: away, job: v.job}
	}
	return func() {
		if c.Waits {
			v.d.results <- result{end: back, job: v.job}
		}
		v.entered = append(v.entered, name)
	}, true
}
