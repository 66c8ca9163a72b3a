package risk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/config"
)

// world is a Guard with everything it acts on. Its time is the world's own.
type world struct {
	*Guard
	t     testing.TB
	clock func() time.Duration

	mu      sync.Mutex
	notes   map[string]engine.Note // by account and key
	full    bool                   // nothing can be written
	blocked []string
	said    []string
	hits    []string
	alerts  []string
	next    int
}

func newWorld(t testing.TB, rows string) *world {
	t.Helper()
	w := &world{t: t, notes: make(map[string]engine.Note)}
	began := time.Now()
	w.clock = func() time.Duration { return time.Since(began) }
	w.begin(rows)
	return w
}

// begin starts a life of the guard.
func (w *world) begin(rows string) {
	w.t.Helper()
	w.Guard = New(w.options())
	w.SetRules(rulesOf(w.t, rows))
}

func (w *world) options() Options {
	return Options{
		Memory: w,
		Block: func(_ context.Context, account, id string) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.full {
				return errors.New("full")
			}
			w.blocked = append(w.blocked, account+"/"+id)
			return nil
		},
		Say: func(_ context.Context, e *engine.Event, row, text string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.said = append(w.said, e.Conversation+": "+text)
		},
		Hit: func(h Hit) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.hits = append(w.hits, h.Action+":"+h.Row)
		},
		Alert: func(h Hit) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.alerts = append(w.alerts, fmt.Sprintf("%s %s +%d", h.Row, h.User, h.More))
		},
		Now: time.Now, Clock: w.clock,
	}
}

func (w *world) Remember(_ context.Context, account string, notes []engine.Note) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.full {
		return errors.New("full")
	}
	for _, n := range notes {
		if n.Value == "" {
			delete(w.notes, account+" "+n.Key)
		} else {
			w.notes[account+" "+n.Key] = n
		}
	}
	return nil
}

func (w *world) Recollect(account, prefix, after string, limit int) (notes []engine.Note, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for k, n := range w.notes {
		if strings.HasPrefix(k, account+" "+prefix) && n.Key > after && n.Expires.After(time.Now()) {
			notes = append(notes, n)
		}
	}
	slices.SortFunc(notes, func(a, b engine.Note) int { return strings.Compare(a.Key, b.Key) })
	return notes[:min(len(notes), limit)], nil
}

// says asks about a message in private.
func (w *world) says(user, text string) string { return w.meets(user, text, nil) }

// meets asks about a message that change makes another event.
func (w *world) meets(user, text string, change func(e *engine.Event)) string {
	e := w.event(user, text)
	if change != nil {
		change(e)
	}
	reason := w.Admit(e)
	if e.Degraded != "" {
		reason += "degraded:" + e.Degraded
	}
	return reason
}

func (w *world) event(user, text string) *engine.Event {
	w.mu.Lock()
	w.next++
	id := w.next
	w.mu.Unlock()
	return &engine.Event{
		Account: "shop", Kind: engine.Message, Type: "text", ID: fmt.Sprint("m", id), Sender: user, Conversation: user, Text: text,
	}
}

// wants asks n times and expects the same verdict each time.
func (w *world) wants(n int, user, text, want string) {
	w.t.Helper()
	for i := range n {
		if got := w.says(user, text); got != want {
			w.t.Errorf("message %d of %d of %s, %q: %q, want %q", i+1, n, user, text, got, want)
		}
	}
}

func rulesOf(t testing.TB, text string) *Rules {
	t.Helper()
	rules, warnings, err := parse(text)
	if err != nil || len(warnings) > 0 {
		t.Fatalf("%v, warnings %v", err, warnings)
	}
	return rules
}

func parse(text string) (*Rules, []config.Problem, error) {
	cfg, err := config.Parse("bot.toml", []byte("[[skill]]\nname = \"s\"\n"+text), func(string) (string, bool) { return "", false }, nil)
	if cfg == nil {
		return nil, nil, err
	}
	sections := make([]engine.Section, len(cfg.Risk))
	for i, s := range cfg.Risk {
		sections[i] = s
	}
	rules, wrong := Build(sections, []string{"shop", "vip"})
	warnings := slices.DeleteFunc(cfg.Warnings, func(p config.Problem) bool { return strings.Contains(p.Msg, "[[account]]") })
	return rules, warnings, errors.Join(err, wrong)
}
