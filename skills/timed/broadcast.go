package timed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/render"
)

// broadcastConfig has text, or do with params, done for many.
//
//	[[schedule]]
//	name = "weekly"
//	cron = "0 10 * * mon"
//	text = "本周菜单出来啦，回复“菜单”查看。"
//	broadcast = {to = ["wxid_a", "wxid_b"], rate = "30/m"}
//
//	[[account]]
//	name = "shop"
//	channel = "generic"
//	base_url = "https://api.example.com"
type broadcastConfig struct {
	// The name of an `[[audience]]`.
	Audience string `toml:"audience"`
	// Or ids.
	To engine.List `toml:"to"`
	// How fast it is released.
	Rate engine.Rate `toml:"rate" default:"the account's pace"`
}

// key names one key of the table.
func (broadcastConfig) key(name string) string { return kind.Path("broadcast", name) }

// broadcast has one thing done for many people. The engine freezes the audience and
// releases it; a run has succeeded when that has begun.
type broadcast struct {
	order engine.BroadcastOrder
	whom  string
}

// recipientScope is what templates of a broadcast may refer to.
var recipientScope = render.Scope{Only: []string{"User", "Account", "Day", "Now"}}

func newBroadcast(d *kind.Draft, c *config) deed {
	b := &broadcast{order: engine.BroadcastOrder{
		Name: c.Name, Action: engine.SendText, Text: c.Text, Params: c.Params,
		Rate: c.Broadcast.Rate, Audience: c.Broadcast.Audience, To: c.Broadcast.To,
	}}
	b.reach(d, &c.Broadcast)
	switch text, do := d.Has("text"), d.Has("do"); {
	case text && do:
		d.Problem("do", "a broadcast does one thing: this one holds both text and do (write two schedules)")
	case text:
		b.says(d, c)
	case do:
		b.does(d, c)
	default:
		d.Problem("broadcast", `nothing says what is broadcast (text = "…", or do = "…" with params)`)
	}
	return b
}

// reach reads whom it goes to.
func (b *broadcast) reach(d *kind.Draft, c *broadcastConfig) {
	named, listed := d.Has(c.key("audience")), d.Has(c.key("to")) || d.Has(c.key("to_file"))
	switch {
	case named && listed:
		d.Problem(c.key("to"), "audience and to are two ways to say whom it reaches (keep one of them)")
	case listed:
		b.whom = fmt.Sprintf("%d", len(c.To))
		if d.Lacks(c.key("to"), len(c.To) == 0) {
			d.Problem(c.key("to"), "the audience is nobody")
		}
		for i, id := range c.To {
			if strings.TrimSpace(id) == "" {
				d.Problem(kind.Path(c.key("to"), i), "a blank id is nobody's")
			}
		}
	case !named:
		d.Problem("broadcast", `a broadcast needs an audience (broadcast = {audience = "…"}, {to = ["…"]} or {to_file = "ids.txt"})`)
	default:
		if b.whom = c.Audience; !slices.Contains(d.World.Audiences, c.Audience) && !unread(d, c.key("audience"), c.Audience) {
			d.Problem(c.key("audience"), "there is no audience %q%s", c.Audience, kind.Hint(c.Audience, d.World.Audiences))
		}
	}
}

// says reads a text.
func (b *broadcast) says(d *kind.Draft, c *config) {
	d.Text("text", c.Text, recipientScope)
	if d.Lacks("text", strings.TrimSpace(c.Text) == "") {
		d.Problem("text", "an empty text says nothing to anybody")
	}
	if d.Has("params") {
		d.Problem("params", "params go with do, not with text")
	}
	d.NeedOf(c.Account, engine.SendText, "text")
}

// does reads an action. What its params must hold beside what its platform cannot do
// without the engine asks when it is due, as of any broadcast.
func (b *broadcast) does(d *kind.Draft, c *config) {
	action, known := engine.ParseAction(c.Do)
	b.order.Action = action
	switch {
	case known:
		b.needs(d, c, action)
	case d.Lacks("do", true) || c.Do != "":
		names := make([]string, 0, len(engine.Actions()))
		for _, a := range engine.Actions() {
			names = append(names, string(a))
		}
		d.Problem("do", "unknown action %q%s", c.Do, kind.Hint(c.Do, names))
	}
	if content, ok := c.Params["content"].(string); ok && action.Speaks() {
		b.order.Text = content
		b.order.Params = without(c.Params, "content")
	}
	checkTexts(d, "params", c.Params)
}

// needs notes the action with what is given for it: the recipient is where it is done
// unless the params say where, and is then the member whom an invitation is for.
func (b *broadcast) needs(d *kind.Draft, c *config, action engine.Action) {
	place := action.Place()
	members := action == engine.AddMember || action == engine.RemoveMember
	named := c.Params["members"] != nil || c.Params["invited_wxid"] != nil
	if members && !named && c.Params[place] == nil {
		d.Problem("params", "%s needs params.%s: the group whose members the recipients are", action, place)
		d.NeedOf(c.Account, action, "do")
		return
	}
	d.Needs = append(d.Needs, kind.Need{Action: action, Key: "do", Account: c.Account, Given: func(param string) bool {
		return param == place || c.Params[param] != nil || members && !named && (param == "members" || param == "invited_wxid")
	}})
}

func without(params map[string]any, name string) map[string]any {
	rest := make(map[string]any, len(params))
	for key, v := range params {
		if key != name {
			rest[key] = v
		}
	}
	return rest
}

// checkTexts reads every text in a param as the template that it is.
func checkTexts(d *kind.Draft, key string, v any) {
	switch v := v.(type) {
	case string:
		d.Text(key, v, recipientScope)
	case []any:
		for i, one := range v {
			checkTexts(d, kind.Path(key, i), one)
		}
	case map[string]any:
		for name, one := range v {
			checkTexts(d, kind.Path(key, name), one)
		}
	}
}

// Do implements deed.
func (b *broadcast) Do(ctx context.Context, t *engine.Turn, _ *render.Data) (engine.Outcome, error) {
	if t.Broadcast == nil {
		return engine.Outcome{Note: b.String()}, nil // a rehearsal: there is nobody to send to
	}
	note, err := t.Broadcast(ctx, b.order)
	if err != nil {
		return engine.Outcome{}, errors.New("broadcast: " + strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return engine.Outcome{Note: note}, nil
}

func (b *broadcast) String() string { return "broadcast → " + b.whom }
