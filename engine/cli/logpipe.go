package cli

import (
	"bytes"
	"io"
	"sync/atomic"
	"time"
)

// pipedLines is how many lines may wait for a slow reader of the log: some
// seconds of a flood, a few mebibytes.
const pipedLines = 4096

// logPipe stands between the engine and whoever reads its log. A reader that
// stalls (a stopped pager, a stuck log collector) must not stall the engine:
// what it does not take in time is dropped and counted. The price is that a
// process that is killed takes the last few lines with it.
type logPipe struct {
	lines   chan []byte
	stop    chan struct{}
	done    chan struct{}
	dropped atomic.Int64
}

// newLogPipe starts to write to w; told is called, in the writer's goroutine,
// with how many lines were dropped once the reader takes lines again.
func newLogPipe(w io.Writer, told func(dropped int64)) *logPipe {
	p := &logPipe{lines: make(chan []byte, pipedLines), stop: make(chan struct{}), done: make(chan struct{})}
	go p.run(w, told)
	return p
}

// Write implements io.Writer. It never waits and never fails.
func (p *logPipe) Write(line []byte) (int, error) {
	select {
	case p.lines <- bytes.Clone(line):
	default:
		p.dropped.Add(1)
	}
	return len(line), nil
}

func (p *logPipe) run(w io.Writer, told func(int64)) {
	defer close(p.done)
	write := func(line []byte) {
		w.Write(line) // a reader that has gone is nobody to tell
		if n := p.dropped.Swap(0); n > 0 {
			told(n)
		}
	}
	for {
		select {
		case line := <-p.lines:
			write(line)
			continue
		case <-p.stop:
		}
		for { // what came before the stop
			select {
			case line := <-p.lines:
				write(line)
			default:
				return
			}
		}
	}
}

// close writes what is waiting, for as long as the reader may take.
func (p *logPipe) close(within time.Duration) {
	close(p.stop)
	select {
	case <-p.done:
	case <-time.After(within):
	}
}
