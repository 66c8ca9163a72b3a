package egress

import (
	"time"

	"bot/engine"
	"bot/engine/pace"
)

// beside bounds the bulk commands of an account that are under way while its
// replies and pushes are. Each of them has its place in two commits of the store,
// and takes a slot until it is done: with as many as there is room for, a reply
// would wait for room first, and then in commits that are theirs. So there are few,
// and they ride on the commits of others. Where nothing but bulk is to be sent it
// may take all there is.
type beside struct {
	bulk    int           // commands of that lane under way
	writing int           // of them, those whose mark or end is being written down
	riding  bool          // and all these ride
	since   time.Time     // when the first of these began to be; by the monotonic clock, like all here
	owed    time.Duration // of the rest before
	rests   time.Time     // until when bulk starts nothing more
	other   time.Time     // when one of another lane was chosen last
}

// talks is how long after a reply or a push the next one is taken to be near. No rest
// is longer: what takes so long to be written is not helped by one.
const talks = time.Second

// near is how long after a reply or a push the commits of others are taken to come one
// upon the other, so that bulk rides on them. Where they are rarer it would wait in vain.
const near = 10 * time.Millisecond

// bulkShare is the part of an account's slots that bulk has beside the others: one
// in so many, at least one.
const bulkShare = 4

// lanes is how many lanes may start something now, from the first. While no slot is
// free that is replies, unless others have been passed over as often as they may be: a
// reply that is marked meanwhile need not wait for the disk once there is one. Beside the
// others bulk starts one command at a time, when none of its own is being written
// down, and then rests as long as that took, half as long where it rode, which was
// to wait for others first: with no rest the p99 of replies was 1.5 to 1.8 times the
// quiet one, with a whole one bulk was slower than without rides. However fast the
// platform is, bulk has half of the time at most, two thirds where it rides, and
// however slow it is, it uses its slots.
// Where it is passed over for that as often as a lane may be, it has its turn.
func (a *account) lanes(at instant) engine.Lane {
	b := &a.beside
	if !a.slot() {
		if a.due(at) {
			return 0
		}
		return engine.LanePush
	}
	full := b.bulk >= max(1, a.pacer.Limits().Parallel/bulkShare)
	due := a.turns[engine.LaneBulk] >= passes
	rests := !due && (b.writing > 0 || at.mono.Before(b.rests))
	if b.talking(at) && (full || rests) {
		return engine.LaneBulk // all before it; what ends a write, a landing or the alarm looks again
	}
	return engine.Lanes
}

// talking tells whether a reply or a push may come any moment.
func (b *beside) talking(at instant) bool { return b.within(at, talks) }

// within tells whether one of another lane was chosen less than d ago.
func (b *beside) within(at instant, d time.Duration) bool {
	return at.mono.Sub(b.other) < d && !b.other.IsZero()
}

// rest is the time until bulk may start something that others hold up now,
// pace.Forever where nobody does.
func (b *beside) rest(at instant) time.Duration {
	resting := at.mono.Before(b.rests)
	if !b.talking(at) || !resting && b.bulk == 0 {
		return pace.Forever
	}
	over := b.other.Add(talks).Sub(at.mono)
	if resting {
		over = min(over, b.rests.Sub(at.mono))
	}
	return over
}

// took: the flight has a slot, and its mark is being written.
func (b *beside) took(f *flight, at instant) {
	if f.bulk = f.lane == engine.LaneBulk; !f.bulk {
		if !b.talking(at) {
			b.since = at.mono // what bulk wrote while it was alone it need not rest for
		}
		b.other = at.mono
		return
	}
	b.bulk++
	b.writes(f, at)
}

// landed: the flight is over.
func (b *beside) landed(f *flight) {
	if f.bulk {
		b.bulk--
	}
}

// writes: the flight's mark or end is being written. What is left of a rest then is
// owed: ends come when they come.
func (b *beside) writes(f *flight, at instant) {
	if !f.bulk {
		return
	}
	f.rides = b.within(at, near)
	if b.writing == 0 {
		b.since, b.owed, b.riding = at.mono, max(0, b.rests.Sub(at.mono)), true
	}
	b.riding = b.riding && f.rides
	b.writing++
}

// wrote: that was written, or not.
func (b *beside) wrote(f *flight, at instant) {
	if !f.bulk {
		return
	}
	if b.writing--; b.writing > 0 {
		return
	}
	rest := at.mono.Sub(b.since)
	if b.riding {
		rest /= 2
	}
	b.rests = at.mono.Add(min(rest+b.owed, talks))
}
