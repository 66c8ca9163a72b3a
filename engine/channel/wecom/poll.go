package wecom

import (
	"strconv"
	"sync"
	"time"
)

// look answers a poll from what is remembered. Polls are no events: they are
// neither queued nor compared with earlier ones.
func (r *receiver) look(account string, id streamID, now time.Time) packet {
	recall := func(key string) string { return r.memory.Recall(account, key) }
	note, began := recall(id.said()), recall(id.began())
	if note == "" && began == "" {
		// It may be a message whose event nobody has handled yet, or one that was
		// forgotten. To finish it would cut off the answer of the first.
		return packet{finish: r.waiting.since(id, now) >= streamEnds}
	}
	s := readSaid(note)
	if want, err := strconv.Atoi(recall(id.replies())); err == nil && s.Sent >= want {
		return packet{content: s.Content, finish: true}
	}
	if s.Content == "" {
		s.Content = recall(id.progress())
	}
	if start, err := strconv.ParseInt(began, 10, 64); err == nil && now.Sub(time.Unix(start, 0)) >= streamCloses {
		if s.Content == "" {
			s.Content = stillWorking
		}
		return packet{content: s.Content, finish: true}
	}
	return packet{content: s.Content}
}

// maxWaiting bounds a generation of waiting.
const maxWaiting = 4096

// waiting remembers since when the platform has been asking for streams that
// nothing is known of. It is bounded, in memory only, and forgets: whoever is
// forgotten is counted anew, which delays the end of a stream that has no
// answer and harms none that has.
type waiting struct {
	mu         sync.Mutex
	young, old map[streamID]time.Time
	turned     time.Time
}

func newWaiting() *waiting { return &waiting{young: make(map[streamID]time.Time)} }

// since is how long ago the stream was first asked for.
func (w *waiting) since(id streamID, now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if first, ok := w.young[id]; ok {
		return now.Sub(first)
	}
	first, ok := w.old[id]
	if !ok {
		first = now
	}
	if len(w.young) >= maxWaiting || now.Sub(w.turned) > 2*streamEnds {
		w.old, w.young, w.turned = w.young, make(map[streamID]time.Time), now
	}
	w.young[id] = first
	return now.Sub(first)
}
