package api

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"bot/engine"
)

// Limits of what an envelope says. They are far beyond what platforms take, which
// say so themselves; they keep one command small enough to be one of many.
const (
	maxText   = 64 << 10 // bytes of one text
	maxList   = 2000     // entries
	maxParams = 256 << 10
)

// sort is what a param must be.
type sort uint8

const (
	anything sort = iota
	words         // a text
	ids           // a list of texts, or one text with commas
	toggle        // true or false
	number        // not below nought
	degrees       // of latitude or longitude
)

func (s sort) String() string {
	switch s {
	case words:
		return "a text"
	case ids:
		return "a list of texts, or one text with commas between them"
	case toggle:
		return "true or false"
	case number:
		return "a number that is not below 0"
	case degrees:
		return "a number of degrees"
	}
	return "anything"
}

// shared are the params that all platforms read alike, by name. What platforms read
// besides is theirs to judge.
var shared = map[string]sort{
	"to": words, "content": words, "room_id": words, "url": words, "title": words, "description": words, "cover_url": words,
	"md5": words, "address": words, "remark": words, "reason": words, "response_code": words,
	"at": ids, "at_names": ids, "members": ids, "add": ids, "remove": ids,
	"on": toggle, "duration": number, "size": number, "latitude": degrees, "longitude": degrees,
}

// special are those that one action reads otherwise, or that only it reads.
var special = map[engine.Action]map[string]sort{
	engine.SendMiniapp:  {"title": words},
	engine.SendContact:  {"user": words, "name": words},
	engine.SendFile:     {"name": words},
	engine.CreateGroup:  {"name": words},
	engine.RenameGroup:  {"name": words},
	engine.AddMember:    {"invited_wxid": words},
	engine.SetAdmin:     {"user": words},
	engine.SetLabel:     {"user": words},
	engine.SetRemark:    {"user": words},
	engine.DeleteFriend: {"user": words},
	// A platform's own forms: what it said of a message is handed back as it was.
	engine.UpdateCard: {"card": anything, "button": anything},
	engine.Forward:    {"content": anything},
	// They hand back what an event carried.
	engine.AcceptFriend: {}, engine.AcceptGroup: {}, engine.ApproveMember: {},
}

// sortOf is what a param of an action must be.
func sortOf(a engine.Action, param string) sort {
	if s, ok := special[a][param]; ok {
		return s
	}
	return shared[param]
}

// checkParams names every param that is not what it must be. What must be there is
// checked elsewhere: a missing one is left alone here.
func checkParams(a engine.Action, params map[string]any, wrong func(field, format string, args ...any)) {
	for _, name := range slices.Sorted(maps.Keys(params)) {
		v := params[name]
		if v == nil {
			continue
		}
		field := "params." + name
		switch s := sortOf(a, name); {
		case !s.takes(v):
			wrong(field, "it must be %v", s)
		case s == degrees && !within(v, name):
			wrong(field, "latitudes are between -90 and 90, longitudes between -180 and 180")
		case tooLong(v):
			wrong(field, "it has more than %d bytes, or more than %d entries", maxText, maxList)
		}
	}
	if n, err := json.Marshal(params); err != nil || len(n) > maxParams {
		wrong("params", "they have %d bytes together, more than %d", len(n), maxParams)
	}
}

// takes tells whether a value of JSON, with its numbers as they were written, is
// of the sort.
func (s sort) takes(v any) bool {
	switch s {
	case words:
		_, ok := v.(string)
		return ok
	case ids:
		return isIDs(v)
	case toggle:
		_, ok := v.(bool)
		return ok || v == "true" || v == "false"
	case number:
		f, ok := floatOf(v)
		return ok && f >= 0
	case degrees:
		_, ok := floatOf(v)
		return ok
	}
	return true
}

// isIDs takes whole numbers as well: older systems keep ids as such, and their
// digits are not changed.
func isIDs(v any) bool {
	all, isList := v.([]any)
	if !isList {
		all = []any{v}
	}
	return !slices.ContainsFunc(all, func(one any) bool {
		switch one := one.(type) {
		case string:
			return isList && strings.TrimSpace(one) == ""
		case json.Number:
			_, err := strconv.ParseUint(one.String(), 10, 64)
			return err != nil
		}
		return true
	})
}

// floatOf reads a number, also one that is written as a text.
func floatOf(v any) (float64, bool) {
	var s string
	switch v := v.(type) {
	case string:
		s = v
	case json.Number:
		s = v.String()
	default:
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && f-f == 0 // neither infinite nor no number
}

func within(v any, name string) bool {
	f, _ := floatOf(v)
	bound := 180.0
	if name == "latitude" {
		bound = 90
	}
	return f >= -bound && f <= bound
}

func tooLong(v any) bool {
	switch v := v.(type) {
	case string:
		return len(v) > maxText
	case []any:
		return len(v) > maxList
	}
	return false
}

// oneOf are params of which an action needs one, whatever the channel; what a
// channel cannot do without stands with the channel.
var oneOf = map[engine.Action][]string{
	engine.AddMember:  {"members", "invited_wxid"},
	engine.SetLabel:   {"add", "remove", "labelIds"},
	engine.UpdateCard: {"card", "button", "template_card"},
}

// lacks tells whether none of oneOf is there.
func lacks(a engine.Action, params map[string]any) bool {
	return len(oneOf[a]) > 0 && !slices.ContainsFunc(oneOf[a], func(name string) bool { return !engine.Blank(params[name]) })
}
