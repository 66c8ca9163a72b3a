package skills_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/config"
	"bot/skills"
	"bot/skills/kind"
)

// shout is a kind of skill of its own: it answers with the message in capitals
// and as many marks as its section asks for.
var shout = kind.Kind{Key: "marks", Name: "shout", New: newShouter}

type shouter struct {
	kind.Base
	marks string
}

func newShouter(d *kind.Draft) engine.Skill {
	var c struct {
		kind.Keys
		Marks int `toml:"marks"`
	}
	d.Decode(&c)
	if c.Marks < 0 || c.Marks > 10 {
		d.Problem("marks", "between 0 and 10 marks can be shouted, not %d", c.Marks)
		return nil
	}
	d.Need(engine.SendText, "marks")
	return &shouter{d.Base(d.Seen()), strings.Repeat("!", c.Marks)}
}

func (s *shouter) Handle(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
	text := strings.ToUpper(t.Event.Text) + s.marks
	return engine.Outcome{Commands: []engine.Command{{Action: engine.SendText, Text: text, NotBefore: s.Due(t)}}}, nil
}

// A kind written in Go stands beside the shipped ones: the key it holds tells
// a section apart, and all common keys work in it.
func ExampleBuild_kind() {
	cfg, err := config.Parse("bot.toml", []byte(`
[[skill]]
name = "echo"
match = "any"
marks = 3
`), func(string) (string, bool) { return "", false }, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := skills.Build([]engine.Section{cfg.Skills[0]}, skills.Options{Kinds: []kind.Kind{shout}})
	if err != nil {
		fmt.Println(err)
		return
	}
	e := &engine.Event{Account: "shop", Kind: engine.Message, Type: "text", Text: "hello", Received: time.Now()}
	for _, choice := range set.Rules(e) {
		out, err := choice.Skill.Handle(context.Background(), &engine.Turn{Event: e, Match: choice.Match})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s because %s: %s\n", choice.Skill.Name(), choice.Why, out.Commands[0].Text)
	}
	// Output: echo because nothing else matched: HELLO!!!
}
