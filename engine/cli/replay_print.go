package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/replay"
)

// changed is a change as -json prints it.
type changed struct {
	Time         time.Time   `json:"time"`
	Account      string      `json:"account"`
	Conversation string      `json:"conversation"`
	Sender       string      `json:"sender"`
	Group        bool        `json:"group"`
	ID           string      `json:"id"`
	Kind         engine.Kind `json:"kind"`
	Type         string      `json:"type,omitempty"`
	Text         string      `json:"text"`
	Old          []string    `json:"old"`
	New          []string    `json:"new"`
}

func (r *replaying) change(ch replay.Change) {
	e := ch.Event
	if r.json {
		r.changes = append(r.changes, changed{
			Time: e.Received.UTC(), Account: e.Account, Conversation: e.Conversation, Sender: e.Sender, Group: e.Group,
			ID: e.ID, Kind: e.Kind, Type: e.Type, Text: e.Text, Old: append([]string{}, ch.Old...), New: append([]string{}, ch.New...),
		})
		return
	}
	at := e.Received
	if zone := r.zones[e.Account].Location; zone != nil {
		at = at.In(zone)
	}
	fmt.Fprintf(r.Out, "%s %s %s: %s\n", at.Format(time.DateTime), e.Account, who(e), indented(happened(e)))
	r.lines("-", ch.Old)
	r.lines("+", ch.New)
}

func (r *replaying) lines(mark string, lines []string) {
	if len(lines) == 0 {
		lines = []string{"(no reply)"}
	}
	for _, l := range lines {
		fmt.Fprintf(r.Out, "  %s %s\n", mark, indented(l))
	}
}

// who is who did it, and where that is not their own chat.
func who(e *engine.Event) string {
	switch e.Sender {
	case "", e.Conversation:
		return e.Conversation
	}
	return e.Sender + " in " + e.Conversation
}

func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n    ") }

// happened is an event in a few words: what was said, or its kind in brackets.
func happened(e *engine.Event) string {
	var parts []string
	switch {
	case e.Kind == engine.Expired:
		parts = append(parts, "(time limit passed)")
	case e.Kind != engine.Message:
		parts = append(parts, "("+string(e.Kind)+")")
	case e.Type != "text":
		parts = append(parts, "("+e.Type+")")
	}
	for _, m := range e.Media {
		parts = append(parts, m.Name)
	}
	parts = append(parts, e.Params["title"], e.Text)
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// finish says how it went.
func (r *replaying) finish(sum replay.Summary) {
	if r.json {
		left := sum.Left
		if left == nil {
			left = map[string]int{}
		}
		r.indented(map[string]any{
			"since": r.from.UTC(), "events": sum.Events, "changed": sum.Changed, "left_out": left, "changes": append([]changed{}, r.changes...),
		})
		return
	}
	for _, account := range slices.Sorted(maps.Keys(sum.Left)) {
		n := sum.Left[account]
		fmt.Fprintf(r.Err, "note: account %q is not in both files; its %s %s left out\n", account, many(n, "event", "events"), are(n))
	}
	verdict := "no reply changes"
	if sum.Changed > 0 {
		verdict = many(sum.Changed, "reply changes", "replies change")
	}
	fmt.Fprintf(r.Out, "%s, %s\n", many(sum.Events, "event", "events"), verdict)
}

// many counts with a comma for each thousand.
func many(n int, one, more string) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if n == 1 {
		return digits + " " + one
	}
	return digits + " " + more
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
