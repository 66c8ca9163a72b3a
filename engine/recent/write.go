package recent

import (
	"bot/engine"
	"bot/engine/hourly"
	"bot/store"
)

// writer makes records of events. It belongs to one goroutine.
type writer struct {
	*hourly.Writer
	event  engine.Event // the copy that is written
	record []byte
}

func newWriter(o Options) *writer {
	return &writer{Writer: hourly.NewWriter(hourly.Options{
		Dir: o.Dir, Limits: o.Limits, Now: o.Now, Lost: o.Dropped, Log: o.Log, What: "recent intake, which bot replay plays,",
	})}
}

// add writes what is kept of an event.
func (w *writer) add(h handled) {
	w.record = w.encode(w.record[:0], h)
	w.Add(w.record)
	if cap(w.record) > 64<<10 {
		w.record = nil // one long text has grown it
	}
}

func (w *writer) encode(b []byte, h handled) []byte {
	e := &w.event
	*e = *h.event
	e.Kind = h.kind
	e.IfKnown, e.IfNoted, e.NotedAs, e.Fact = "", "", "", ""
	e.Raw, e.Ticket.Token, e.Learned, e.Tally = nil, "", nil, ""
	b = store.AppendEvent(b, e)
	*e = engine.Event{} // lets go of the texts
	return b
}
