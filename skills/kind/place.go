package kind

import (
	"slices"
	"strings"

	"bot/engine"
)

// place sets where a skill works that does not say so: messages in private
// chats, other events wherever they happen.
func (d *Draft) place() {
	message := d.On == string(engine.Message)
	if !message && !d.Has("where") {
		d.Where = Any
	}
	if engine.Kind(d.On).InGroup() && d.Where == Private {
		d.Warn("where", "%s happens in groups only, so this skill never answers (where = \"group\")", d.On)
	}
	if engine.Kind(d.On).OfFriend() && d.Where == Group {
		d.Warn("where", "%s never happens in a group, so this skill never answers (where = \"private\")", d.On)
	}
	d.conversations("in", d.In)
	d.conversations("not_in", d.NotIn)
	if d.Has("in") && d.Has("not_in") {
		d.Problem("not_in", "in says where a skill answers, and nowhere else: not_in beside it has nothing to add")
	}
}

// conversations checks a list of ids. An empty one says either nothing or
// everything, which must not be left to guesses where a group may be left for it.
func (d *Draft) conversations(key string, ids []string) {
	if d.Has(key) && d.Lacks(key, len(ids) == 0) {
		d.Problem(key, `%s is empty: it names conversations by their ids (%s = ["12345@chatroom"]), or is left out`, key, key)
	}
	for i, id := range ids {
		if at := Path(key, i); d.Lacks(at, strings.TrimSpace(id) == "") {
			d.Problem(at, "an empty id names no conversation")
		}
	}
}

// Admits tells whether the skill answers in a conversation by its `in`, and
// ShutsOut whether it does not by its `not_in`.
func (k *Keys) Admits(conversation string) bool {
	return len(k.In) == 0 || slices.Contains(k.In, conversation)
}

// ShutsOut is the opposite of Admits for `not_in`.
func (k *Keys) ShutsOut(conversation string) bool { return slices.Contains(k.NotIn, conversation) }

// Spans tells whether the skill answers in every conversation in which other
// answers, as far as `in` and `not_in` say.
func (k *Keys) Spans(other *Keys) bool {
	switch {
	case len(k.In) > 0:
		return len(other.In) > 0 && !slices.ContainsFunc(other.In, func(id string) bool { return !k.Admits(id) })
	case len(other.In) > 0:
		return !slices.ContainsFunc(other.In, k.ShutsOut)
	}
	return !slices.ContainsFunc(k.NotIn, func(id string) bool { return !other.ShutsOut(id) })
}
