package cli_test

import (
	"context"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"

	"bot/engine/stub"
	"bot/store"
)

// ending is what becomes of the process at an order.
type ending string

const (
	lives  ending = "lives"
	killed ending = "is killed"
	burst  ending = "panics"         // exit code 2
	ended  ending = "ends by itself" // exit code 1
)

// code is the exit code of a process that came to that ending.
func (e ending) code() int {
	return map[ending]int{lives: 0, killed: -1, burst: 2, ended: 1}[e]
}

// place is where something can be ordered: an act, and what else has a before
// and an after.
type place struct {
	name string
	// before and after list what can be ordered at either side, and what then
	// becomes of the process.
	before, after map[string]ending
	drive         func(*crashes) // passes it; nil: callers do
	quiet         bool           // nobody may be calling when it is passed
	// begin puts the order and brings the process to the point; nil: it comes
	// to it by itself.
	begin func(c *crashes, point, action string, n int) (p *process, ready <-chan bool)
}

// storeAct is an act of the store, and what becomes of the process when it panics
// there: it lives where the panic is that of one request. A full store is said
// before the act only, since it says that nothing was written; whether something
// was may become unknown on either side.
func storeAct(name string, panics ending, drive func(*crashes)) place {
	return place{
		name: name, drive: drive,
		before: map[string]ending{"kill": killed, "panic": panics, "full": lives, "failed": ended, "sleep": lives},
		after:  map[string]ending{"kill": killed, "panic": panics, "failed": ended, "sleep": lives},
	}
}

// bothSides can have the same ordered on its two sides.
func bothSides(p place, orders map[string]ending) place {
	p.before, p.after = orders, orders
	return p
}

// places is all there is.
func places() []place {
	sweep := storeAct("Sweep", burst, nil)
	sweep.quiet = true
	charge := storeAct("Charge", burst, nil)
	charge.begin = func(c *crashes, point, action string, n int) (*process, <-chan bool) {
		c.inHand(n)
		c.order(point, action, n)
		return c.launch()
	}
	note := map[string]ending{"kill": killed, "panic": burst, "sleep": lives}
	start := map[string]ending{"kill": killed, "panic": burst, "error": ended, "sleep": lives}
	atStart := func(c *crashes, point, action string, n int) (*process, <-chan bool) {
		if code := c.bot.current().stop(c.t); code != 0 {
			c.t.Errorf("stop: exit %d", code)
		}
		c.order(point, action, 1) // a life has one start
		return c.launch()
	}
	atStop := func(c *crashes, point, action string, n int) (*process, <-chan bool) {
		p := c.bot.current()
		c.order(point, action, 1)
		p.cmd.Process.Signal(syscall.SIGTERM)
		return p, nil
	}
	return []place{ // those first that wait for a tick, since they take longest
		storeAct("Fire", burst, (*crashes).expire),
		sweep,
		storeAct("Append", lives, nil),
		storeAct("Commit", burst, nil),
		storeAct("CommitAndMark", burst, nil),
		storeAct("Fail", burst, (*crashes).drop),
		storeAct("Bury", burst, (*crashes).drop),
		charge,
		storeAct("Attempt", burst, nil),
		storeAct("Settle", burst, nil),
		storeAct("Retry", burst, (*crashes).retry),
		storeAct("GiveUp", burst, (*crashes).replayCommand),
		storeAct("Await", burst, (*crashes).confirm),
		storeAct("Confirm", burst, (*crashes).confirm),
		storeAct("Doubt", burst, (*crashes).resolve),
		storeAct("Resolve", lives, (*crashes).resolve),
		storeAct("Submit", lives, (*crashes).submit),
		storeAct("SubmitPage", lives, (*crashes).submitPage),
		storeAct("Cancel", lives, (*crashes).cancel),
		storeAct("Replay", lives, (*crashes).replay),
		storeAct("ReplayCommand", lives, (*crashes).replayCommand),
		storeAct("Drop", lives, (*crashes).drop),
		storeAct("SetStanding", lives, (*crashes).standing),
		storeAct("Remember", lives, (*crashes).pause),
		storeAct("AppendPage", burst, (*crashes).fetch),
		bothSides(place{name: "Begin"}, note),
		bothSides(place{name: "End"}, note),
		bothSides(place{name: "Open", begin: atStart}, start),
		bothSides(place{name: "Announce", begin: atStart}, start),
		bothSides(place{name: "Close", begin: atStop}, start),
		bothSides(place{name: "Request"}, map[string]ending{"kill": killed, "panic": lives, "error": lives, "sleep": lives}),
		{name: "Arrival", begin: arriving, before: map[string]ending{"kill": killed, "hang up": lives, "sleep": lives}},
	}
}

// arriving has the order carried out by the platform, when a request of n was
// read and nothing answered.
func arriving(c *crashes, _, action string, n int) (*process, <-chan bool) {
	p, count := c.bot.current(), 0
	var mu sync.Mutex
	do := func() *stub.Answer {
		mu.Lock()
		defer mu.Unlock()
		if count++; count != n {
			return nil
		}
		defer c.put("order.hit")
		switch action {
		case "kill":
			p.cmd.Process.Kill()
			return &stub.Answer{Done: true}
		case "hang up":
			return &stub.Answer{Done: true}
		}
		return &stub.Answer{Status: 200, Body: `{"status":"success"}`, Delay: nap()}
	}
	c.remove("order.hit")
	c.arriving.Store(&do)
	return p, nil
}

// cell is one field of the matrix.
type cell struct{ point, action string }

// cells in the order of the sides and of the words.
func (p place) cells() (all []cell) {
	for _, side := range []string{"before", "after"} {
		orders := p.before
		if side == "after" {
			orders = p.after
		}
		for _, action := range []string{"kill", "panic", "failed", "error", "full", "hang up", "sleep"} {
			if _, ok := orders[action]; ok {
				all = append(all, cell{p.name + "/" + side, action})
			}
		}
	}
	return all
}

func (p place) ending(c cell) ending {
	if strings.HasSuffix(c.point, "/after") {
		return p.after[c.action]
	}
	return p.before[c.action]
}

// TestEveryActHasAPlace in the matrix: a new one cannot be forgotten.
func TestEveryActHasAPlace(t *testing.T) {
	known := make(map[string]bool)
	for _, p := range places() {
		known[p.name] = true
	}
	acts := reflect.TypeFor[store.Store]()
	for m := range acts.Methods() {
		if m.Type.NumIn() > 0 && m.Type.In(0) == reflect.TypeFor[context.Context]() && !known[m.Name] {
			t.Errorf("store.Store has an act %s that the crash matrix has not", m.Name)
		}
	}
}
