package broadcast

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"bot/engine"
)

// fill makes the command of a recipient. What it makes has no task id yet.
type fill struct {
	b      *Broadcast
	text   engine.BroadcastTemplate
	alone  bool // the platform takes one member at a time
	params map[string]value
}

// value makes a param of a recipient.
type value func(r engine.Recipient) (any, error)

// compile reads a broadcast's templates. What is wrong with them is added to wrong.
func compile(b *Broadcast, a Account, parse func(text string) (engine.BroadcastTemplate, error), wrong *Problems) *fill {
	c := compiler{parse, wrong}
	f := &fill{b: b, params: make(map[string]value, len(b.Params))}
	f.alone = a.Takes != nil && slices.Contains(a.Takes(b.Action), "invited_wxid")
	f.text = c.template("text", b.Text)
	for _, name := range slices.Sorted(maps.Keys(b.Params)) {
		f.params[name] = c.value("params."+name, b.Params[name])
	}
	return f
}

type compiler struct {
	parse func(text string) (engine.BroadcastTemplate, error)
	wrong *Problems
}

func (c compiler) template(field, text string) engine.BroadcastTemplate {
	t, err := c.parse(text)
	if err != nil {
		*c.wrong = append(*c.wrong, Problem{field, err.Error()})
		return func(engine.Recipient) (string, error) { return "", nil }
	}
	return t
}

// value reads a param: each text in it is a template, all else stays what it is.
func (c compiler) value(field string, v any) value {
	switch v := v.(type) {
	case string:
		t := c.template(field, v)
		return func(r engine.Recipient) (any, error) { return t(r) }
	case []any:
		items := make([]value, len(v))
		for i := range v {
			items[i] = c.value(field+"["+strconv.Itoa(i)+"]", v[i])
		}
		return func(r engine.Recipient) (any, error) {
			all := make([]any, len(items))
			for i, item := range items {
				var err error
				if all[i], err = item(r); err != nil {
					return nil, err
				}
			}
			return all, nil
		}
	case map[string]any:
		items := make(map[string]value, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			items[name] = c.value(field+"."+name, v[name])
		}
		return func(r engine.Recipient) (any, error) { return fillAll(items, r) }
	}
	return func(engine.Recipient) (any, error) { return v, nil }
}

func fillAll(items map[string]value, r engine.Recipient) (map[string]any, error) {
	all := make(map[string]any, len(items))
	for name, item := range items {
		v, err := item(r)
		if err != nil {
			return nil, err
		}
		all[name] = v
	}
	return all, nil
}

// command makes what is done for a recipient. Where the params do not say where,
// it is done to the recipient; members of a group that are not named are the
// recipient, too.
func (f *fill) command(r engine.Recipient) (engine.Command, error) {
	params, err := fillAll(f.params, r)
	if err != nil {
		return engine.Command{}, err
	}
	c := engine.Command{Account: f.b.Account, Action: f.b.Action, Params: params, Lane: engine.LaneBulk, Conversation: r.User}
	if c.Text, err = f.text(r); err != nil {
		return engine.Command{}, err
	}
	if f.b.Action.Speaks() && strings.TrimSpace(c.Text) == "" {
		return engine.Command{}, errEmpty
	}
	if place := f.b.Action.Place(); place != "" {
		if params[place] == nil {
			params[place] = r.User
		}
		to, ok := params[place].(string)
		if !ok || badID(to) != "" {
			return engine.Command{}, fmt.Errorf("params.%s is no id", place)
		}
		c.Conversation = to
	}
	if byMembers(f.b.Action) && params["members"] == nil && params["invited_wxid"] == nil && c.Conversation != r.User {
		if f.alone {
			params["invited_wxid"] = r.User
		} else {
			params["members"] = []any{r.User}
		}
	}
	return c, nil
}

var errEmpty = errors.New("the text came out empty")

func byMembers(a engine.Action) bool { return a == engine.AddMember || a == engine.RemoveMember }

// differs tells whether two recipients get something different at all: where the
// params say where it is done, nothing else does.
func (f *fill) differs(r engine.Recipient) bool {
	one, other := r, r
	one.User, other.User = "recipient-1", "recipient-2"
	a, errA := f.command(one)
	b, errB := f.command(other)
	if place := f.b.Action.Place(); place == "" {
		a.Conversation, b.Conversation = "", ""
	}
	return errA != nil || errB != nil || !reflect.DeepEqual(a, b)
}
