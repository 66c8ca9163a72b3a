package egress

import (
	"time"

	"bot/engine"
)

// beside bounds the bulk commands of an account that are under way while its
// replies and pushes are. Each of them has its place in two commits of the store,
// and takes a mark and a slot until it is done: with as many as there is room for,
// a reply would wait for room first, and then in commits that are theirs. Where
// nothing but bulk is to be sent it may take all there is.
type beside struct {
	bulk  int       // commands of that lane under way
	other time.Time // when one of another lane was chosen last, by the monotonic clock
}

// talks is how long after a reply or a push the next one is taken to be near.
const talks = time.Second

// bulkShare is the part of an account's slots that bulk has beside the others: one
// in so many, at least one.
const bulkShare = 4

// lanes is how many lanes may start something now, from the first.
func (a *account) lanes(at instant) engine.Lane {
	b := &a.beside
	if at.mono.Sub(b.other) < talks && !b.other.IsZero() && b.bulk >= max(1, a.pacer.Limits().Parallel/bulkShare) {
		return engine.LaneBulk // all before it; a landing looks again
	}
	return engine.Lanes
}

func (b *beside) took(f *flight, at instant) {
	if f.bulk = f.lane == engine.LaneBulk; f.bulk {
		b.bulk++
		return
	}
	b.other = at.mono
}

func (b *beside) landed(f *flight) {
	if f.bulk {
		f.bulk = false
		b.bulk--
	}
}
