package skills_test

import (
	"fmt"
	"slices"
	"testing"

	"bot/engine"
	"bot/skills/skilltest"
)

func TestExplain(t *testing.T) {
	set := build(t, replies(
		`second: keywords = ["券"]`,
		`first: keywords = ["优惠券"]`,
		`rest: match = "any"`,
		`off: keywords = ["券"]; enabled = false`,
		`welcome: on = "friend_added"`,
		`vips: keywords = ["券"]; accounts = ["vip"]`,
		`groups: keywords = ["券"]; where = "group"`,
		`other: patterns = ["^x"]`,
		`here: keywords = ["券"]; in = ["room-1"]`,
		`elsewhere: keywords = ["券"]; not_in = ["u1"]`,
	)+form)
	lines := func(verdicts []engine.Verdict) []string {
		var out []string
		for _, v := range verdicts {
			sign := "-"
			if v.Won {
				sign = "+"
			}
			out = append(out, fmt.Sprintf("%s %s: %s", sign, v.Skill, v.Why))
		}
		return out
	}
	chat := skilltest.NewChat(t, set)
	group := chat.Message("券")
	group.Group, group.Mention = true, engine.MentionNone
	image := chat.Message("")
	image.Type = "image"
	own := chat.Message("券")
	own.Self = true
	for _, tt := range []struct {
		name  string
		event *engine.Event
		state engine.State
		want  []string
	}{
		{"who won and who came second, then why each other lost", chat.Message("优惠券"), engine.State{}, []string{
			`+ first: keyword "优惠券" (contains)`,
			`- second: keyword "券" (contains), beaten by "first": the longer keyword, 3 characters to 1`,
			`- rest: it answers only what nothing else matched, and "first" did`,
			`- off: it is disabled`,
			`- welcome: it answers friend_added, this is message`,
			`- vips: it is not for account "shop"`,
			`- groups: it works in groups only`,
			`- other: no keyword or pattern fits`,
			`- here: "u1" is not among its conversations (in)`,
			`- elsewhere: it does not answer in "u1" (not_in)`,
			`- form: no keyword or pattern fits`,
		}},
		{"a group message without a mention", group, engine.State{}, []string{
			`- second: it works in private chats only (set where = "any" or "group" to answer in groups)`,
			`- first: it works in private chats only (set where = "any" or "group" to answer in groups)`,
			`- rest: it works in private chats only (set where = "any" or "group" to answer in groups)`,
			`- off: it is disabled`,
			`- welcome: it answers friend_added, this is message`,
			`- vips: it is not for account "shop"`,
			`- groups: nobody mentions the bot (mention = false)`,
			`- other: it works in private chats only (set where = "any" or "group" to answer in groups)`,
			`- here: "u1" is not among its conversations (in)`,
			`- elsewhere: it does not answer in "u1" (not_in)`,
			`- form: it works in private chats only (set where = "any" or "group" to answer in groups)`,
		}},
		{"a picture", image, engine.State{}, []string{
			`+ rest: nothing else matched`,
			`- second: its keywords are for texts, this is "image"`,
			`- first: its keywords are for texts, this is "image"`,
			`- off: it is disabled`,
			`- welcome: it answers friend_added, this is message`,
			`- vips: it is not for account "shop"`,
			`- groups: it works in groups only`,
			`- other: its keywords are for texts, this is "image"`,
			`- here: "u1" is not among its conversations (in)`,
			`- elsewhere: it does not answer in "u1" (not_in)`,
			`- form: its keywords are for texts, this is "image"`,
		}},
		{"the state", chat.Message("券"), engine.State{Skill: "form", Node: "a"}, []string{
			`+ form: the conversation is with "form"`,
		}},
		{"the state of a skill that is gone", chat.Message("券"), engine.State{Skill: "old"}, []string{
			`+ old: the conversation was with "old", which is not there any more`,
		}},
		{"our own message", own, engine.State{}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := lines(set.Explain(tt.event, tt.state, engine.State{}))
			if !slices.Equal(got, tt.want) {
				t.Errorf("got:\n%q\nwant:\n%q", got, tt.want)
			}
		})
	}
}

func TestASkillIsNearWhereItsOwnWordsFitAndSomethingElseKeepsIt(t *testing.T) {
	set := build(t, replies(
		`far: keywords = ["x"]`, `near: keywords = ["hi"]`, `elsewhere: keywords = ["hi"]; accounts = ["vip"]`,
		`any: match = "any"`, `event: on = "friend_added"`, `wins: keywords = ["hi"]; where = "any"; mention = false`,
	))
	e := skilltest.NewChat(t, set).Message("hi")
	e.Group = true
	var near []string
	for _, v := range set.Explain(e, engine.State{}, engine.State{}) {
		if v.Near {
			near = append(near, v.Skill)
		}
	}
	if !slices.Equal(near, []string{"near", "elsewhere"}) {
		t.Errorf("near are %q", near)
	}
}

// What Explain says wins is what Route runs.
func TestExplainAgreesWithRoute(t *testing.T) {
	set := build(t, replies(`a: keywords = ["x"]; stop = false`, `b: keywords = ["xy"]; stop = false`, `c: keywords = ["y"]`, `d: keywords = ["xyz"]; priority = -1`))
	for _, text := range []string{"", "x", "y", "xy", "xyz"} {
		e := skilltest.NewChat(t, set).Message(text)
		won := set.Route(e, engine.State{}, engine.State{})
		i := 0
		for _, v := range set.Explain(e, engine.State{}, engine.State{}) {
			if !v.Won {
				continue
			}
			if i >= len(won) || won[i].Skill.Name() != v.Skill {
				t.Errorf("%q: %q wins, but the route is %q", text, v.Skill, chosen(won))
			}
			i++
		}
		if i != len(won) {
			t.Errorf("%q: %d win, but the route is %q", text, i, chosen(won))
		}
	}
}
