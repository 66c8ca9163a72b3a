package turn_test

import (
	"context"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/turn"
	"bot/store"
)

// skill is a skill made of a function.
type skill struct {
	name   string
	handle func(ctx context.Context, t *engine.Turn) (engine.Outcome, error)
}

func (s skill) Name() string { return s.name }

func (s skill) Handle(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
	return s.handle(ctx, t)
}

// says answers with one text.
func says(name, text string) skill {
	return skill{name, func(context.Context, *engine.Turn) (engine.Outcome, error) { return text1(text), nil }}
}

func text1(text string) engine.Outcome {
	return engine.Outcome{Commands: []engine.Command{{Action: engine.SendText, Text: text}}}
}

// router gives fixed choices; a state's skill comes first and alone.
type router struct {
	rules []engine.Choice
	state map[string]engine.Choice // by skill name
}

func (r router) Route(e *engine.Event, sender, shared engine.State) []engine.Choice {
	if e.Kind == engine.Expired && e.Sender != "" {
		shared = engine.State{}
	}
	for _, s := range []engine.State{shared, sender} {
		if c, ok := r.state[s.Skill]; ok {
			return []engine.Choice{c}
		}
	}
	return r.rules
}

// Holds: a skill called staff gives conversations to people.
func (router) Holds(shared engine.State) bool { return shared.Skill == "staff" }

func (r router) Rules(*engine.Event) []engine.Choice { return r.rules }

// memory keeps states in a map and refuses as the test wants.
type memory struct {
	states  map[engine.StateKey]engine.State
	refuse  func(c store.Commit) error // nil: never
	failing error                      // of State
	notes   map[string]string
	granted map[string]bool
	commits []store.Commit
	tried   int
}

// State shares the map's own data, so that a test sees it when a skill can
// reach further than its copy.
func (m *memory) State(k engine.StateKey) (engine.State, error) {
	return m.states[k], m.failing
}

func (m *memory) Recall(account, key string) (string, error) {
	return m.notes[account+" "+key], m.failing
}

func (m *memory) Granted(account, skill, key string) (bool, error) {
	return m.granted[account+" "+skill+" "+key], m.failing
}

func (m *memory) Commit(ctx context.Context, c store.Commit) error {
	m.tried++
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if m.refuse != nil {
		if err := m.refuse(c); err != nil {
			return err
		}
	}
	m.commits = append(m.commits, c)
	return nil
}

var received = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func message() *engine.Event {
	return &engine.Event{
		Account: "shop", Kind: engine.Message, Type: "text", ID: "m1",
		Conversation: "room", Sender: "u1", Group: true, Text: "hi", Received: received,
		Ticket: engine.Ticket{Token: "tok", Expires: received.Add(time.Minute)},
	}
}

func expiry(sender, version string) *engine.Event {
	return &engine.Event{
		Account: "shop", Kind: engine.Expired, ID: "x1", Conversation: "room", Sender: sender,
		Received: received, Params: map[string]string{"version": version},
	}
}

func options(m turn.Memory, r engine.Router) turn.Options {
	return turn.Options{
		Memory:  m,
		Setup:   turn.Setup{Router: r, Accounts: map[string]engine.Account{"shop": {Name: "shop"}}},
		Timeout: 5 * time.Second,
		Chance:  func() float64 { return 0.5 },
		Now:     func() time.Time { return received.Add(time.Second) },
	}
}

func play(t *testing.T, m *memory, r engine.Router, e *engine.Event) (turn.Report, error) {
	t.Helper()
	return turn.Play(t.Context(), options(m, r), store.Entry{Seq: 7, Event: e})
}

func mustPlay(t *testing.T, m *memory, r engine.Router, e *engine.Event) (turn.Report, store.Commit) {
	t.Helper()
	report, err := play(t, m, r, e)
	if err != nil {
		t.Fatalf("Play: %v", err)
	}
	if len(m.commits) != 1 {
		t.Fatalf("%d commits, want 1", len(m.commits))
	}
	return report, m.commits[0]
}

var (
	own    = engine.StateKey{Account: "shop", Conversation: "room", Sender: "u1"}
	common = engine.StateKey{Account: "shop", Conversation: "room"}
)
