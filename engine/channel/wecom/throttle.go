package wecom

import (
	"sync"
	"time"
)

// blocks are the calls that the platform has blocked for being made too often.
// What it does not say is for how long: a limit per minute blocks for a minute,
// one per hour for an hour (page 90312). So the first wait is short, and who
// is refused again after it waits long.
type blocks struct {
	mu  sync.Mutex
	all map[string]block // by path
}

type block struct {
	until time.Time
	times int // in a row
}

// meet notes a refusal at now and returns until when to wait, and how often in
// a row the path was blocked. Refusals before the end of a wait are of requests
// that were under way, and count as one.
func (b *blocks) meet(path string, now time.Time, waits []time.Duration) (until time.Time, times int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	is := b.all[path]
	if now.Before(is.until) {
		return is.until, is.times
	}
	is.times++
	is.until = now.Add(waits[min(is.times, len(waits))-1])
	if b.all == nil {
		b.all = make(map[string]block)
	}
	b.all[path] = is
	return is.until, is.times
}

// lift forgets about the path: a request came through.
func (b *blocks) lift(path string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.all, path)
}

// maxTallied bounds a tally. What it forgets is counted anew, which costs a
// command one attempt more.
const maxTallied = 1024

// tally counts by task id how often something happened to a command.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

func (t *tally) add(taskID string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n == nil || len(t.n) >= maxTallied {
		t.n = make(map[string]int)
	}
	t.n[taskID]++
	return t.n[taskID]
}
