package pace

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"bot/engine"
)

// distance is the Kolmogorov-Smirnov statistic of a sample: the largest distance
// between how much of it lies below a value and how much should, by the root of
// its size. A sample of the distribution itself is beyond 1.63 once in a hundred
// times.
func distance(sample []float64, below func(float64) float64) float64 {
	slices.Sort(sample)
	n := float64(len(sample))
	var d float64
	for i, x := range sample {
		f := below(x)
		d = max(d, f-float64(i)/n, float64(i+1)/n-f)
	}
	return d * math.Sqrt(n)
}

// truncatedNormal is the share of a normal distribution around the middle of the
// range, cut at its ends, that lies below a number of seconds.
func truncatedNormal(r engine.Range, deviation float64) func(float64) float64 {
	low, high := r.Min.Seconds(), r.Max.Seconds()
	normal := func(x float64) float64 { return math.Erfc(-(x-(low+high)/2)/deviation/math.Sqrt2) / 2 }
	return func(x float64) float64 { return (normal(x) - normal(low)) / (normal(high) - normal(low)) }
}

const critical = 1.63

func TestGapsFollowATruncatedNormalDistribution(t *testing.T) {
	r := engine.Range{Min: 1500 * time.Millisecond, Max: 4500 * time.Millisecond}
	stated := truncatedNormal(r, 0.75)
	const n = 5000
	chance := rand.New(rand.NewPCG(7, 11)).Float64
	gaps := make([]float64, n)
	for i := range gaps {
		gaps[i] = gap(r, chance).Seconds()
	}
	if d := distance(gaps, stated); d > critical {
		t.Errorf("gaps are %.2f away from the stated distribution", d)
	}

	// What looks much the same is told apart.
	source := rand.New(rand.NewPCG(7, 13))
	for name, draw := range map[string]func() float64{
		"evenly spread": func() float64 { return r.At(source.Float64()).Seconds() },
		"a deviation of 0.65 s": func() float64 {
			for {
				if x := 3 + 0.65*source.NormFloat64(); x >= 1.5 && x <= 4.5 {
					return x
				}
			}
		},
		"draws beyond the ends pressed onto them": func() float64 { return min(max(3+0.75*source.NormFloat64(), 1.5), 4.5) },
		"a tenth of a second late":                func() float64 { return gap(r, source.Float64).Seconds() + 0.1 },
	} {
		t.Run("rejects "+name, func(t *testing.T) {
			other := make([]float64, n)
			for i := range other {
				other[i] = draw()
			}
			if d := distance(other, stated); d <= critical {
				t.Errorf("it is only %.2f away", d)
			}
		})
	}
}
