package risk

import (
	"hash/maphash"
	"sync"

	"bot/engine"
)

// ownSpeech checks a row about what the account itself says.
func (d *draft) ownSpeech(r *row) {
	if r.on != onSameText {
		return
	}
	if d.lacks("more_than", d.MoreThan.Per == 0) {
		d.problem("", `on = "same_text" needs more_than: to how many one text may go (more_than = "500/h")`)
	}
	for _, key := range []string{"words", "words_file", "where"} {
		if d.section.Has(key) {
			d.problem(key, `%s does nothing beside on = "same_text"`, key)
		}
	}
	if d.section.Has("per") && d.Per != perNames[perAccount] && d.Per != "" {
		d.problem("per", `per: what the account says is counted per "account"`)
	}
	r.per = perAccount
}

// recentHashes are conversations that were told a text of late, some thousands back.
type recentHashes struct {
	mu    sync.Mutex
	slots [4096]uint64
}

// first tells whether the hash has not been met of late, and remembers it.
func (r *recentHashes) first(h uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	slot := &r.slots[h%uint64(len(r.slots))]
	known := *slot == h
	*slot = h
	return !known
}

// Said counts a text that is about to leave unasked, for the rows on "same_text":
// to how many conversations the account says it. Answers to people are not counted;
// an attempt that is repeated counts once unless thousands of others came between.
func (g *Guard) Said(c *engine.Command) {
	rules := g.rules.Load()
	if len(rules.said) == 0 || c.Lane == engine.LaneReply || !c.Action.Speaks() {
		return
	}
	t := g.texts.Get().(*text)
	t.of(c.Text)
	essence := g.counters.hash(t.essence())
	t.of("")
	g.texts.Put(t)
	told := maphash.Comparable(g.counters.seed, struct {
		text                  uint64
		account, conversation string
	}{essence, c.Account, c.Conversation})
	if !g.told.first(told) {
		return
	}
	now := g.o.Clock()
	for _, r := range rules.said {
		e := &engine.Event{Account: c.Account, Conversation: c.Conversation}
		if !r.fits(e, nil) {
			continue
		}
		key := maphash.Comparable(g.counters.seed, struct {
			row, text uint64
			account   string
		}{r.id, essence, c.Account})
		if g.counters.count(key, r.window, now, 1) <= r.most {
			continue
		}
		g.hit(r, e, now)
		if r.action == pause {
			g.o.Pause(c, Hit{Row: r.name, Action: r.action.String(), Account: c.Account, Conversation: c.Conversation})
		}
	}
}
