package pull

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/store"
)

// notebook is a store in memory, of one account.
type notebook struct {
	mu    sync.Mutex
	notes map[string]string
	log   []string // ids of events
	acts  []string // what was written, an act each
	wait  time.Duration

	refuse func(act string) error // nil takes everything
	inAct  func(act string)       // runs within each, before it is done
}

func newNotebook(notes ...string) *notebook {
	n := &notebook{notes: make(map[string]string)}
	for i := 0; i < len(notes); i += 2 {
		n.notes[notes[i]] = notes[i+1]
	}
	return n
}

func (n *notebook) write(act string, do func()) error {
	if n.inAct != nil {
		n.inAct(act)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.refuse != nil {
		if err := n.refuse(act); err != nil {
			return err
		}
	}
	n.acts = append(n.acts, act)
	do()
	return nil
}

func (n *notebook) put(notes []engine.Note) {
	for _, note := range notes {
		if n.notes[note.Key] = note.Value; note.Value == "" {
			delete(n.notes, note.Key)
		}
	}
}

func (n *notebook) AppendPage(_ context.Context, events []*engine.Event, _ time.Duration, _ string, notes []engine.Note) (store.Appended, error) {
	var got store.Appended
	act := "page"
	for _, e := range events {
		act += " " + e.ID
	}
	err := n.write(act+written(notes), func() {
		for _, e := range events {
			dup := slices.Contains(n.log, e.ID)
			got.Duplicate = append(got.Duplicate, dup)
			if !dup {
				n.log = append(n.log, e.ID)
			}
		}
		n.put(notes)
	})
	return got, err
}

func (n *notebook) Remember(_ context.Context, _ string, notes []engine.Note) error {
	return n.write("remember"+written(notes), func() { n.put(notes) })
}

func written(notes []engine.Note) (all string) {
	for _, note := range notes {
		all += fmt.Sprintf(" %s=%s", note.Key, note.Value)
	}
	return all
}

func (n *notebook) Recall(_, key string) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.notes[key], nil
}

func (n *notebook) Recollect(_, prefix, after string, limit int) (notes []engine.Note, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for key, value := range n.notes {
		if strings.HasPrefix(key, prefix) && key > after {
			notes = append(notes, engine.Note{Key: key, Value: value})
		}
	}
	slices.SortFunc(notes, func(a, b engine.Note) int { return strings.Compare(a.Key, b.Key) })
	return notes[:min(limit, len(notes))], nil
}

func (n *notebook) CommitWait() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.wait
}

func (n *notebook) set(change func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change()
}

// platform is a Puller that answers by a func and writes down what it was asked.
type platform struct {
	answer func(source, token, cursor string) (channel.Page, error)

	mu      sync.Mutex
	began   time.Time
	calls   []string
	running map[string]int // by source, and "" for all
	most    int            // at once
	twice   bool           // one source at once with itself
}

func newPlatform(answer func(source, token, cursor string) (channel.Page, error)) *platform {
	return &platform{answer: answer, began: time.Now(), running: make(map[string]int)}
}

func (p *platform) Pull(_ context.Context, source, token, cursor string) (channel.Page, error) {
	p.enter(source, fmt.Sprintf("%v %s token=%s cursor=%s", time.Since(p.began), source, token, cursor))
	defer p.leave(source)
	return p.answer(source, token, cursor)
}

func (p *platform) enter(source, call string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, call)
	p.running[source]++
	p.running[""]++
	p.twice = p.twice || p.running[source] > 1
	p.most = max(p.most, p.running[""])
}

func (p *platform) leave(source string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[source]--
	p.running[""]--
}

// house is a Porter with all around it.
type house struct {
	*testing.T
	porter   *Porter
	store    *notebook
	platform *platform
	said     *bytes.Buffer
	pullers  map[string]channel.Puller

	mu   sync.Mutex
	told []string // by Logged, Refused and Poke

	cancel context.CancelFunc
	ended  chan error
}

const account = "shop"

// build makes a house whose Porter does not run yet.
func build(t *testing.T, n *notebook, p *platform, change ...func(*Options)) *house {
	t.Helper()
	h := &house{T: t, store: n, platform: p, said: &bytes.Buffer{}, pullers: map[string]channel.Puller{account: p}}
	o := Options{
		Store:   n,
		Pullers: func() map[string]channel.Puller { return h.pullers },
		Window:  func(string) time.Duration { return time.Hour },
		Refused: func(e *engine.Event, reason string) { h.tell("refused", e.ID, reason) },
		Logged:  func(e *engine.Event, dup bool) { h.tell("logged", e.ID, dup) },
		Poke:    func() { h.tell("poke") },
		Chance:  func() float64 { return 0.5 },
		Log:     slog.New(slog.NewTextHandler(h.said, nil)),
	}
	for _, f := range change {
		f(&o)
	}
	h.porter = New(o)
	return h
}

func (h *house) tell(what ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told = append(h.told, strings.TrimSpace(fmt.Sprintln(what...)))
}

// logged is what was said so far.
func (h *house) logged() string {
	synctest.Wait()
	return h.said.String()
}

// heard compares what was told so far.
func (h *house) heard(want ...string) {
	h.Helper()
	synctest.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	compare(h.T, "told", h.told, want)
}

// start makes a house and lets its Porter run to the end of the test.
func start(t *testing.T, n *notebook, p *platform, change ...func(*Options)) *house {
	t.Helper()
	h := build(t, n, p, change...)
	h.run()
	return h
}

func (h *house) run() {
	ctx, cancel := context.WithCancel(context.Background())
	h.cancel, h.ended = cancel, make(chan error, 1)
	go func() { h.ended <- h.porter.Run(ctx) }()
	h.Cleanup(func() { h.stop() })
}

// stop ends Run and returns what it did. It may be called twice.
func (h *house) stop() error {
	h.cancel()
	err := <-h.ended
	h.ended <- err
	return err
}

func (h *house) ring(source, token string) {
	h.Helper()
	if err := h.porter.Ring(h.Context(), []channel.Doorbell{{Account: account, Source: source, Token: token}}); err != nil {
		h.Error(err)
	}
}

// pulled compares the calls so far.
func (h *house) pulled(want ...string) {
	h.Helper()
	synctest.Wait()
	h.platform.mu.Lock()
	defer h.platform.mu.Unlock()
	compare(h.T, "calls", h.platform.calls, want)
}

// wrote compares the acts so far.
func (h *house) wrote(want ...string) {
	h.Helper()
	synctest.Wait()
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	compare(h.T, "acts", h.store.acts, want)
}

func compare(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n  %s\nwant:\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// page is one that ends at the cursor and has events of these ids.
func page(cursor string, more bool, ids ...string) channel.Page {
	p := channel.Page{Cursor: cursor, More: more}
	for _, id := range ids {
		p.Events = append(p.Events, &engine.Event{Account: account, Kind: engine.Message, ID: id})
	}
	return p
}

// book answers each cursor with its page, and what it does not know with an
// empty one that goes nowhere.
func book(pages map[string]channel.Page) *platform {
	return newPlatform(func(_, _, cursor string) (channel.Page, error) {
		if p, ok := pages[cursor]; ok {
			return p, nil
		}
		return channel.Page{Cursor: cursor}, nil
	})
}
