package egress

import (
	"cmp"
	"slices"
	"time"

	"bot/engine/channel"
	"bot/engine/wheel"
	"bot/store"
)

// confirms is what the owner knows of an account's commands that its platform
// will speak of, or may still speak of.
type confirms struct {
	byKey   map[string]*awaited
	byID    map[uint64]*awaited
	overdue []*awaited // whose time has run out, to be settled

	takeoffs uint64            // flights so far
	flying   map[uint64]uint64 // of each command in hand, the number of its flight
	early    []*confirmation   // of commands in hand, or perhaps so
}

// awaited is a command that a confirmation may come for.
type awaited struct {
	account *account
	id      uint64
	key     string
	counted bool                   // as unconfirmed
	timer   *wheel.Entry[*awaited] // while it is waited for; nil: it may come late
}

// takeOff notes that a command is in hand.
func (a *account) takeOff(id uint64) {
	if a.flying == nil {
		a.flying = make(map[uint64]uint64)
	}
	a.takeoffs++
	a.flying[id] = a.takeoffs
}

// flew tells whether a command is in hand that was when so many had taken off.
func (a *account) flew(takeoffs uint64) bool {
	for _, n := range a.flying {
		if n <= takeoffs {
			return true
		}
	}
	return false
}

// arrived tells whether a command that is to be sent was confirmed meanwhile.
func (a *account) arrived(id uint64) bool {
	w := a.byID[id]
	return w != nil && slices.ContainsFunc(a.early, func(c *confirmation) bool { return c.ok && c.key == w.key })
}

// awaits is the key by which the flight's platform will confirm the command, as
// far as can be told from the note of the request.
func (f *flight) awaits(note string) string {
	s, ok := f.conf.Sender.(channel.Confirmer)
	if !ok {
		return ""
	}
	key := s.Awaits(f.delivery.Command, note)
	if len(key) > channel.MaxKey {
		return ""
	}
	return key
}

// await remembers by which key a command may be confirmed, and how long that is
// waited for where that is so; wait is at least that long.
func (o *owner) await(a *account, d store.Delivery, wait time.Duration, at instant) {
	o.forget(a, d.ID)
	p := &d.Progress
	if p.Awaits == "" {
		return
	}
	if a.byKey == nil {
		a.byKey, a.byID = make(map[string]*awaited), make(map[uint64]*awaited)
	}
	w := &awaited{account: a, id: d.ID, key: p.Awaits}
	a.byKey[w.key], a.byID[w.id] = w, w
	if p.Phase != store.Unconfirmed {
		return
	}
	w.counted = true
	o.countUnconfirmed(a.name, 1)
	within := cmp.Or(a.conf.ConfirmWithin, confirmWithin) // a clock that was set must not make it longer
	w.timer = o.wheel.Add(at.mono.Add(max(min(p.AwaitsUntil.Sub(at.wall), within), wait)), w)
}

// forget drops what is known of a command's confirmation.
func (o *owner) forget(a *account, id uint64) {
	w := a.byID[id]
	if w == nil {
		return
	}
	o.wheel.Cancel(w.timer)
	if delete(a.byID, id); a.byKey[w.key] == w {
		delete(a.byKey, w.key)
	}
	if w.counted {
		o.countUnconfirmed(a.name, -1)
	}
}
