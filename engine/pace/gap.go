package pace

import (
	"math"
	"time"

	"bot/engine"
)

// gap draws from a normal distribution around the middle of the range, a
// quarter of its width as deviation, until the draw lies in the range: one in
// twenty-two does not.
func gap(r engine.Range, chance func() float64) time.Duration {
	middle, sigma := float64(r.Min+r.Max)/2, float64(r.Max-r.Min)/4
	for range 100 {
		// Box-Muller; 1-u keeps the logarithm away from zero.
		z := math.Sqrt(-2*math.Log(1-chance())) * math.Cos(2*math.Pi*chance())
		if d := time.Duration(middle + z*sigma); d >= r.Min && d <= r.Max {
			return d
		}
	}
	// Only a source that is not random gets here.
	return time.Duration(middle)
}
