package boltstore

import (
	"strings"
	"testing"

	"bot/engine"
)

func TestCacheNeverHoldsWhatACommitOvertook(t *testing.T) {
	e := &engine.Event{ID: "1"}
	for name, change := range map[string]func(c *cache){
		"removed": func(c *cache) { c.drop(eventKey(1)) },
		"written": func(c *cache) { c.put(stateCacheKey([]byte("k")), engine.State{Skill: "new"}, 1) },
		"added":   func(c *cache) { c.offer(commandKey(7), &engine.Command{}, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCache(1 << 20)
			before := c.round()
			change(c)
			c.fill(before, eventKey(1), e, 1)
			c.fill(before, stateCacheKey([]byte("k")), engine.State{Skill: "old"}, 1)
			if c.event(1) != nil {
				t.Error("an event found before the commit was kept after it")
			}
			if st, _ := c.state(stateCacheKey([]byte("k"))); st.Skill == "old" {
				t.Error("a state found before the commit was kept after it")
			}
			c.fill(c.round(), eventKey(1), e, 1)
			if c.event(1) != e {
				t.Error("what was found after it was not kept")
			}
		})
	}
}

func TestCacheKnowsThatThereIsNoState(t *testing.T) {
	c := newCache(1 << 20)
	k := stateCacheKey([]byte("k"))
	if _, known := c.state(k); known {
		t.Error("knew what nobody told it")
	}
	c.fill(c.round(), k, engine.State{}, 1)
	if st, known := c.state(k); !known || st.Exists() {
		t.Errorf("got %v, %v", st, known)
	}
}

func TestCacheStaysWithinItsBytes(t *testing.T) {
	c := newCache(10 * (decodedOverhead + 100))
	for seq := range uint64(100) {
		c.put(eventKey(seq), &engine.Event{}, 100)
	}
	if c.order.Len() != 10 || c.event(99) == nil || c.event(0) != nil {
		t.Errorf("holds %d, the newest: %v, the oldest: %v", c.order.Len(), c.event(99) != nil, c.event(0) != nil)
	}
	c.offer(eventKey(200), &engine.Event{}, 100)
	if c.event(200) != nil {
		t.Error("an offer displaced what was needed")
	}
	c.close()
	c.put(eventKey(1), &engine.Event{}, 1)
	if c.order.Len() != 0 || c.event(1) != nil {
		t.Error("a closed cache answers")
	}
}

// A record points at a text that stands in its body; what is decoded of it
// holds both.
func TestAnEventIsChargedForItsTextAsWell(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	text := strings.Repeat("字", 10_000)
	e := event("1")
	e.Text, e.Raw = text, []byte(`{"text":"`+text+`"}`)
	if _, err := s.Append(ctx, []*engine.Event{e}, window); err != nil {
		t.Fatal(err)
	}
	if want := int64(len(e.Raw) + len(e.Text)); s.cache.size < want {
		t.Errorf("kept for %d bytes, holds at least %d", s.cache.size, want)
	}
	s.cache.drop(eventKey(1))
	if _, err := s.Entry(1); err != nil {
		t.Fatal(err)
	}
	if want := int64(len(e.Raw) + len(e.Text)); s.cache.size < want {
		t.Errorf("read back, it is kept for %d bytes, holds at least %d", s.cache.size, want)
	}
}
