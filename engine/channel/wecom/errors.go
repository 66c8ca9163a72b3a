package wecom

import (
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bot/engine/channel"
)

// refusal is an answer whose errcode is not 0.
type refusal struct {
	code int
	send *channel.SendError
}

func (r *refusal) Error() string { return r.send.Error() }
func (r *refusal) Unwrap() error { return r.send }

// codeOf is the errcode that the platform answered with, 0 for any other error.
func codeOf(err error) int {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.code
	}
	return 0
}

// sendError takes the code off an error once nobody will ask for it any more.
func sendError(err error) error {
	if e, ok := errors.AsType[*channel.SendError](err); ok {
		return e
	}
	return err
}

// refused sorts an errcode. Its note is the platform's words as they are, since
// they hold what cannot be known otherwise: the address that must be allowed,
// and the hint that the platform's support asks for.
func (p *platform) refused(call *channel.Call, path string, status, code int, errmsg string) error {
	is := sentenceOf(code)
	r := &refusal{code, call.Fail(is.class, status, wording(code, errmsg, is.hint))}
	if is.class != channel.Throttled {
		return r
	}
	waits := waitsFor(code, path)
	until, times := p.blocks.meet(path, p.now(), waits)
	if _, known := sentences[code]; !known && times > len(waits) {
		r.send.Class = channel.Permanent // it is no limit after all
		return r
	}
	r.send.Until = until
	return r
}

// noteRoom is how many characters of a note are kept (channel.Call.Fail).
const noteRoom = 200

// wording gives the hint up before a word of the platform's, and the link to
// its documentation before either.
func wording(code int, errmsg, hint string) string {
	note := strconv.Itoa(code) + " " + errmsg
	if hint != "" {
		hint = "; " + hint
	}
	if utf8.RuneCountInString(note+hint) <= noteRoom {
		return note + hint
	}
	note, _, _ = strings.Cut(note, ", more info at")
	if utf8.RuneCountInString(note+hint) <= noteRoom {
		return note + hint
	}
	return note
}

// Waits, by what was exceeded. The robot's limit is one per minute; what the
// platform blocks for an hour's or a day's excess it does not say.
var (
	tooOften   = []time.Duration{time.Minute, time.Hour}
	robotOften = []time.Duration{time.Minute}
	unnamed    = []time.Duration{time.Minute, time.Minute, time.Minute}
	aDay       = []time.Duration{24 * time.Hour}
)

func waitsFor(code int, path string) []time.Duration {
	switch {
	case code == 45033:
		return []time.Duration{aroundASecond()}
	case code == 41094:
		return aDay
	case code != 45009:
		return unnamed
	case strings.HasPrefix(path, "webhook/"):
		return robotOften
	default:
		return tooOften
	}
}
