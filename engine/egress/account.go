package egress

import (
	"time"

	"bot/engine"
	"bot/engine/pace"
)

// maxSettling bounds the answers of one account that wait for the disk. Beyond
// it nothing new starts: a store that cannot settle must not let more and more
// sends become doubtful.
const maxSettling = 256

// calendarLook is how often the owner looks at the wall clock while something
// waits for it. That clock can be set, and a machine can sleep, without any
// timer noticing.
const calendarLook = time.Minute

// account is what the owner knows of one account. One that is not configured
// is closed: its commands are held until it is.
type account struct {
	index
	confirms
	name   string
	conf   Account
	open   bool
	warned bool     // that commands are held for it
	doubts []uint64 // commands found marked while it was closed

	daily
	turns    turns
	beside   beside
	marking  int       // before their mark is on disk
	queued   []*flight // marked, all slots taken
	wire     int       // requests in flight
	settling int       // answered, before it is on disk

	standing  standing // with its platform
	bound     func(pace.By)
	waitedFor pace.By   // the wait that was counted last, "" since the last take
	dirty     bool      // look for something to do
	alarm     time.Time // when to look again; zero: not before something happens
}

// marksPerSlot is how many marks for each slot may be on their way to the disk
// where a doubt does no harm. A mark waits for one or two commits, a request on
// a good network for much less: with one mark for each slot the disk's pace
// would be that of sending.
const marksPerSlot = 4

// room tells whether another command may start. A mark that is being written
// takes no slot, so that the wire need not idle while the disk works; but
// while no slot is free nothing more is marked but replies where that does no harm,
// since what is marked is in doubt should the process die. With one slot that is one
// command at most.
func (a *account) room() bool {
	parallel, marks := a.pacer.Parallel(), a.mostMarks()
	ahead := marks > parallel && a.leaving()+a.marking < parallel+marks
	return a.open && (a.slot() || ahead) && a.marking < marks && a.settling < maxSettling
}

// leaving is how many are on the wire, or only wait for it.
func (a *account) leaving() int { return a.wire + len(a.queued) }

// slot tells whether one is free, or will be for what is marked.
func (a *account) slot() bool { return a.leaving() < a.pacer.Parallel() }

// mostMarks is how many may be on their way to the disk.
func (a *account) mostMarks() int {
	parallel := a.pacer.Parallel()
	if parallel == 1 || a.conf.OnDoubt != Resend {
		return parallel
	}
	return parallel * marksPerSlot
}

// due tells whether others than replies have been passed over as often as they may be,
// and could go.
func (a *account) due(at instant) bool {
	for i := range a.classes {
		c := &a.classes[i]
		for lane := engine.LanePush; lane < engine.Lanes; lane++ {
			if a.turns[lane] >= passes && a.goes(c, lane) && a.pacer.WaitAction(at.mono, c.action) == 0 {
				return true
			}
		}
	}
	return false
}

// offer is what an account could send now: the first line of each lane.
type offer struct {
	lines [engine.Lanes]*line
	has   [engine.Lanes]bool
	spare [engine.Lanes]bool // has something, and leaves this to others
}

func (o *offer) empty() bool { return o.has == [engine.Lanes]bool{} }

// offer looks for what may go now, the pace of the whole account aside.
func (a *account) offer(at instant) (o offer) {
	lanes, held := a.lanes(at), false
	for i := range a.classes {
		c := &a.classes[i]
		a.spares(c, lanes, &o)
		if !a.goesAny(c, lanes) {
			held = held || !c.empty(lanes)
			continue
		}
		if a.pacer.WaitAction(at.mono, c.action) > 0 {
			if !c.counted {
				c.counted = true
				a.waited(pace.ByAccount)
			}
			continue
		}
		for lane := range lanes {
			if !a.goes(c, lane) {
				held = held || len(c.ready[lane]) > 0
				continue
			}
			if l := c.ready[lane][0]; !o.has[lane] || l.before(byRank{o.lines[lane]}) {
				o.lines[lane], o.has[lane] = l.line, true
			}
		}
	}
	if held && !a.waiting {
		a.waited(byQuota)
	}
	a.waiting = held
	return o
}

// spares notes the lanes of a class that have something, beyond those that may go.
func (a *account) spares(c *class, lanes engine.Lane, o *offer) {
	for lane := lanes; lane < engine.Lanes; lane++ {
		o.spare[lane] = o.spare[lane] || a.goes(c, lane)
	}
}

// left is the offer where a reply goes that is not in it: what stays behind that.
func (a *account) left() (o offer) {
	for i := range a.classes {
		a.spares(&a.classes[i], engine.LanePush, &o)
	}
	return o
}

// candidate is the line whose turn it is, or nil when nothing may go now.
func (a *account) candidate(at instant) (*line, offer) {
	if !a.room() {
		return nil, offer{}
	}
	o := a.offer(at)
	if o.empty() {
		return nil, o
	}
	if wait, by := a.pacer.Wait(at.mono); wait > 0 {
		if a.waitedFor != by {
			a.waitedFor = by
			a.waited(by)
			a.bound(by)
		}
		return nil, o
	}
	return o.lines[a.turns.next(o.has)], o
}

// free is candidate for a reply that has no line yet: it tells whether nothing is in its
// way. What is ready has been let go as far as that was possible.
func (a *account) free(c *engine.Command, at instant) bool {
	if a.conversations[c.Conversation] != nil || !a.room() || a.lanes(at) == 0 ||
		a.pacer.WaitAction(at.mono, c.Action) > 0 || a.pacer.WaitConversation(at.mono, c.Conversation) > 0 {
		return false
	}
	wait, _ := a.pacer.Wait(at.mono)
	return wait == 0
}

// took notes that a command goes, which was chosen from the offer.
func (a *account) took(f *flight, o offer, at instant) {
	a.pacer.Take(at.mono, f.conversation.key, f.delivery.Command.Action)
	for lane, spare := range o.spare {
		o.has[lane] = o.has[lane] || spare
	}
	a.turns.took(f.lane, o.has)
	a.beside.took(f, at)
	a.classes[a.classOf[f.item.action]].counted = false
	f.left = at.mono
	a.count(f, 1)
	if a.waitedFor != "" {
		a.waitedFor = ""
		a.bound("")
	}
}

// sleep sets the alarm to the next moment at which something can change by
// itself. What changes by an answer makes the account dirty then.
func (a *account) sleep(at instant) {
	a.dirty, a.alarm = false, time.Time{}
	if !a.open {
		return
	}
	wait := min(a.calendar(at), a.paced(at), a.beside.rest(at))
	if len(a.limited) > 0 {
		wait = min(wait, a.limited[0].freeAt.Sub(at.mono))
	}
	if wait < pace.Forever {
		a.alarm = at.mono.Add(wait)
	}
}

// calendar is the time until the wall clock makes something ready or expire.
func (a *account) calendar(at instant) time.Duration {
	next := int64(never)
	if len(a.later) > 0 {
		next = a.later[0].from
	}
	if len(a.expiring) > 0 && a.settling < maxSettling {
		next = min(next, a.expiring[0].expiry)
	}
	if a.waiting {
		next = min(next, nanos(a.day.Ends))
	}
	if next == never {
		return pace.Forever
	}
	return min(time.Duration(next-at.nanos()), calendarLook)
}

// paced is the time until the limits let go of what is ready.
func (a *account) paced(at instant) time.Duration {
	if !a.room() {
		return pace.Forever
	}
	wait, lanes := pace.Forever, a.lanes(at)
	for i := range a.classes {
		if c := &a.classes[i]; a.goesAny(c, lanes) {
			wait = min(wait, a.pacer.WaitAction(at.mono, c.action))
		}
	}
	if wait < pace.Forever {
		// Only the account's own pace is left once an action is free.
		whole, _ := a.pacer.Wait(at.mono)
		wait = max(wait, whole)
	}
	return wait
}
