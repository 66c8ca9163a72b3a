package loadtest

import (
	"fmt"
	"strings"
	"time"

	"bot/engine"
)

// Manners is how the platform that replies are sent to behaves. The zero value
// answers everything with success, at once.
type Manners struct {
	Delay    time.Duration // before each answer
	Fail     float64       // share answered 500 and not carried out, 0 to 1
	HangUp   float64       // share carried out and then hung up on instead of answered, 0 to 1
	Throttle engine.Rate   // beyond it requests are answered 429 and not carried out; zero: none
	// From Down until Up after the load began, everything is answered 502 and
	// not carried out. Both zero: never.
	Down, Up time.Duration
}

// good tells whether everything is carried out and answered with success, however late.
func (m Manners) good() bool {
	m.Delay = 0
	return m == Manners{}
}

// or is m with what it leaves open as in other.
func (m Manners) or(other Manners) Manners {
	if m.Delay == 0 {
		m.Delay = other.Delay
	}
	if m.Fail == 0 {
		m.Fail = other.Fail
	}
	if m.HangUp == 0 {
		m.HangUp = other.HangUp
	}
	if m.Throttle == (engine.Rate{}) {
		m.Throttle = other.Throttle
	}
	if m.Up == 0 {
		m.Down, m.Up = other.Down, other.Up
	}
	return m
}

// Profile is a platform as one meets them.
type Profile struct {
	Name string
	Says string // what it does, for people
	// manners of it for a load of so many callbacks a second, 0 for as many as can
	// be, that runs warm and is then measured for so long.
	manners func(rate float64, warmup, measured time.Duration) Manners
}

// unpaced is what stands for the rate of a load that has none, where a platform is
// to allow less than it is sent.
const unpaced = 1000

// Profiles are all there are.
func Profiles() []Profile {
	always := func(m Manners) func(float64, time.Duration, time.Duration) Manners {
		return func(float64, time.Duration, time.Duration) Manners { return m }
	}
	return []Profile{
		{"calm", "answers all with success, at once", always(Manners{})},
		{"slow", "takes 100 ms for each answer", always(Manners{Delay: 100 * time.Millisecond})},
		{"throttled", "allows 80 % of -rate and answers 429 beyond it, with Retry-After: 1", func(rate float64, _, _ time.Duration) Manners {
			if rate == 0 {
				rate = unpaced
			}
			return Manners{Throttle: engine.Rate{N: max(1, rate*0.8), Per: time.Second}}
		}},
		{"failing", "answers a fifth with 500 and does nothing", always(Manners{Fail: 0.2})},
		{"flaky", "takes 20 ms, answers one in twenty with 500, and hangs up on one in fifty after it was done, so that nobody knows",
			always(Manners{Delay: 20 * time.Millisecond, Fail: 0.05, HangUp: 0.02})},
		{"outage", "answers 502 to everything in the middle third of the measurement", func(_ float64, warmup, measured time.Duration) Manners {
			return Manners{Down: warmup + measured/3, Up: warmup + measured*2/3}
		}},
	}
}

// profileNamed finds one of Profiles.
func profileNamed(name string) (Profile, error) {
	var names []string
	for _, p := range Profiles() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Profile{}, fmt.Errorf("there is no profile %q (there are: %s)", name, strings.Join(names, ", "))
}
