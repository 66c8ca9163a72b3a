package egress

import (
	"time"

	"bot/engine"
	"bot/engine/pace"
	"bot/engine/quota"
)

// instant is one moment by both clocks: the store's, in which commands say
// when they are due, and the monotonic one, in which pace is kept.
type instant struct {
	wall time.Time
	mono time.Time
}

func (at instant) nanos() int64 { return at.wall.UnixNano() }

// class is the lines that may go, as far as their conversations are concerned,
// and whose first commands share the limit of one action. Class 0 is all the
// actions without one that say nothing, class 1 those that do.
type class struct {
	action  engine.Action
	says    bool // its actions do (engine.Action.Says), so that quotas are about them
	ready   [engine.Lanes]heap[byRank]
	counted bool // the wait for the action's limit was counted
}

// empty tells whether none of so many lanes, from the first, has anything ready.
func (c *class) empty(lanes engine.Lane) bool {
	for lane := range lanes {
		if len(c.ready[lane]) > 0 {
			return false
		}
	}
	return true
}

// index is the waiting commands of one account, each line in the heap of what
// it waits for, so that finding the next one costs the logarithm of how many
// lines there are, whatever holds the others.
type index struct {
	pacer  *pace.Pacer
	waited func(pace.By) // a wait began
	giveUp time.Duration // 0: no limit

	conversations map[string]*conversation
	classes       []class
	classOf       map[int32]int // by number of the action
	later         heap[byReady]
	limited       heap[*conversation]
	expiring      heap[byExpiry]
}

// conversation returns the one of that name, which may be new.
func (x *index) conversation(key string, at instant) *conversation {
	c := x.conversations[key]
	if c == nil {
		c = &conversation{key: key, pos: -1}
		x.conversations[key] = c
		x.limit(c, at)
	}
	return c
}

// add puts a command in its place.
func (x *index) add(c *conversation, lane engine.Lane, it item, at instant) {
	l := c.lines[lane]
	if l == nil {
		l = &line{conversation: c, lane: lane, expPos: -1}
		c.lines[lane] = l
	}
	if len(l.items) > 0 && !it.before(l.items[0]) {
		l.items.push(it)
		return
	}
	x.lift(l)
	l.items.push(it)
	x.put(l, at)
}

// take removes a line's first command and lets the conversation rest until it
// is released.
func (x *index) take(l *line) item {
	x.rest(l.conversation)
	return l.items.remove(0)
}

// rest keeps all lines of the conversation from being chosen until as many
// releases follow.
func (x *index) rest(c *conversation) {
	c.flights++
	for _, l := range c.lines {
		if l != nil {
			x.lift(l)
		}
	}
}

// release ends a rest, and forgets the conversation when it has nothing left.
func (x *index) release(c *conversation, at instant) {
	if c.flights--; c.flights > 0 {
		return
	}
	x.limit(c, at)
	x.putAll(c, at)
}

// limit looks whether the conversation's own limit holds it, and until when.
func (x *index) limit(c *conversation, at instant) {
	if c.pos >= 0 {
		x.limited.remove(c.pos)
	}
	c.counted = false
	if wait := x.pacer.WaitConversation(at.mono, c.key); wait > 0 {
		c.freeAt = at.mono.Add(wait)
		x.limited.push(c)
	}
}

// putAll puts every line of the conversation in its place.
func (x *index) putAll(c *conversation, at instant) {
	empty := true
	for lane, l := range c.lines {
		switch {
		case l == nil:
		case len(l.items) == 0:
			c.lines[lane] = nil
		default:
			empty = false
			x.lift(l)
			x.put(l, at)
		}
	}
	if !empty || c.flights > 0 {
		return
	}
	if c.pos >= 0 {
		x.limited.remove(c.pos)
	}
	delete(x.conversations, c.key)
}

// lift takes a line out of the heaps, before its first command changes.
func (x *index) lift(l *line) {
	if l.expPos >= 0 {
		x.expiring.remove(l.expPos)
	}
	switch l.place {
	case later:
		x.later.remove(l.pos)
	case ready:
		x.classes[l.class].ready[l.lane].remove(l.pos)
	}
	l.place = nowhere
}

// put enters a lifted line, which is not empty, in the heap of what it waits
// for. The line of a resting conversation stays out.
func (x *index) put(l *line, at instant) {
	c, first := l.conversation, l.items[0]
	if c.flights > 0 {
		return
	}
	if l.expiry = x.expiry(first); l.expiry != never {
		x.expiring.push(byExpiry{l})
	}
	l.from = max(first.ready, l.until)
	switch {
	case l.from > at.nanos():
		l.place = later
		x.later.push(byReady{l})
	case c.pos >= 0:
		if !c.counted {
			c.counted = true
			x.waited(pace.ByConversation)
		}
	default:
		l.place, l.class = ready, x.classOf[first.action]
		x.classes[l.class].ready[l.lane].push(byRank{l})
	}
}

// expiry is when a command is given up, by its own deadline or the account's.
func (x *index) expiry(it item) int64 {
	if x.giveUp == 0 || it.due > never-int64(x.giveUp) {
		return it.deadline
	}
	return min(it.deadline, it.due+int64(x.giveUp))
}

// ripen moves on the lines and conversations whose time has come.
func (x *index) ripen(at instant) {
	for now := at.nanos(); len(x.later) > 0 && x.later[0].from <= now; {
		l := x.later[0].line
		x.lift(l)
		x.put(l, at)
	}
	for len(x.limited) > 0 && !x.limited[0].freeAt.After(at.mono) {
		c := x.limited.remove(0)
		c.counted = false
		x.putAll(c, at)
	}
}

// expired returns a line whose first command is to be given up, if there is one.
func (x *index) expired(at instant) *line {
	if len(x.expiring) > 0 && x.expiring[0].expiry <= at.nanos() {
		return x.expiring[0].line
	}
	return nil
}

// configure takes up other limits, whose pacer was told already, and sorts
// everything anew. number gives the number of an action.
func (x *index) configure(giveUp time.Duration, number func(engine.Action) int32, at instant) {
	x.later, x.limited, x.expiring = nil, nil, nil
	x.giveUp = giveUp
	x.classes, x.classOf = []class{{}, {says: true}}, map[int32]int{}
	for _, action := range engine.Actions() {
		if action.Says() {
			x.classOf[number(action)] = 1
		}
	}
	for action := range x.pacer.Limits().Actions {
		x.classOf[number(action)] = len(x.classes)
		x.classes = append(x.classes, class{action: action, says: action.Says()})
	}
	for _, c := range x.conversations {
		c.pos = -1
		for _, l := range c.lines {
			if l != nil {
				l.place, l.expPos = nowhere, -1
				l.over, l.until = quota.None, 0 // the quotas may be others now
			}
		}
		x.limit(c, at)
		x.putAll(c, at)
	}
}
