package pace

import "time"

// meterSeconds is how far back the meter looks.
const meterSeconds = 8

// meter counts the sends of the last few seconds, in as many numbers.
type meter struct {
	counts [meterSeconds]uint32
	second int64 // Unix, of the last count
}

func (m *meter) add(now time.Time) {
	m.forget(now)
	m.counts[m.second%meterSeconds]++
}

// forget empties the seconds that have passed since the last count.
func (m *meter) forget(now time.Time) {
	second := now.Unix()
	for n := min(second-m.second, meterSeconds); n > 0; n-- {
		m.counts[(second-n+1)%meterSeconds] = 0
	}
	m.second = max(m.second, second)
}

// perSecond is the pace of the sends that it has seen, from the second of the
// first of them: a pause before it does not count.
func (m *meter) perSecond(now time.Time) float64 {
	m.forget(now)
	var sum uint32
	var first int64
	for ago := range int64(meterSeconds) {
		if n := m.counts[(m.second-ago)%meterSeconds]; n > 0 {
			sum += n
			first = m.second - ago
		}
	}
	took := now.Sub(time.Unix(first, 0))
	if sum == 0 || took < time.Second {
		took = time.Second
	}
	return float64(sum) / took.Seconds()
}
