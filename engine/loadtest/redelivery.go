package loadtest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Redelivery is how a platform tells a callback again that was not answered with
// success in time.
type Redelivery struct {
	Name   string
	Says   string          // what it does, for people
	Within time.Duration   // the time for an answer; then the connection is closed
	Again  []time.Duration // waits before each further telling, from the end of the one before
}

// Redeliveries are all there are. Only those are here of which the platforms say
// how they do it; nobody says it of gewe, wkteam and qiwe.
func Redeliveries() []Redelivery {
	return []Redelivery{
		{Name: "none", Says: "what is not answered is never told again", Within: answerWithin},
		{Name: "wecom", Says: "5 s for an answer, then three times more, at once", Within: 5 * time.Second, Again: make([]time.Duration, 3)},
		{Name: "generic", Says: "5 s for an answer, then again after 1, 2, 5 and 10 minutes", Within: 5 * time.Second,
			Again: []time.Duration{time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute}},
	}
}

// RedeliveryNamed finds one of Redeliveries.
func RedeliveryNamed(name string) (Redelivery, error) {
	var names []string
	for _, r := range Redeliveries() {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	return Redelivery{}, fmt.Errorf("there is no redelivery %q (there are: %s)", name, strings.Join(names, ", "))
}

// retelling is a callback that is to be told again.
type retelling struct {
	index uint64
	told  int   // how often it was
	due   int64 // ledger time
}

// retellings is what one connection is to tell again. Few wait at a time.
type retellings struct {
	how     Redelivery
	hurry   float64 // by how much the waits are shortened; at least 1
	waiting []retelling
}

// missed notes that event i was told so often without an answer that counts.
// silent tells that there was none at all, so that the platform finds out only when
// its time for an answer is over. It returns false when the platform gives up.
func (r *retellings) missed(i uint64, told int, now int64, silent bool) bool {
	if told > len(r.how.Again) {
		return false
	}
	wait := r.how.Again[told-1]
	if silent {
		wait += r.how.Within
	}
	r.waiting = append(r.waiting, retelling{i, told, now + int64(float64(wait)/r.hurry)})
	return true
}

// next takes out what is due first, if that is by now.
func (r *retellings) next(now int64) (retelling, bool) {
	if len(r.waiting) == 0 {
		return retelling{}, false
	}
	first := 0
	for i := range r.waiting {
		if r.waiting[i].due < r.waiting[first].due {
			first = i
		}
	}
	out := r.waiting[first]
	if out.due > now {
		return retelling{}, false
	}
	r.waiting = slices.Delete(r.waiting, first, first+1)
	return out, true
}
