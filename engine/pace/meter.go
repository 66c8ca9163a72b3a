package pace

import "time"

// meterSeconds is how far back the meter looks.
const meterSeconds = 8

// meter counts the sends of the last few seconds, in as many numbers.
type meter struct {
	began  time.Time
	counts [meterSeconds]uint32
	last   int64 // the second of the last look, from began
}

// add counts a send.
func (m *meter) add(now time.Time) {
	m.turn(now)
	m.counts[m.last%meterSeconds]++
}

// turn empties the seconds that have passed since the last look.
func (m *meter) turn(now time.Time) {
	second := int64(now.Sub(m.began) / time.Second)
	for s := max(m.last+1, second-meterSeconds+1); s <= second; s++ {
		m.counts[s%meterSeconds] = 0
	}
	m.last = max(m.last, second)
}

// perSecond is the pace of the sends that it has seen, from the second of the
// first of them on: a pause before it does not count.
func (m *meter) perSecond(now time.Time) float64 {
	m.turn(now)
	var sum uint32
	first := m.last
	for s := max(m.last-meterSeconds+1, 0); s <= m.last; s++ {
		n := m.counts[s%meterSeconds]
		if n > 0 && sum == 0 {
			first = s
		}
		sum += n
	}
	took := now.Sub(m.began) - time.Duration(first)*time.Second
	return float64(sum) / max(took, time.Second).Seconds()
}
