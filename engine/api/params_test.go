package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bot/engine"
)

// spoken is what each action needs at the least, and what is wrong with others of
// its params, by the field that is named.
var spoken = map[engine.Action]struct {
	least  map[string]any
	faulty map[string]any // by param: a value that it must not have
}{
	engine.SendText:        {m{"to": "u", "content": "x"}, m{"to": 1, "content": []any{"x"}, "at": m{"u": 1}, "at_names": true}},
	engine.SendImage:       {m{"to": "u", "url": "https://example.com/a.png"}, m{"url": 7}},
	engine.SendFile:        {m{"to": "u", "url": "https://example.com/a.pdf"}, m{"name": 7}},
	engine.SendVoice:       {m{"to": "u"}, m{"duration": -1}},
	engine.SendVideo:       {m{"to": "u"}, m{"cover_url": 1, "duration": "long"}},
	engine.SendLink:        {m{"to": "u"}, m{"title": 1, "description": []any{}, "url": false}},
	engine.SendContact:     {m{"to": "u"}, m{"user": 12, "name": 1}},
	engine.SendEmoji:       {m{"to": "u"}, m{"md5": 1, "size": "big"}},
	engine.SendMiniapp:     {m{"to": "u"}, m{"title": 1}},
	engine.SendLocation:    {m{"to": "u"}, m{"latitude": 91, "longitude": "east", "address": 1}},
	engine.SendCard:        {m{"to": "u"}, m{"title": 3}},
	engine.SendMarkdown:    {m{"to": "u", "content": "**x**"}, m{"content": 1}},
	engine.Forward:         {m{"to": "u"}, m{"to": "  "}},
	engine.RevokeMessage:   {m{"to": "u"}, m{"to": m{}}},
	engine.UpdateCard:      {m{"to": "u", "card": m{"a": 1}}, m{"response_code": 1}},
	engine.AcceptFriend:    {m{"scene": "s"}, nil},
	engine.AddFriend:       {m{}, m{"remark": 1}},
	engine.DeleteFriend:    {m{"user": "u"}, m{"user": 1}},
	engine.SetRemark:       {m{"user": "u"}, m{"remark": 1}},
	engine.SetLabel:        {m{"user": "u", "add": []any{"vip"}}, m{"add": 1.5, "remove": []any{" "}}},
	engine.CreateGroup:     {m{"members": []any{"a", "b"}}, m{"members": m{}, "name": 1}},
	engine.AddMember:       {m{"room_id": "r", "invited_wxid": "u"}, m{"members": []any{m{}}, "invited_wxid": 1, "reason": 1}},
	engine.RemoveMember:    {m{"room_id": "r", "members": "a,b"}, m{"members": []any{nil}}},
	engine.ApproveMember:   {m{"room_id": "r"}, m{"room_id": 1}},
	engine.AcceptGroup:     {m{}, nil},
	engine.RenameGroup:     {m{"room_id": "r", "name": "n"}, m{"name": 1}},
	engine.SetAnnouncement: {m{"room_id": "r", "content": "x"}, m{"content": 1}},
	engine.SetAdmin:        {m{"room_id": "r", "user": "u"}, m{"user": 1, "on": "perhaps"}},
	engine.TransferGroup:   {m{"room_id": "r"}, m{"room_id": ""}},
	engine.LeaveGroup:      {m{"room_id": "r"}, m{"room_id": 1}},
	engine.DissolveGroup:   {m{"room_id": "r"}, m{"room_id": 1}},
	engine.HandOver:        {m{"to": "u"}, m{"to": 1}},
}

type m = map[string]any

func envelopeWith(a engine.Action, params m) string {
	b, err := json.Marshal(m{"task_id": string(a), "account_id": "shop", "action": a, "timestamp": 1772600000, "params": params})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestEveryActionIsTakenWithTheLeastThatItNeeds(t *testing.T) {
	r := newRig(t)
	for _, a := range engine.Actions() {
		r.post(envelopeWith(a, spoken[a].least)).wants(t, http.StatusAccepted, "")
		if c := r.stored(string(a)); c.Action != a || c.Conversation == "" {
			t.Errorf("%s is stored as %s in %q", a, c.Action, c.Conversation)
		}
	}
}

func TestEveryActionWithoutWhatItNeedsIsRefusedByTheFieldsName(t *testing.T) {
	r := newRig(t)
	for _, a := range engine.Actions() {
		for _, param := range slices.Concat(texts(a), needs[a], oneOf[a][:min(1, len(oneOf[a]))]) {
			params := maps.Clone(spoken[a].least)
			delete(params, param)
			for _, other := range oneOf[a] {
				if slices.Contains(oneOf[a], param) {
					delete(params, other)
				}
			}
			answer := r.post(envelopeWith(a, params))
			answer.wants(t, http.StatusBadRequest, "invalid")
			if got := r.fields(answer); !slices.Contains(got, "0 params."+param) {
				t.Errorf("%s without %s: names %q", a, param, got)
			}
		}
	}
}

func TestEveryFaultyParamOfEveryActionIsRefusedByItsName(t *testing.T) {
	r := newRig(t)
	for _, a := range engine.Actions() {
		for _, param := range slices.Sorted(maps.Keys(spoken[a].faulty)) {
			params := maps.Clone(spoken[a].least)
			params[param] = spoken[a].faulty[param]
			answer := r.post(envelopeWith(a, params))
			answer.wants(t, http.StatusBadRequest, "invalid")
			if got := r.fields(answer); !slices.Equal(got, []string{"0 params." + param}) {
				t.Errorf("%s with %s = %v: names %q", a, param, params[param], got)
			}
		}
	}
	if r.inStore() != 0 {
		t.Error("something was stored")
	}
}

func TestWhatIsTooMuchIsRefused(t *testing.T) {
	r := newRig(t)
	long := strings.Repeat("x", maxText)
	many := make([]any, maxList+1)
	for i := range many {
		many[i] = fmt.Sprint("u", i)
	}
	for name, tt := range map[string]struct {
		params m
		field  string
	}{
		"a text":         {m{"to": "u", "content": long + "x"}, "0 params.content"},
		"a list":         {m{"to": "u", "content": "x", "at": many}, "0 params.at"},
		"all of it":      {m{"to": "u", "content": "x", "a": long, "b": long, "c": long, "d": long}, "0 params"},
		"an unknown one": {m{"to": "u", "content": "x", "a": long + "x"}, "0 params.a"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := r.fields(r.post(envelopeWith(engine.SendText, tt.params))); !slices.Equal(got, []string{tt.field}) {
				t.Errorf("names %q, want %q", got, tt.field)
			}
		})
	}
}

func TestTimesOfAnEnvelope(t *testing.T) {
	r := newRig(t)
	now := r.clock.Now()
	at := func(d time.Duration) string { return fmt.Sprint(now.Add(d).Unix()) }
	text := func(d time.Duration) string { return `"` + now.Add(d).Format(time.RFC3339) + `"` }
	for _, tt := range []struct{ name, member, value, want string }{
		{"none", "timestamp", "", "timestamp"},
		{"nought", "timestamp", "0", "timestamp"},
		{"before there were such things", "timestamp", "1000", "timestamp"},
		{"below nought", "timestamp", "-5", "timestamp"},
		{"milliseconds", "timestamp", "1772600000000", "timestamp"},
		{"of the day after tomorrow", "timestamp", at(48 * time.Hour), "timestamp"},
		{"of an old retry", "timestamp", at(-48 * time.Hour), ""},
		{"later, in seconds", "not_before", at(time.Hour), ""},
		{"later, in words", "not_before", text(time.Hour), ""},
		{"none at all", "not_before", "null", ""},
		{"no time", "not_before", `"tomorrow"`, "not_before"},
		{"a time without a date", "not_before", `"09:00"`, "not_before"},
		{"later in milliseconds", "not_before", "1772600000000", "not_before"},
		{"in two years", "not_before", text(800 * 24 * time.Hour), "not_before"},
		{"a deadline", "deadline", text(time.Hour), ""},
		{"a deadline that is over", "deadline", at(-time.Second), "deadline"},
		{"a deadline that is none", "deadline", "true", "deadline"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			members := map[string]string{"timestamp": at(0), tt.member: tt.value}
			var b strings.Builder
			for name, value := range members {
				if value != "" {
					fmt.Fprintf(&b, `%q:%s,`, name, value)
				}
			}
			a := r.post(`{` + b.String() + `"task_id":` + strconv.Quote(tt.name) + `,"account_id":"shop","action":"send_text","params":{"to":"u","content":"x"}}`)
			if tt.want == "" {
				a.wants(t, http.StatusAccepted, "")
				return
			}
			if got := r.fields(a); !slices.Equal(got, []string{"0 " + tt.want}) {
				t.Errorf("names %q: %s", got, a.text)
			}
		})
	}
}

func TestADelayedCommandKeepsItsTimes(t *testing.T) {
	r := newRig(t)
	due, deadline := r.clock.Now().Add(time.Hour).Truncate(time.Second), r.clock.Now().Add(2*time.Hour).Truncate(time.Second)
	r.post(envelopeOf("t", fmt.Sprintf(`"not_before":%d,"deadline":%q`, due.Unix(), deadline.Format(time.RFC3339)))).wants(t, http.StatusAccepted, "")
	if c := r.stored("t"); !c.NotBefore.Equal(due) || !c.Deadline.Equal(deadline) {
		t.Errorf("stored with %v and %v", c.NotBefore, c.Deadline)
	}
	a := r.post(envelopeOf("u", fmt.Sprintf(`"not_before":%d,"deadline":%d`, deadline.Unix(), due.Unix())))
	if got := r.fields(a); !slices.Equal(got, []string{"0 deadline"}) {
		t.Errorf("a deadline before its time: names %q", got)
	}
}
