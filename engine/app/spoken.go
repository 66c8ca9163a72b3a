package app

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"bot/engine"
)

// spokenParams are the params of actions that the other side reads, besides
// Command.Text. Addresses, ids and files are not among them, nor remarks and
// labels, which only the account's own people see, nor what is forwarded as it
// was received.
var spokenParams = map[engine.Action][]string{
	engine.SendText:     {"at_names"},
	engine.SendMarkdown: {"at_names"},
	engine.SendFile:     {"name", "fileName", "filename"},
	engine.SendVideo:    {"title", "description"},
	engine.SendLink:     {"title", "description", "desc"},
	engine.SendContact:  {"name"},
	engine.SendMiniapp:  {"title", "displayName", "description", "content_item"},
	engine.SendLocation: {"title", "address"},
	engine.SendCard:     {"card"},
	engine.UpdateCard:   {"card", "button"},
	engine.AddFriend:    {"content", "greeting", "verify"},
	engine.CreateGroup:  {"name"},
	engine.AddMember:    {"reason"},
	engine.RenameGroup:  {"name"},
}

// spokenKeys are the keys of an object within a param, such as a card, under
// which people read something.
var spokenKeys = []string{"title", "desc", "description", "text", "content", "name", "keyname", "value", "sub_title_text", "quote_text"}

// reworded is the command with all that it says put through change, or the
// command itself where that changes nothing. It is never written to.
func reworded(c *engine.Command, change func(string) string) *engine.Command {
	r := rewording{change: change}
	text := r.text(c.Text)
	said := make(map[string]any)
	for _, name := range spokenParams[c.Action] {
		if v, there := c.Params[name]; there {
			said[name] = r.param(name, v)
		}
	}
	if !r.changed {
		return c
	}
	other := *c
	other.Text = text
	if len(said) > 0 {
		other.Params = maps.Clone(c.Params)
		maps.Copy(other.Params, said)
	}
	return &other
}

// rewording puts texts through a change and notes whether one became another.
type rewording struct {
	change  func(string) string
	keys    []string
	changed bool
}

func (r *rewording) text(s string) string {
	if s == "" {
		return ""
	}
	other := r.change(s)
	r.changed = r.changed || other != s
	return other
}

func (r *rewording) param(name string, v any) any {
	r.keys = spokenKeys
	switch card, ok := v.(string); {
	case name == "content_item": // a table with two columns
		r.keys = []string{"key", "value"}
	case name == "card" && ok:
		return r.written(card)
	}
	return r.value(v, true)
}

// value is a value like v, which stays as it is. read says that people read the
// texts in it; where they do not, some of an object's may be under keys that they
// do.
func (r *rewording) value(v any, read bool) any {
	switch v := v.(type) {
	case string:
		if read {
			return r.text(v)
		}
	case []string:
		all := slices.Clone(v)
		for i := range all {
			if read {
				all[i] = r.text(all[i])
			}
		}
		return all
	case []any:
		all := slices.Clone(v)
		for i := range all {
			all[i] = r.value(all[i], read)
		}
		return all
	case map[string]any:
		all := maps.Clone(v)
		for key, in := range v {
			all[key] = r.value(in, slices.Contains(r.keys, key))
		}
		return all
	}
	return v
}

// written is a card that is written out. One that is no JSON is all text.
func (r *rewording) written(card string) string {
	var object map[string]any
	d := json.NewDecoder(strings.NewReader(card))
	d.UseNumber()
	if d.Decode(&object) != nil || object == nil {
		return r.text(card)
	}
	in := rewording{change: r.change, keys: r.keys}
	other := in.value(object, true)
	if !in.changed {
		return card // as it was written
	}
	r.changed = true
	out, err := json.Marshal(other)
	if err != nil {
		return card // cannot be: it came from JSON
	}
	return string(out)
}
