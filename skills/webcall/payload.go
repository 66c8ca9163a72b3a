package webcall

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"math"
	"net/url"
	"strings"

	"bot/skills/kind"
	"bot/skills/render"
)

// payload is what a request sends along.
type payload struct {
	contentType string // unless a header says another
	fill        func(d *render.Data) (string, error)
}

// payload reads body, json or form. Nil where there is none.
func (b *builder) payload(t *Table) *payload {
	given := b.given("body", "json", "form")
	if len(given) > 1 {
		b.wrong(given[1], "a request sends one thing: this one has both %s and %s", given[0], given[1])
	}
	if len(given) == 0 {
		return nil
	}
	switch given[0] {
	case "json":
		return b.json(t.JSON)
	case "form":
		return b.form(t.Form)
	}
	return b.body(t)
}

// The ways to write a text, by what it is to be read as.
func (b *builder) body(t *Table) *payload {
	contentType := ""
	for name, v := range t.Headers {
		if strings.EqualFold(name, "Content-Type") {
			contentType = strings.ToLower(v)
		}
	}
	start := strings.TrimSpace(t.Body)
	begins := func(signs string) bool { return start != "" && strings.IndexByte(signs, start[0]) >= 0 }
	switch isJSON := strings.Contains(contentType, "json") || contentType == "" && begins("{[") && !strings.HasPrefix(start, "{{"); {
	case isJSON && strings.Contains(start, "{{"):
		b.wrong("body", `a value could break out of JSON that is written as a text (json = {user = "{{.User}}"} puts it in safely)`)
	case isJSON:
		return b.plain(t.Body, "application/json")
	case strings.Contains(contentType, "x-www-form-urlencoded") && strings.Contains(start, "{{"):
		b.wrong("body", `a value could break out of a form that is written as a text (form = {user = "{{.User}}"} puts it in safely)`)
	case strings.Contains(contentType, "xml"), strings.Contains(contentType, "html"), contentType == "" && begins("<"):
		return b.markup(t.Body)
	default:
		return b.plain(t.Body, "text/plain; charset=utf-8")
	}
	return &payload{}
}

func (b *builder) plain(text, contentType string) *payload {
	t := b.text(b.at("body"), text)
	if t == nil {
		return &payload{}
	}
	return &payload{contentType, t.Execute}
}

// markup escapes values, so that they are text in an element or an attribute and
// nothing else.
func (b *builder) markup(text string) *payload {
	pieces := b.pieces("body", text, "html")
	if pieces == nil {
		return &payload{}
	}
	return &payload{"application/xml; charset=utf-8", func(d *render.Data) (string, error) {
		all, err := pieces.Execute(d)
		if err != nil {
			return "", err
		}
		var out bytes.Buffer
		for _, p := range all {
			if p.Value {
				err = xml.EscapeText(&out, []byte(p.Text))
			} else {
				out.WriteString(p.Text)
			}
		}
		return out.String(), err
	}}
}

func (b *builder) form(table map[string]string) *payload {
	fields := make(map[string]*render.Template, len(table))
	for name, text := range table {
		if t := b.text(b.at("form", name), text); t != nil {
			fields[name] = t
		}
	}
	return &payload{"application/x-www-form-urlencoded", func(d *render.Data) (string, error) {
		values := make(url.Values, len(fields))
		for name, text := range fields {
			v, err := text.Execute(d)
			if err != nil {
				return "", err
			}
			values.Set(name, v)
		}
		return values.Encode(), nil
	}}
}

func (b *builder) json(v any) *payload {
	fill := b.jsonValue(b.at("json"), v)
	if _, text := v.(string); text {
		b.wrong("json", `json is a table or a list (json = {user = "{{.User}}"}; body = '…' for JSON as a text)`)
	}
	return &payload{"application/json", func(d *render.Data) (string, error) {
		v, err := fill(d)
		if err != nil {
			return "", err
		}
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		err = e.Encode(v)
		return strings.TrimSuffix(out.String(), "\n"), err
	}}
}

// jsonValue makes a value of JSON out of one of the configuration: each text in
// it is a template.
func (b *builder) jsonValue(key string, v any) func(*render.Data) (any, error) {
	constant := func(*render.Data) (any, error) { return v, nil }
	switch v := v.(type) {
	case nil, bool, int64: // nil: it could not be read, and that has been said
		return constant
	case float64:
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			return constant
		}
	case string:
		t := b.text(key, v)
		if t == nil {
			return constant
		}
		return func(d *render.Data) (any, error) { return t.Execute(d) }
	case []any:
		return b.jsonList(key, v)
	case map[string]any:
		return b.jsonTable(key, v)
	}
	b.Problem(key, "JSON has texts, numbers, true and false, lists and tables (put anything else in quotes)")
	return constant
}

func (b *builder) jsonList(key string, list []any) func(*render.Data) (any, error) {
	items := make([]func(*render.Data) (any, error), len(list))
	for i, v := range list {
		items[i] = b.jsonValue(kind.Path(key, i), v)
	}
	return func(d *render.Data) (any, error) {
		all := make([]any, len(items))
		for i, fill := range items {
			var err error
			if all[i], err = fill(d); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
}

func (b *builder) jsonTable(key string, table map[string]any) func(*render.Data) (any, error) {
	fields := make(map[string]func(*render.Data) (any, error), len(table))
	for name, v := range table {
		fields[name] = b.jsonValue(kind.Path(key, name), v)
	}
	return func(d *render.Data) (any, error) {
		all := make(map[string]any, len(fields))
		for name, fill := range fields {
			var err error
			if all[name], err = fill(d); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
}
