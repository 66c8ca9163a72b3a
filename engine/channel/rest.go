package channel

import "time"

// MaxRest is the longest wait that a platform is believed: the quotas that are
// known end with a day. One that asks for more has a slip in its clock or its
// configuration, and then it is looked at again after lookAgain.
const (
	MaxRest   = 24 * time.Hour
	lookAgain = time.Hour
)

// Rest is how long a Throttled account is to stay away, 0 where its platform did
// not say. It is what the platform asked for, unless that is beyond belief: then
// believed is false and rest an hour, after which it may say so again.
func (e *SendError) Rest(now time.Time) (rest time.Duration, believed bool) {
	if e.Until.IsZero() {
		return 0, true
	}
	if rest = max(e.Until.Sub(now), 0); rest > MaxRest {
		return lookAgain, false
	}
	return rest, true
}
