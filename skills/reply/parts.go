package reply

import (
	"maps"
	"slices"
	"strings"

	"bot/engine"
	"bot/engine/nearest"
	"bot/skills/kind"
	"bot/skills/render"
)

// part is one message: a text, or something else by its address.
type part struct {
	action engine.Action
	text   *render.Template // what is said, or the address
	at     kind.Mention     // of a text
	fields []field
}

// gives tells whether the part's command has the param.
func (p part) gives(param string) bool {
	return param == "url" || slices.ContainsFunc(p.fields, func(f field) bool { return f.param == param })
}

// field is a param of the command besides the address.
type field struct {
	param  string
	text   *render.Template // nil: a number
	number int64
}

func (f field) value(data *render.Data) (any, error) {
	if f.text == nil {
		return f.number, nil
	}
	return f.text.Execute(data)
}

// sort is what a part can be: the key that says so, the action that sends it,
// and the further keys that it may have, with the params they become.
type sort struct {
	key    string
	action engine.Action
	more   map[string]string
}

// The keys whose values are no templates.
const (
	mention  = "at"
	duration = "duration"
)

var sorts = []sort{
	{"text", engine.SendText, map[string]string{mention: ""}},
	{"image", engine.SendImage, nil},
	{"file", engine.SendFile, map[string]string{"name": "name"}},
	{"voice", engine.SendVoice, map[string]string{duration: "duration"}},
	{"video", engine.SendVideo, map[string]string{duration: "duration", "cover": "cover_url"}},
	{"link", engine.SendLink, map[string]string{"title": "title", "description": "description", "cover": "cover_url"}},
}

// addTable adds the part that a table describes.
func (s *skill) addTable(d *kind.Draft, key string, v any) {
	table, ok := v.(map[string]any)
	if !ok {
		d.Problem(key, `a part is a table: {text = "…"}, {image = "…"} or {file = "…"}`)
		return
	}
	var names, known []string
	var found []sort
	for _, of := range sorts {
		names = append(names, of.key)
		if _, ok := table[of.key]; ok {
			found = append(found, of)
			known = slices.AppendSeq(known, maps.Keys(of.more))
		}
	}
	known = append(known, names...)
	unknown := false
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if !slices.Contains(known, name) {
			unknown = true
			d.Problem(key+"."+name, "unknown part %q%s", name, nearest.Hint(name, known))
		}
	}
	switch {
	case len(found) == 1:
		s.addPart(d, key, found[0], table)
	case !unknown:
		last := len(names) - 1
		d.Problem(key, "a part is one of %s and %s, not %d of them (one table each)", strings.Join(names[:last], ", "), names[last], len(found))
	}
}

// addPart adds a part of one sort, with its further keys.
func (s *skill) addPart(d *kind.Draft, key string, of sort, table map[string]any) {
	p := part{action: of.action}
	for _, name := range slices.Sorted(maps.Keys(of.more)) {
		at, v := key+"."+name, table[name]
		switch text, isText := v.(string); {
		case v == nil:
		case name == duration:
			if n, ok := v.(int64); ok && n > 0 {
				p.fields = append(p.fields, field{param: of.more[name], number: n})
				continue
			}
			d.Problem(at, "%s is a whole number of seconds (%s = 5)", name, name)
		case !isText:
			d.Problem(at, "%s is a text in quotes", name)
		case name == mention:
			p.at = d.Mentions(at, text)
		default:
			if t := d.Text(at, text, d.Seen()); t != nil {
				p.fields = append(p.fields, field{param: of.more[name], text: t})
			}
		}
	}
	if of.action == engine.SendLink && d.Lacks(key+".title", table["title"] == nil) {
		d.Problem(key, `a link needs a title ({link = "https://…", title = "…"})`)
	}
	text, ok := table[of.key].(string)
	if !ok {
		d.Problem(key+"."+of.key, "%s is a text in quotes", of.key)
		return
	}
	s.add(d, key+"."+of.key, text, p)
}

// add completes a part with its text, or address, from a key.
func (s *skill) add(d *kind.Draft, key, text string, p part) {
	if strings.TrimSpace(text) == "" {
		if d.Lacks(key, true) {
			d.Problem(key, "an empty text says nothing")
		}
		return
	}
	d.NeedWith(p.action, key, p.gives)
	p.text = d.Text(key, text, d.Seen())
	s.parts = append(s.parts, p)
}
