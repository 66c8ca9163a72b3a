package loadtest

import (
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"
)

// progress tells how far a run is: a line for each measurement that is over, and
// one for that which runs. On a terminal the latter is written anew in place;
// elsewhere, in a log say, it comes every ten seconds. It is safe for concurrent use.
type progress struct {
	mu    sync.Mutex
	w     io.Writer
	live  bool
	what  string
	shown int           // characters of the line in place
	last  time.Duration // of the measurement, when it was told last
}

const (
	liveEvery = 200 * time.Millisecond
	logEvery  = 10 * time.Second
	// liveWidth keeps the line from being broken into two, which could not be
	// written over.
	liveWidth  = 119
	liveCourse = 16
)

func newProgress(w io.Writer, live bool) *progress {
	if w == nil {
		w = io.Discard
	}
	return &progress{w: w, live: live}
}

// begin: a measurement begins.
func (p *progress) begin(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what, p.last = what, 0
	if p.live {
		p.inPlace(what + " …")
	}
}

// during tells of a measurement that has run for so long; course is its backlog
// over time.
func (p *progress) during(at time.Duration, t Totals, course []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	every := logEvery
	if p.live {
		every = liveEvery
	}
	if at-p.last < every {
		return
	}
	p.last = at
	line := fmt.Sprintf("%s · %s · %d answered, %d arrived, %d waiting", p.what, seconds(at), t.Acked, t.Delivered, t.Waiting)
	if p.live {
		p.inPlace(line + " " + sparkline(course, liveCourse, blocks))
		return
	}
	fmt.Fprintln(p.w, line)
}

// end: it is over.
func (p *progress) end(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wipe()
	fmt.Fprintln(p.w, line)
}

// clear leaves nothing of a measurement that failed.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wipe()
}

func (p *progress) inPlace(line string) {
	if r := []rune(line); len(r) > liveWidth {
		line = string(r[:liveWidth-1]) + "…"
	}
	p.wipe()
	fmt.Fprint(p.w, line)
	p.shown = utf8.RuneCountInString(line)
}

// wipe clears the line in place and returns to its beginning.
func (p *progress) wipe() {
	if p.shown > 0 {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = 0
	}
}
