package alert

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// Way takes messages to somebody.
type Way interface {
	// Name is what it is called in logs and answers: no address, no secret.
	Name() string
	// Tell returns when the message was taken, or why it was not. What goes wrong
	// once it tries again itself. Errors hold no secret.
	Tell(ctx context.Context, m *Message) error
}

// Record is a line that was told, or should have been.
type Record struct {
	Line
	Time time.Time         `json:"time"`
	Ways map[string]string `json:"ways,omitempty"` // by name: "told", or why not
}

// Told is what a way says of a message that it took.
const Told = "told"

// maxRecent is how many lines are remembered for people.
const maxRecent = 200

// tell takes a message by all ways at once. It is told when one of them took it;
// when none did it is taken back, to be told later.
func (d *Desk) tell(ctx context.Context, s *Settings, m *draft) {
	m.Language, m.Location = s.Language, s.Location
	answers, taken := tellAll(ctx, s.Ways, &m.Message)
	for way, answer := range answers {
		if answer != Told {
			d.o.Log.Warn("alert not delivered", "way", way, "error", answer, "lines", len(m.Lines))
		}
	}
	outcome := Told
	d.mu.Lock()
	d.telling = false
	d.told = append(d.told, m.Time)
	d.told = d.told[max(0, len(d.told)-max(s.AtMost, 1)):]
	switch {
	case len(s.Ways) == 0:
		outcome = "noted"
	case taken:
		d.tries, d.again = 0, time.Time{}
	default:
		outcome = "failed"
		for _, undo := range m.undo {
			undo()
		}
		d.again = d.o.Now().Add(min(againAfter<<min(d.tries, 8), againAtMost))
		d.tries++
	}
	for _, l := range m.Lines {
		d.recent = append(d.recent, Record{Line: l, Time: m.Time, Ways: answers})
	}
	d.recent = slices.Clone(d.recent[max(0, len(d.recent)-maxRecent):])
	d.mu.Unlock()
	for _, l := range m.Lines {
		d.o.Counted(l.Kind, outcome)
	}
}

func tellAll(ctx context.Context, ways []Way, m *Message) (answers map[string]string, taken bool) {
	answers = make(map[string]string, len(ways))
	var mu sync.Mutex
	var telling sync.WaitGroup
	for _, w := range ways {
		telling.Go(func() {
			answer := Told
			if err := w.Tell(ctx, m); err != nil {
				answer = err.Error()
			}
			mu.Lock()
			defer mu.Unlock()
			answers[w.Name()] = answer
			taken = taken || answer == Told
		})
	}
	telling.Wait()
	return answers, taken
}

// Try tells a test by all ways at once, whatever the limits and hours, and
// returns what each said.
func (d *Desk) Try(ctx context.Context) map[string]string {
	s, now := d.o.Settings(), d.o.Now()
	m := &Message{Time: now, Language: s.Language, Location: s.Location, Lines: []Line{{
		Kind: Test, Level: Serious, State: Firing, Count: 1, Since: now, Latest: now,
		Text: "alerts arrive here", TextZH: "告警会发到这里",
	}}}
	answers, _ := tellAll(ctx, s.Ways, m)
	return answers
}

// Ongoing is a condition that was raised and is not over.
type Ongoing struct {
	Kind    string    `json:"kind"`
	Account string    `json:"account,omitempty"`
	Subject string    `json:"subject,omitempty"`
	Level   Level     `json:"level"`
	Text    string    `json:"text"`
	TextZH  string    `json:"text_zh,omitempty"`
	Since   time.Time `json:"since"`
	Told    bool      `json:"told"`
}

// Ongoing lists what goes on, the serious first.
func (d *Desk) Ongoing() []Ongoing {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := []Ongoing{}
	for key, g := range d.groups {
		for name, s := range g.subjects {
			if traitOf(key.kind).lasts && !s.over {
				all = append(all, Ongoing{key.kind, key.account, name, s.level, s.text, s.textZH, s.began, s.told})
			}
		}
	}
	slices.SortFunc(all, func(a, b Ongoing) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), a.Since.Compare(b.Since), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Account, b.Account), cmp.Compare(a.Subject, b.Subject))
	})
	return all
}

// Recent lists what was told last, the latest first.
func (d *Desk) Recent() []Record {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := slices.Clone(d.recent)
	slices.Reverse(all)
	return all
}
