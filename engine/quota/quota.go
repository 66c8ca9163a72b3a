// Package quota says how much of what nobody asked for an account may send: so
// many pushes a day, so many to one user, and so many messages to somebody who
// does not answer. What was sent is counted in notes of the account, which are
// written in the acts that mark and settle a command; this package knows their
// keys and the rules, and neither waits nor writes:
//
//	quota/push/<day>                          pushes of the account
//	quota/push/<day>/<conversation>           of them, to one conversation
//	quota/heard/<conversation>                when the person last wrote, in
//	                                          nanoseconds of the store's clock
//	quota/unanswered/<heard>/<conversation>   messages since then
//
// A number that begins anew has a key of its own. So what is given back late goes
// to where it was taken from, and never to the day, or the silence, that followed.
package quota

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"bot/engine"
)

// Limits are the quotas of one account. Zero values limit nothing.
type Limits struct {
	PushPerDay        int
	PushPerUserPerDay int
	// Unanswered is how many messages may go into a private conversation since the
	// person last wrote, and UnansweredFor how long ago that may be.
	Unanswered    int
	UnansweredFor time.Duration
	// Refuse has what is over a quota die; else it is held until it may go.
	Refuse bool
	Zone   *time.Location // whose days count; nil is UTC
}

// Any tells whether there is a limit at all.
func (l *Limits) Any() bool { return l.PushPerDay > 0 || l.PushPerUserPerDay > 0 || l.Unanswered > 0 }

// Message is a command as quotas see it.
type Message struct {
	Conversation string
	Push         bool // it says something that nobody waits for
	// Waits: it is one of those that a person's silence stops.
	Waits bool
}

// Rule is one of the limits.
type Rule uint8

// The rules. None: nothing is over.
const (
	None Rule = iota
	PerDay
	PerUser
	Unanswered // too many messages since the person wrote
	Silent     // they have not written for too long, or never
	Rules      = int(Silent) + 1
)

// Key is the name of the rule's setting in [account.limit].
func (r Rule) Key() string {
	return [Rules]string{"", "push_per_day", "push_per_user_per_day", "unanswered", "unanswered_for"}[r]
}

// Says tells people that the rule's limit is used up.
func (l *Limits) Says(r Rule) string {
	switch r {
	case PerDay:
		return fmt.Sprintf("quota: %s a day (push_per_day) are used up", pushes(l.PushPerDay))
	case PerUser:
		return fmt.Sprintf("quota: %s a day to one user (push_per_user_per_day) are used up", pushes(l.PushPerUserPerDay))
	case Unanswered:
		return fmt.Sprintf("quota: %d messages without an answer (unanswered) are used up", l.Unanswered)
	case Silent:
		return fmt.Sprintf("quota: the person has not written for %s (unanswered_for)", brief(l.UnansweredFor))
	}
	return ""
}

func pushes(n int) string {
	if n == 1 {
		return "1 push"
	}
	return strconv.Itoa(n) + " pushes"
}

// GoesOn tells people when what the rule holds may go.
func (l *Limits) GoesOn(r Rule, day *Day) string {
	if r == Unanswered || r == Silent {
		return "goes on when they write"
	}
	return "goes on " + Clock(day.Ends, l.Zone)
}

// Clock is a moment for people in the account's zone, to the minute where it is
// a full one.
func Clock(t time.Time, zone *time.Location) string {
	zone = orUTC(zone)
	t = t.In(zone)
	layout := "2006-01-02 15:04:05 "
	if t.Second() == 0 && t.Nanosecond() == 0 {
		layout = "2006-01-02 15:04 "
	}
	return t.Format(layout) + zone.String()
}

// brief is a length of time without the units that are nought.
func brief(d time.Duration) string {
	if h := d / time.Hour; h > 0 && d%time.Hour == 0 {
		return strconv.Itoa(int(h)) + "h"
	}
	return d.String()
}

// Recall reads a note of the account, "" when there is none.
type Recall func(key string) (string, error)

// Total is how many pushes of the day are counted.
func Total(day *Day, recall Recall) (int, error) { return number(totalKey(day), recall) }

// Verdict is what the quotas say of one message: the rule by which it may not go,
// or None and what is to be counted when it does.
type Verdict struct {
	Over   Rule
	Counts []engine.Count
}

// Check asks whether a message may go now. total is how many pushes of the day
// there are already.
func (l *Limits) Check(m Message, day *Day, total int, now time.Time, recall Recall) (v Verdict, err error) {
	if l.PushPerDay > 0 && m.Push {
		if total >= l.PushPerDay {
			return Verdict{Over: PerDay}, nil
		}
		v.Counts = append(v.Counts, engine.Count{Key: totalKey(day), Add: 1, Expires: day.kept()})
	}
	if l.PushPerUserPerDay > 0 && m.Push {
		key := userKey(day, m.Conversation)
		switch n, err := number(key, recall); {
		case err != nil:
			return v, err
		case n >= l.PushPerUserPerDay:
			return Verdict{Over: PerUser}, nil
		}
		v.Counts = append(v.Counts, engine.Count{Key: key, Add: 1, Expires: day.kept()})
	}
	if l.Unanswered > 0 && m.Waits {
		heard, err := Heard(m.Conversation, recall)
		if err != nil {
			return v, err
		}
		if heard.IsZero() || now.Sub(heard) >= l.UnansweredFor {
			return Verdict{Over: Silent}, nil
		}
		key := unansweredKey(m.Conversation, heard)
		switch n, err := number(key, recall); {
		case err != nil:
			return v, err
		case n >= l.Unanswered:
			return Verdict{Over: Unanswered}, nil
		}
		v.Counts = append(v.Counts, engine.Count{Key: key, Add: 1, Expires: now.Add(l.UnansweredFor + time.Hour)})
	}
	return v, nil
}

// GiveBack takes counts back that came to nothing.
func GiveBack(counts []engine.Count) []engine.Count {
	back := make([]engine.Count, len(counts))
	for i, c := range counts {
		c.Add = -c.Add
		back[i] = c
	}
	return back
}

// OfDay tells whether the day's total is among the counts.
func OfDay(day *Day, counts []engine.Count) bool {
	return len(counts) > 0 && counts[0].Key == totalKey(day) // it is the first that Check adds
}

// Hears tells whether the event is a person's own word: from then on messages to
// that conversation are counted anew. Those of groups are among them, since not
// every platform lets a group's id be told from a person's.
func Hears(e *engine.Event) bool {
	return !e.Self && e.Conversation != "" && (e.Kind == engine.Message || e.Kind == engine.Button)
}

// Hearing is the note that the event, which Hears holds for, was heard, to stand
// for so long after it happened. ok is false where that is over, or a later one
// was heard before: an old event may be played again.
func Hearing(e *engine.Event, stands time.Duration, heard, now time.Time) (note engine.Note, ok bool) {
	at := e.Received
	if !e.Time.IsZero() && e.Time.Before(at) {
		at = e.Time
	}
	expires := at.Add(stands)
	return engine.Note{
		Key: heardKey(e.Conversation), Value: strconv.FormatInt(e.Received.UnixNano(), 10), Expires: expires,
	}, expires.After(now) && e.Received.After(heard)
}

// Heard is when the person last wrote, zero where that is not known (any more).
func Heard(conversation string, recall Recall) (time.Time, error) {
	value, err := recall(heardKey(conversation))
	n, bad := strconv.ParseInt(value, 10, 64)
	if err != nil || bad != nil {
		return time.Time{}, err
	}
	return time.Unix(0, n), nil
}

func number(key string, recall Recall) (int, error) {
	value, err := recall(key)
	n, _ := strconv.Atoi(value) // nothing yet
	return n, err
}

func totalKey(day *Day) string                     { return "quota/push/" + day.Name }
func userKey(day *Day, conversation string) string { return key(totalKey(day)+"/", conversation) }
func heardKey(conversation string) string          { return key("quota/heard/", conversation) }

func unansweredKey(conversation string, heard time.Time) string {
	return key("quota/unanswered/"+strconv.FormatInt(heard.UnixNano(), 10)+"/", conversation)
}

// maxKey bounds the key of a number (engine.Count).
const maxKey = 256

// key makes a key of an id, which may be longer than keys can be.
func key(use, id string) string {
	if len(use)+len(id) <= maxKey {
		return use + id
	}
	sum := sha256.Sum256([]byte(id))
	return use + hex.EncodeToString(sum[:])
}
