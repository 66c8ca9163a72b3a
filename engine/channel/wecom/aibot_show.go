package wecom

import (
	"context"
	"time"

	"bot/engine"
	"bot/engine/clip"
)

// showEvery is how often one growing text is written down at most. The platform
// asks for it about once a second.
const showEvery = 800 * time.Millisecond

// showFor bounds the time that showing may take; whoever writes the text waits
// for it.
const showFor = time.Second

// shown is when texts of streams were last written down.
type shown struct {
	at     map[streamID]time.Time
	turned time.Time
}

// due tells whether the stream's text may be written at now, and takes note of
// it. Once in a while it forgets those that are over.
func (s *shown) due(id streamID, now time.Time) bool {
	if s.at == nil || now.Sub(s.turned) > streamEnds {
		old := s.at
		s.at, s.turned = make(map[streamID]time.Time), now
		for id, at := range old {
			if now.Sub(at) < showEvery {
				s.at[id] = at
			}
		}
	}
	if last, ok := s.at[id]; ok && now.Sub(last) < showEvery {
		return false
	}
	s.at[id] = now
	return true
}

// Show implements channel.Shower: the text stands in the stream until there is
// an answer.
func (s *botSender) Show(t engine.Ticket, text string) {
	id, ok := streamOf(t.Token)
	now := s.now()
	if !ok || text == "" || !t.Expires.IsZero() && !now.Before(t.Expires) {
		return
	}
	s.mu.Lock()
	due := s.shown.due(id, now)
	s.mu.Unlock()
	if !due {
		return
	}
	text = clip.To(text, maxStream)
	ctx, cancel := context.WithTimeout(context.Background(), showFor)
	defer cancel()
	// What is not shown now is shown the next time, and the answer in any case.
	_ = s.memory.Remember(ctx, s.account, engine.Note{Key: id.progress(), Value: shownText(text), Expires: now.Add(streamEnds)})
}
