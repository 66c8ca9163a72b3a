package loadtest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Ramps are the characters of pictures, from nothing to all.
var (
	blocks = []rune("▁▂▃▄▅▆▇█") // for terminals
	letter = []rune("_.:-=+*#") // for everything else
)

// sparkline draws the course of a number in at most width characters; each
// stands for the highest of its share of the values. The lowest bar is zero,
// the highest the maximum. It is empty for no values.
func sparkline(values []int, width int, bars []rune) string {
	peaks := peaksOf(values, width)
	if len(peaks) == 0 {
		return ""
	}
	top := slices.Max(peaks)
	var b strings.Builder
	for _, peak := range peaks {
		bar := 0
		if peak > 0 { // what is not zero shows
			bar = max(1, peak*(len(bars)-1)/top)
		}
		b.WriteRune(bars[bar])
	}
	return b.String()
}

// peaksOf is the highest of each of at most width equal shares.
func peaksOf(values []int, width int) []int {
	n := min(width, len(values))
	peaks := make([]int, n)
	for i := range n {
		peaks[i] = slices.Max(values[i*len(values)/n : (i+1)*len(values)/n])
	}
	return peaks
}

// picture draws the same over several rows, with the numbers that the edges stand
// for; each value stands for a time of so long. It is empty for no values.
func picture(values []int, each time.Duration, width, height int, bars []rune) []string {
	peaks := peaksOf(values, width)
	if len(peaks) == 0 {
		return nil
	}
	top := max(slices.Max(peaks), 1)
	steps := len(bars) // of one row
	if slices.Equal(bars, letter) {
		steps = 1 // letters are no part of a bar
	}
	margin := len(fmt.Sprint(top))
	var rows []string
	for row := height - 1; row >= 0; row-- {
		var b strings.Builder
		switch row {
		case height - 1:
			fmt.Fprintf(&b, "%*d ", margin, top)
		case 0:
			fmt.Fprintf(&b, "%*d ", margin, 0)
		default:
			fmt.Fprintf(&b, "%*s ", margin, "")
		}
		for _, peak := range peaks {
			filled := peak * height * steps / top
			if peak > 0 {
				filled = max(filled, 1) // what is not zero shows
			}
			switch filled = min(filled-row*steps, steps); {
			case filled <= 0:
				b.WriteByte(' ')
			case steps == 1:
				b.WriteRune(bars[len(bars)-1])
			default:
				b.WriteRune(bars[filled-1])
			}
		}
		rows = append(rows, strings.TrimRight(b.String(), " "))
	}
	end := seconds(time.Duration(len(values)) * each)
	return append(rows, fmt.Sprintf("%*s 0%*s", margin, "", max(len(peaks)-1, len(end)+1), end))
}
