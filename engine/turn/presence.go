package turn

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"bot/engine"
)

// OfflineKey is the note that an account is not connected to its platform. Its
// value is since when, in Unix milliseconds, a space, and what the platform said.
const OfflineKey = "hold/offline"

func offlineNote(e *engine.Event) string {
	return strconv.FormatInt(when(e).UnixMilli(), 10) + " " + cmp.Or(e.Text, e.Type, "its platform says so")
}

// OfflineNote reads the note; why is "" when there is none.
func OfflineNote(value string) (since time.Time, why string) {
	stamp, why, found := strings.Cut(value, " ")
	ms, err := strconv.ParseInt(stamp, 10, 64)
	if !found || err != nil {
		return time.Time{}, value
	}
	return time.UnixMilli(ms), why
}

// when is the time of an event by its platform, or else by ours.
func when(e *engine.Event) time.Time {
	if e.Time.IsZero() {
		return e.Received
	}
	return e.Time
}

// presence is what the event says of the account's connection, "" for nothing.
// Platforms tell old things again, and in no order: a return from before the
// account went is none.
func (p *play) presence() engine.Kind {
	switch p.event.Kind {
	case engine.Offline:
		return engine.Offline
	case engine.Online:
		if !when(p.event).Before(p.gone) {
			return engine.Online
		}
	}
	return ""
}
