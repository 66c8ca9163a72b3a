package loadtest

import "strings"

var bars = []rune("▁▂▃▄▅▆▇█")

// sparkline draws the course of a number in at most width characters; each
// stands for the highest of its share of the values. The lowest bar is zero,
// the highest the maximum. It is empty for no values.
func sparkline(values []int, width int) string {
	top := 0
	for _, v := range values {
		top = max(top, v)
	}
	var b strings.Builder
	n := min(width, len(values))
	for i := range n {
		peak := 0
		for _, v := range values[i*len(values)/n : (i+1)*len(values)/n] {
			peak = max(peak, v)
		}
		bar := 0
		if peak > 0 { // what is not zero shows
			bar = max(1, peak*(len(bars)-1)/top)
		}
		b.WriteRune(bars[bar])
	}
	return b.String()
}
