package llm

import (
	"cmp"
	"fmt"
	"time"

	"bot/engine"
)

// budget bounds the requests of a day, which begins at midnight where the
// account is. It is asked before the model and written with the outcome, so that
// it may be passed by as many requests as are under way at once.
type budget struct{ user, account int } // 0: no limit

// over says why the model is not asked, "" where it is.
func (b budget) over(t *engine.Turn, now time.Time) (string, error) {
	for _, l := range b.limits(t, now) {
		if l.most == 0 {
			continue
		}
		n, err := t.Counted(l.key)
		if err != nil {
			return "", fmt.Errorf("look up the budget: %w", err)
		}
		if n >= l.most {
			return fmt.Sprintf("over budget: %s has made its %d requests of the day", l.whose, l.most), nil
		}
	}
	return "", nil
}

// spend counts requests.
func (b budget) spend(t *engine.Turn, now, played time.Time, requests int) (counts []engine.Count) {
	for _, l := range b.limits(t, now) {
		if l.most > 0 && requests > 0 {
			counts = append(counts, engine.Count{Key: l.key, Add: requests, Expires: afterDay(now, played)})
		}
	}
	return counts
}

// limit is one number of requests, and where it is counted.
type limit struct {
	whose, key string
	most       int
}

func (b budget) limits(t *engine.Turn, now time.Time) [2]limit {
	day, user := now.Format(time.DateOnly), cmp.Or(t.Event.Sender, t.Event.Conversation)
	return [2]limit{
		{"the user", key("user", day, user), b.user},
		{"the account", key("all", day), b.account},
	}
}

// afterDay is when the day's numbers are of no use any more. Some hours are added,
// since a clock may be set back; a turn that is played later still, out of a
// backlog, keeps the numbers of its day as long.
func afterDay(day, played time.Time) time.Time {
	end := time.Date(day.Year(), day.Month(), day.Day()+1, 6, 0, 0, 0, day.Location())
	if late := played.Add(6 * time.Hour); late.After(end) {
		return late
	}
	return end
}
