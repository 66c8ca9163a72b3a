package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"bot/engine"
	"bot/engine/broadcast"
	"bot/engine/nearest"
)

// envelope is a command as other systems send it. TaskID, Lane, NotBefore and
// Deadline are optional; one of TraceID and TaskID must be there.
type envelope struct {
	TraceID   string
	TaskID    string
	AccountID string
	Action    string
	Timestamp int64 // unix seconds; when the caller made it
	Params    map[string]any
	Lane      string       // default push
	NotBefore moment       // it does not leave before
	Deadline  moment       // past it, it is dead
	mistyped  []fieldError // members of another type or name than they should have
}

// UnmarshalJSON does not fail: a member of the wrong type or name is noted, so that
// all bad fields of all envelopes can be named at once.
func (e *envelope) UnmarshalJSON(b []byte) error {
	var given map[string]json.RawMessage
	if json.Unmarshal(b, &given) != nil || given == nil {
		e.mistyped = []fieldError{{Field: "envelope", Message: "it must be an object"}}
		return nil
	}
	var own []string
	for _, m := range []struct {
		name, want string
		into       any
	}{
		{"trace_id", "a text", &e.TraceID},
		{"task_id", "a text", &e.TaskID},
		{"account_id", "a text", &e.AccountID},
		{"action", "a text", &e.Action},
		{"timestamp", "whole seconds since 1970, as a number", &e.Timestamp},
		{"params", "an object", &e.Params},
		{"lane", "a text", &e.Lane},
		{"not_before", aMoment, &e.NotBefore},
		{"deadline", aMoment, &e.Deadline},
	} {
		own = append(own, m.name)
		raw, ok := given[m.name]
		if !ok {
			continue
		}
		if read(raw, m.into) != nil {
			e.mistyped = append(e.mistyped, fieldError{Field: m.name, Message: "it must be " + m.want})
		}
	}
	e.mistyped = append(e.mistyped, misnamed(given, own)...)
	return nil
}

// misnamed are members that are none of an envelope's own and look like one: left
// alone, a command with a mistyped not_before would leave at once. Whatever else callers
// add is theirs.
func misnamed(given map[string]json.RawMessage, own []string) (wrong []fieldError) {
	for name := range given {
		if slices.Contains(own, name) {
			continue
		}
		if meant := nearest.Slip(name, own); meant != "" {
			wrong = append(wrong, fieldError{Field: name, Message: fmt.Sprintf("there is no such field; did you mean %q?", meant)})
		}
		if len(wrong) == maxMisnamed {
			break
		}
	}
	slices.SortFunc(wrong, func(a, b fieldError) int { return strings.Compare(a.Field, b.Field) })
	return wrong
}

// read decodes one member. Ids in params never go through float64.
func read(raw json.RawMessage, into any) error {
	if into, ok := into.(*map[string]any); ok {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		return d.Decode(into)
	}
	return json.Unmarshal(raw, into)
}

// Limits of one call, so that a request is bounded in memory and in the store.
const (
	maxBody  = 4 << 20
	maxBatch = 1000
	maxID    = 512
	// maxMisnamed is how many misnamed members of one envelope are told of.
	maxMisnamed = 20
)

// fieldError is one bad field of one envelope.
type fieldError struct {
	Index   int    `json:"index"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

// decodeEnvelopes reads one envelope or an array of them. many tells which.
// What it returns has 1 to maxBatch elements; their fields are still unchecked.
func decodeEnvelopes(body []byte) (envs []envelope, many bool, err error) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return nil, false, errors.New("the body is empty; send one envelope or an array of them")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	many = body[0] == '['
	if many {
		envs, err = decodeArray(d)
	} else {
		envs = make([]envelope, 1)
		err = d.Decode(&envs[0])
	}
	if err != nil {
		return nil, many, notJSON(err)
	}
	if _, err = d.Token(); err != io.EOF {
		return nil, many, errors.New("there is more after the end of the JSON value")
	}
	return envs, many, nil
}

// errBatch refuses an array by its length.
var errBatch = fmt.Errorf("one call carries 1 to %d envelopes", maxBatch)

// decodeArray reads element after element, so that a body of countless empty
// ones takes no more memory than one that is allowed.
func decodeArray(d *json.Decoder) ([]envelope, error) {
	var envs []envelope
	if _, err := d.Token(); err != nil { // the opening bracket
		return nil, err
	}
	for d.More() {
		if len(envs) == maxBatch {
			return nil, errBatch
		}
		var e envelope
		if err := d.Decode(&e); err != nil {
			return nil, err
		}
		envs = append(envs, e)
	}
	if _, err := d.Token(); err != nil { // the closing one
		return nil, err
	}
	if len(envs) == 0 {
		return nil, errBatch
	}
	return envs, nil
}

func notJSON(err error) error {
	if errors.Is(err, errBatch) {
		return err
	}
	return fmt.Errorf("not JSON: %w", err)
}

// taskID is the envelope's own, or else its trace id, in arrays with the index.
func (e *envelope) taskID(index int, many bool) string {
	switch {
	case e.TaskID != "":
		return e.TaskID
	case many && e.TraceID != "":
		return fmt.Sprintf("%s-%d", e.TraceID, index)
	default:
		return e.TraceID
	}
}

// taskField is the member that taskID comes from.
func (e *envelope) taskField() string {
	if e.TaskID == "" {
		return "trace_id"
	}
	return "task_id"
}

// command checks an envelope and makes a command of it; every bad field is reported.
func (e *envelope) command(index int, many bool, needs func(account string, a engine.Action) (params []string, known, able bool), now time.Time) (engine.Command, []fieldError) {
	var bad []fieldError
	for _, f := range e.mistyped {
		bad = append(bad, fieldError{index, f.Field, f.Message})
	}
	wrong := func(field, format string, args ...any) {
		if !slices.ContainsFunc(bad, func(f fieldError) bool { return f.Field == field || f.Field == "envelope" }) {
			bad = append(bad, fieldError{index, field, fmt.Sprintf(format, args...)})
		}
	}
	action, known := engine.ParseAction(e.Action)
	if !known {
		wrong("action", "there is no action %q", e.Action)
	}
	params, has, able := needs(e.AccountID, action)
	if !has {
		wrong("account_id", "there is no account %q", e.AccountID)
	} else if known && !able {
		wrong("action", "the channel of account %q has no action %q", e.AccountID, action)
	}
	id := e.taskID(index, many)
	switch {
	case id == "" || len(id) > maxID:
		wrong("task_id", "a task_id or trace_id of 1 to %d bytes is needed", maxID)
	case strings.ContainsFunc(id, unicode.IsControl):
		wrong("task_id", "it holds a control character, which no header can carry")
	case broadcast.IsTaskID(id):
		wrong(e.taskField(), "%q is what a broadcast calls a command of its own, which would not be sent; choose another id, such as x%s", id, id)
	}
	if len(e.TraceID) > maxID || strings.ContainsFunc(e.TraceID, unicode.IsControl) {
		wrong("trace_id", "it has at most %d bytes, and no control characters", maxID)
	}
	e.checkTimes(now, wrong)
	if known {
		e.checkNeeds(action, params, wrong)
	}
	checkParams(action, e.Params, wrong)
	lane := engine.LanePush
	if e.Lane != "" {
		var ok bool
		if lane, ok = engine.ParseLane(e.Lane); !ok {
			wrong("lane", "it is reply, push or bulk, not %q", e.Lane)
		}
	}
	if len(bad) > 0 {
		return engine.Command{}, bad
	}
	return engine.Command{
		TaskID: id, TraceID: e.TraceID, Account: e.AccountID, Conversation: conversation(action, e.Params, id),
		Action: action, Text: text(action, e.Params), Params: e.Params, Lane: lane, Created: now, Submitted: true,
		NotBefore: time.Time(e.NotBefore), Deadline: time.Time(e.Deadline),
	}, nil
}

// checkNeeds looks for what an action needs: everywhere, and by params on its channel.
func (e *envelope) checkNeeds(action engine.Action, params []string, wrong func(field, format string, args ...any)) {
	for _, p := range texts(action) {
		if s, ok := e.Params[p].(string); !ok || strings.TrimSpace(s) == "" {
			wrong("params."+p, "%s needs it, as a text", action)
		}
	}
	for _, p := range params {
		if engine.Blank(e.Params[p]) {
			wrong("params."+p, "%s needs it on this channel", action)
		}
	}
	if lacks(action, e.Params) {
		wrong("params."+oneOf[action][0], "%s needs one of %s", action, strings.Join(oneOf[action], ", "))
	}
}

// texts are the params that an action needs on every channel.
func texts(a engine.Action) (names []string) {
	if place := a.Place(); place != "" {
		names = append(names, place)
	}
	if a.Speaks() {
		names = append(names, "content")
	}
	return names
}

// conversation is where the command keeps its order: its target, or a place of
// its own where the action has none.
func conversation(a engine.Action, params map[string]any, taskID string) string {
	place := a.Place()
	if place == "" {
		return taskID
	}
	return params[place].(string)
}

func text(a engine.Action, params map[string]any) string {
	if !a.Speaks() {
		return ""
	}
	return params["content"].(string)
}
