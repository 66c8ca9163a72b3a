package api

import (
	"encoding/json"
	"errors"
	"strconv"
	"time"
)

// moment is a time in an envelope: RFC 3339, or whole seconds since 1970. The zero
// one is none, as null is.
type moment time.Time

const aMoment = "a time, as 2026-12-24T09:00:00+08:00 or in whole seconds since 1970"

// UnmarshalJSON implements json.Unmarshaler.
func (m *moment) UnmarshalJSON(b []byte) error {
	var text string
	switch {
	case string(b) == "null":
		return nil
	case json.Unmarshal(b, &text) == nil:
		t, err := time.Parse(time.RFC3339, text)
		*m = moment(t)
		return err
	}
	seconds, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return err
	}
	if seconds <= 0 || seconds > lastSecond {
		return errors.New("no time that anybody means")
	}
	*m = moment(time.Unix(seconds, 0))
	return nil
}

// Bounds of an envelope's times. What is far off is a slip, such as milliseconds.
const (
	firstSecond = 946684800      // of the year 2000
	lastSecond  = 253402300799   // of the year 9999
	ahead       = 24 * time.Hour // of a caller's clock
	farthest    = 366 * 24 * time.Hour
)

// checkTimes names what is wrong with when the envelope was made, and when it is to
// leave.
func (e *envelope) checkTimes(now time.Time, wrong func(field, format string, args ...any)) {
	made := time.Unix(min(e.Timestamp, lastSecond), 0)
	switch {
	case e.Timestamp == 0:
		wrong("timestamp", "it must be there: when the command was made, in whole seconds since 1970")
	case e.Timestamp > lastSecond:
		wrong("timestamp", "it is in whole seconds since 1970, not in milliseconds")
	case e.Timestamp < firstSecond:
		wrong("timestamp", "it is before the year 2000; it is in whole seconds since 1970")
	case made.After(now.Add(ahead)):
		wrong("timestamp", "it is more than a day from now, by the engine's clock (%s)", now.UTC().Format(time.RFC3339))
	}
	before, deadline := time.Time(e.NotBefore), time.Time(e.Deadline)
	if before.After(now.Add(farthest)) {
		wrong("not_before", "it is more than %d days from now", int(farthest.Hours()/24))
	}
	switch {
	case deadline.IsZero():
	case !deadline.After(now):
		wrong("deadline", "it is over, by the engine's clock (%s)", now.UTC().Format(time.RFC3339))
	case !deadline.After(before):
		wrong("deadline", "it is not after not_before, so that the command could never leave")
	}
}
