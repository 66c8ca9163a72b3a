package form_test

import (
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/skills"
	"bot/skills/skilltest"
)

const acting = `
[[skill]]
name = "f"
keywords = ["开始"]
cancel = ["取消"]
where = "any"
delay = "2s"
once = "{{.Data.a}}"
once_reply = "领过了"
done = "好"
[[skill.step]]
save = "a"
ask = "A？"
[[skill.then]]
do = "set_label"
params = {add = ["{{.Data.a}}"]}
[[skill.then]]
text = "{{.User}} 填了 {{.Data.a}}"
to = "staff"
[[skill.then]]
text = "抄送"
to = "boss"
account = "desk"
[[skill.then]]
do = "add_member"
params = {room_id = "vip", members = ["{{.User}}"]}
`

func TestWhatIsDoneAtTheEnd(t *testing.T) {
	set, err := skills.Build(skilltest.Parse(t, acting).Sections, skills.Options{Accounts: []string{"shop", "desk"}})
	if err != nil {
		t.Fatal(err)
	}
	skilltest.Try(t, "after the reply, in the order of the file, and not when the key was taken", set, `
		user 开始
		bot  A？
		user x
		bot  好
		bot  [set_label {"add":["x"]}]
		bot  → staff: u1 填了 x
		bot  → desk/boss: 抄送
		bot  → vip: [add_member {"members":["u1"],"room_id":"vip"}]
		user 开始
		bot  A？
		user x
		bot  领过了`)
	skilltest.Try(t, "nothing is done when the form is left", set, "user 开始\nbot A？\nuser 取消\nbot 已取消。⏎Cancelled.")
	t.Run("all of it waits as the reply does, and what goes elsewhere is no reply", func(t *testing.T) {
		chat := skilltest.NewChat(t, set)
		chat.Say("开始")
		for i, c := range chat.Do(chat.Message("x")) {
			if want := skilltest.Start.Add(2 * time.Second); !c.NotBefore.Equal(want) {
				t.Errorf("command %d leaves at %s, want %s", i, c.NotBefore, want)
			}
			if push := c.Conversation == "staff" || c.Conversation == "boss"; push != (c.Lane == engine.LanePush) {
				t.Errorf("command %d is of the lane %s", i, c.Lane)
			}
		}
	})
	t.Run("what cannot be done is noted, and the rest is", func(t *testing.T) {
		set := build(t, strings.NewReplacer(`account = "desk"`, "", `to = "boss"`, `to = "{{.Actor}}"`, `add = ["{{.Data.a}}"]`, `add = ["{{.Actor}}"]`).Replace(acting))
		chat := skilltest.NewChat(t, set)
		chat.Say("开始")
		s := chat.States[engine.StateKey{Account: "shop", Conversation: "u1", Sender: "u1"}]
		e := chat.Message("x")
		out, err := set.Route(e, s, engine.State{})[0].Skill.Handle(t.Context(), &engine.Turn{Event: e, State: s, Chance: func() float64 { return 0 }})
		if err != nil {
			t.Fatal(err)
		}
		if out.Note != "done; set_label not done: params.add came out empty; no message: to came out empty" || len(out.Commands) != 3 {
			t.Errorf("note %q, %q", out.Note, skilltest.Texts(out.Commands))
		}
	})
}

func TestProblemsOfWhatIsDoneAtTheEnd(t *testing.T) {
	const head = "[[skill]]\nname = \"f\"\nkeywords = [\"开始\"]\n[[skill.step]]\nsave = \"a\"\nask = \"A？\"\n[[skill.then]]\n"
	for _, tt := range []struct{ name, toml, want string }{
		{"nothing", "", `bot.toml:7:9: skill "f": a [[skill.then]] does one thing`},
		{"two things", "do = \"set_label\"\nparams = {add = [\"x\"]}\ntext = \"x\"\nto = \"y\"", `a [[skill.then]] does one thing`},
		{"an action that there is not", `do = "set_lable"`, `bot.toml:8:6: skill "f": unknown action "set_lable" (did you mean "set_label"?)`},
		{"an action without its params", `do = "set_label"`, `bot.toml:8:6: skill "f": set_label needs params = {add = …} or {remove = …}`},
		{"an action that answers something else", `do = "accept_friend"`, `only a friend request can be accepted`},
		{"a group's action in private", `do = "leave_group"`, `leave_group is done to a group, and there is none here`},
		{"what people ask for themselves", `do = "unsubscribe"`, `unsubscribe is what a skill of its own does`},
		{"a param over what no step saves", "do = \"set_label\"\nparams = {add = [\"{{.Data.b}}\"]}", `bot.toml:9:18: skill "f": bad template: no step saves "b"`},
		{"a param over the match, which is gone", "do = \"set_label\"\nparams = {add = [\"{{index .Match 0}}\"]}", `there is no .Match here`},
		{"a text to nobody", `text = "x"`, `a text needs the id of the conversation it goes to`},
		{"a blank text", "text = \" \"\nto = \"y\"", `an empty text says nothing`},
		{"an account that there is not", "text = \"x\"\nto = \"y\"\naccount = \"shp\"", `bot.toml:10:11: skill "f": there is no account "shp" (did you mean "shop"?)`},
		{"params of a text", "text = \"x\"\nto = \"y\"\nparams = {a = \"b\"}", `params does nothing without do`},
		{"a place of an action", "do = \"set_label\"\nparams = {add = [\"x\"]}\nto = \"y\"", `to does nothing without text`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := skills.Build(skilltest.Parse(t, head+tt.toml).Sections, skills.Options{Accounts: []string{"shop"}})
			got := skilltest.Problems(err)
			if len(got) != 1 || !strings.Contains(got[0], tt.want) {
				t.Errorf("problems %q, want %q", got, tt.want)
			}
		})
	}
}
