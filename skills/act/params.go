package act

import (
	"fmt"
	"maps"
	"slices"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/render"
)

// param makes the value of a param out of an event.
type param func(d *render.Data) (any, error)

// newParam reads a value of the configuration: each text in it is a template,
// lists and tables stay what they are. Nil where something is wrong with it.
func newParam(d *kind.Draft, key string, v any, s render.Scope) param {
	switch v := v.(type) {
	case nil: // it could not be read, and that has been said
		return nil
	case string:
		t := d.Text(key, v, s)
		if t == nil {
			return nil
		}
		return func(data *render.Data) (any, error) { return t.Execute(data) }
	case bool, int64:
		return func(*render.Data) (any, error) { return v, nil }
	case []any:
		return listParam(d, key, v, s)
	case map[string]any:
		return tableParam(d, key, v, s)
	}
	d.Problem(key, "a param is a text, a whole number, true or false, or a list or table of these (ids and fractions stand in quotes)")
	return nil
}

// listParam leaves out what comes out empty: nobody is meant by it.
func listParam(d *kind.Draft, key string, list []any, s render.Scope) param {
	var items []param
	for i, one := range list {
		if p := newParam(d, kind.Path(key, i), one, s); p != nil {
			items = append(items, p)
		}
	}
	return func(data *render.Data) (any, error) {
		all := make([]any, 0, len(items))
		for _, make := range items {
			v, err := make(data)
			if err != nil {
				return nil, err
			}
			if !engine.Blank(v) {
				all = append(all, v)
			}
		}
		return all, nil
	}
}

func tableParam(d *kind.Draft, key string, table map[string]any, s render.Scope) param {
	fields := newParams(d, key, table, s)
	return func(data *render.Data) (any, error) { return fields.fill(data) }
}

// params are those of an action, by name.
type params map[string]param

func newParams(d *kind.Draft, key string, table map[string]any, s render.Scope) params {
	all := make(params, len(table))
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if p := newParam(d, kind.Path(key, name), table[name], s); p != nil {
			all[name] = p
		}
	}
	return all
}

func (p params) fill(data *render.Data) (map[string]any, error) {
	all := make(map[string]any, len(p))
	for name, make := range p {
		v, err := make(data)
		if err != nil {
			return nil, fmt.Errorf("params.%s: %w", name, err)
		}
		all[name] = v
	}
	return all, nil
}

// carried is what the platform wants back of its event.
func carried(e *engine.Event) map[string]any {
	all := make(map[string]any, len(e.Params))
	for name, v := range e.Params {
		if v != "" {
			all[name] = v
		}
	}
	return all
}
