package kind

import (
	"errors"
	"slices"
	"strings"
	"time"

	"bot/engine"
	"bot/skills/render"
	"bot/skills/split"
)

// Base is the part that skills of all kinds have in common: name, delay and
// once-key. Kinds embed it. It is safe for concurrent use.
type Base struct {
	name  string
	limit int
	rest  time.Duration // between two answers in a conversation; 0: none
	delay engine.Range
	once  *render.Template
	taken *render.Template // once_reply
	keep  time.Duration
}

// Base makes the common part. What `once` and `once_reply` may refer to
// depends on when the kind grants.
func (d *Draft) Base(s render.Scope) Base {
	b := d.Voice()
	b.keep, b.rest = time.Duration(d.OnceKeep), d.Cooldown.Std()
	b.once = d.Text("once", d.Once, s)
	b.taken = d.Text("once_reply", d.OnceReply, s)
	switch {
	case d.Has("once") && d.Lacks("once", strings.TrimSpace(d.Once) == ""):
		d.Problem("once", `once is empty (once = "{{.User}}" grants each user one time)`)
	case d.Has("once") && d.Lacks("once_keep", d.OnceKeep == 0):
		d.Problem("once_keep", "a once-key that is kept for no time guards nothing")
	}
	for _, key := range []string{"once_reply", "once_keep"} {
		if d.Has(key) && !d.Has("once") {
			d.Problem(key, `%s does nothing without once (once = "{{.User}}")`, key)
		}
	}
	return b
}

// Voice is the common part without a once-key: for what speaks in a skill's name
// and grants nothing.
func (d *Draft) Voice() Base { return Base{name: d.Name, limit: d.World.Limit, delay: d.Delay} }

// Name implements engine.Skill.
func (b *Base) Name() string { return b.name }

// Due is when the answers of one turn may leave: the delay counts from the
// receipt of the event. It draws a random number; call it once for a turn.
func (b *Base) Due(t *engine.Turn) time.Time {
	if b.delay.IsZero() {
		return time.Time{}
	}
	return t.Event.Received.Add(b.delay.At(t.Chance()))
}

// Say fills a text in and makes the commands that send it: none for a nil
// template or a blank text, several for one longer than the platform takes.
func (b *Base) Say(due time.Time, text *render.Template, d *render.Data) ([]engine.Command, error) {
	return b.say(due, text, d, nil)
}

// SayTo is Say with a mention, which stands in the first command alone.
func (b *Base) SayTo(e *engine.Event, at Mention, due time.Time, text *render.Template, d *render.Data) ([]engine.Command, error) {
	return b.say(due, text, d, at.params(e))
}

func (b *Base) say(due time.Time, text *render.Template, d *render.Data, params map[string]any) ([]engine.Command, error) {
	if text == nil {
		return nil, nil
	}
	s, err := text.Execute(d)
	if err != nil {
		return nil, err
	}
	limit := d.Longest(b.limit)
	out := Texts(s, limit-room(params, limit))
	if len(out) > 0 {
		out[0].Params = params
	}
	for i := range out {
		out[i].NotBefore = due
	}
	return out, nil
}

// Texts makes the commands that send a text, each of at most limit bytes: none
// for a blank one.
func Texts(s string, limit int) (out []engine.Command) {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	for _, part := range split.Text(s, limit) {
		if strings.TrimSpace(part) != "" { // platforms refuse a message of nothing but space
			out = append(out, engine.Command{Action: engine.SendText, Text: part})
		}
	}
	return out
}

// Guard begins the outcome of a skill that gives something away, or is to rest
// between two answers: with the keys to take, none for a skill that has neither
// `once` nor `cooldown`; that of a grant comes first. Where a key is taken,
// granted is false and the outcome complete: kind words, or silence. It is for the
// time before anything is done that cannot be undone.
func (b *Base) Guard(t *engine.Turn, due time.Time, d *render.Data) (out engine.Outcome, granted bool, err error) {
	var rest []engine.Once
	if b.rest > 0 {
		key := restKey(t.Event)
		if taken, err := isTaken(t, key); err != nil || taken {
			return engine.Outcome{Note: "silent: it answered less than " + b.rest.String() + " ago"}, false, err
		}
		rest = []engine.Once{{Key: key, Keep: b.rest}}
	}
	if b.once == nil {
		out.Once = rest
		return out, true, nil
	}
	key, err := b.once.Execute(d)
	if err != nil {
		return out, false, err
	}
	if key = strings.TrimSpace(key); key == "" {
		return out, false, errors.New("grant once: the key came out empty, which would be one key for everybody")
	}
	taken, err := isTaken(t, key)
	if err != nil {
		return out, false, err
	}
	if taken {
		out.Once, out.Note = rest, "already granted"
		out.Commands, err = b.Say(due, b.taken, d)
		return out, false, err
	}
	out.Once = append([]engine.Once{{Key: key, Keep: b.keep}}, rest...)
	return out, true, nil
}

// Grants tells whether the skill has a once-key, the first of its outcome's.
func (b *Base) Grants() bool { return b.once != nil }

// isTaken tells whether a key was found taken, by an earlier commit of this turn
// or before it.
func isTaken(t *engine.Turn, key string) (bool, error) {
	if slices.Contains(t.Taken, key) {
		return true, nil
	}
	if t.Granted == nil {
		return false, nil
	}
	return t.Granted(key)
}

// restKey is taken while a skill rests in a conversation. What an operator writes
// as `once` does not begin so.
func restKey(e *engine.Event) string { return "\x00cooldown\x00" + e.Conversation + "\x00" + e.Sender }
