package timed_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/skills"
	"bot/skills/skilltest"
)

// now is when all configurations here are read: 2026-03-02 09:00 in Shanghai.
var now = skilltest.Start

func shanghai(string) *time.Location { return time.FixedZone("Asia/Shanghai", 8*3600) }

func build(c skilltest.Config, accounts ...string) (*skills.Set, error) {
	if len(accounts) == 0 {
		accounts = []string{"shop"}
	}
	return skills.Build(c.Sections, skills.Options{
		Accounts: accounts, Schedules: c.Schedules, Audiences: []string{"vip"}, Location: shanghai, Now: func() time.Time { return now },
		Can: func(_ string, a engine.Action) bool { return a != engine.SetAdmin },
		Takes: func(_ string, a engine.Action) []string {
			return map[engine.Action][]string{engine.SendFile: {"url"}, engine.AddMember: {"invited_wxid"}}[a]
		},
	})
}

// due puts a run of each schedule before the set and writes down what comes of
// it, and how it was remembered.
func due(t *testing.T, set *skills.Set) (said []string, notes []string) {
	t.Helper()
	chat := skilltest.NewChat(t, set)
	for _, s := range set.Schedules() {
		e := s.DueEvent("1", now)
		e.Received = now
		for _, c := range chat.Do(e) {
			said = append(said, strings.TrimSpace(fmt.Sprintf("%s %s→ %s %s %v", c.Lane, c.Action, c.Conversation, c.Text, c.Params)))
		}
		for _, r := range engine.Runs(chat.Notes[[2]string{s.Skill, engine.RunsKey}].Value) {
			notes = append(notes, string(r.State)+": "+r.Note)
		}
	}
	return said, notes
}

func TestWhatASchedulesDoes(t *testing.T) {
	for _, tt := range []struct {
		name, toml   string
		says, remind []string
	}{
		{"a text is pushed", `text = "早，今天 {{.Day}}"` + "\n" + `to = "room@chatroom"`,
			[]string{"push send_text→ room@chatroom 早，今天 2026-03-02 map[]"}, []string{"succeeded: text → room@chatroom"}},
		{"a text that comes out empty is none", `text = "{{if eq .Day \"x\"}}x{{end}}"` + "\n" + `to = "r"`, nil,
			[]string{"succeeded: nothing said: text came out empty"}},
		{"an action is taken on whom to names", `do = "rename_group"` + "\n" + `to = "r"` + "\n" + `params = {name = "群 {{.Day}}"}`,
			[]string{"push rename_group→ r  map[name:群 2026-03-02]"}, []string{"succeeded: rename_group → r"}},
		{"or whom its own param names", `do = "set_announcement"` + "\n" + `params = {room_id = "r", content = "放假"}`,
			[]string{"push set_announcement→ r 放假 map[room_id:r]"}, []string{"succeeded: set_announcement"}},
		{"or nobody that is known before", `do = "create_group"` + "\n" + `params = {members = ["a", "b"]}`,
			[]string{"push create_group→   map[members:[a b]]"}, []string{"succeeded: create_group"}},
		{"an event is answered by a skill", `event = {conversation = "u7", text = "该喝水了"}`,
			[]string{"reply send_text→ u7 u7: 该喝水了 map[]"}, []string{"succeeded: event in u7"}},
		{"in a group nobody is meant by it", `event = {conversation = "r@chatroom", group = true, text = "开会"}`,
			[]string{"reply send_text→ r@chatroom : 开会 map[]"}, []string{"succeeded: event in r@chatroom"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set, err := build(skilltest.Parse(t, "[[skill]]\nname = \"hears\"\non = \"scheduled\"\nreply = \"{{.User}}: {{.Text}}\"\n"+
				"[[schedule]]\nname = \"s\"\ncron = \"0 9 * * *\"\n"+tt.toml))
			if err != nil {
				t.Fatal(err)
			}
			said, notes := due(t, set)
			if !slices.Equal(said, tt.says) || !slices.Equal(notes, tt.remind) {
				t.Errorf("said %q, remembered %q; want %q, %q", said, notes, tt.says, tt.remind)
			}
		})
	}
}

// handle gives one event to the skill of the only schedule.
func handle(t *testing.T, set *skills.Set, e *engine.Event) (engine.Outcome, error) {
	t.Helper()
	choices := set.Route(e, engine.State{}, engine.State{})
	if len(choices) != 1 {
		t.Fatalf("%d skills answer", len(choices))
	}
	return choices[0].Skill.Handle(t.Context(), &engine.Turn{
		Event: e, Account: engine.Account{Name: "shop"}, Recall: func(string) (string, error) { return "", nil },
	})
}

func TestACallThatDoesNotSucceedIsARunThatFailed(t *testing.T) {
	status := http.StatusNoContent
	var keys []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		w.WriteHeader(status)
	}))
	defer server.Close()
	set, err := build(skilltest.Parse(t, "[[schedule]]\nname = \"sync\"\ncron = \"0 4 * * *\"\nhttp = {url = \""+server.URL+"/sync\", retries = 0, body = \"{{.Day}}\"}"))
	if err != nil {
		t.Fatal(err)
	}
	e := set.Schedules()[0].DueEvent("1", now)
	e.Received = now
	out, err := handle(t, set, e)
	if err != nil || out.Note != "http 204" || len(out.Notes) != 1 {
		t.Errorf("%+v, %v", out, err)
	}
	status = http.StatusConflict
	if _, err = handle(t, set, e); err == nil || !strings.Contains(err.Error(), "web service: status 409") {
		t.Errorf("%v", err)
	}
	if len(keys) != 2 || keys[0] == "" || keys[0] != keys[1] {
		t.Errorf("the keys %q are not one", keys)
	}
	if c := set.Route(e, engine.State{}, engine.State{})[0]; !c.Waits || c.Concurrency == 0 {
		t.Error("it waits for another system and does not say so")
	}
}

func TestWhatIsDoneToNobodyIsARunThatFailed(t *testing.T) {
	for _, toml := range []string{
		"do = \"leave_group\"\nto = \"{{if eq .Day `x`}}r{{end}}\"",
		"do = \"leave_group\"\nparams = {room_id = \"{{if eq .Day `x`}}r{{end}}\"}",
		"do = \"set_remark\"\nparams = {user = \"{{if eq .Day `x`}}r{{end}}\", remark = \"x\"}",
		"text = \"x\"\nto = \"{{if eq .Day `x`}}r{{end}}\"",
		"event = {conversation = \"{{if eq .Day `x`}}r{{end}}\"}",
	} {
		set, err := build(skilltest.Parse(t, "[[schedule]]\nname = \"s\"\n"+daily+toml))
		if err != nil {
			t.Fatal(err)
		}
		if out, err := handle(t, set, set.Schedules()[0].DueEvent("1", now)); err == nil {
			t.Errorf("%s: %+v", toml, out)
		}
	}
}

func TestOnlyItsOwnScheduleAnswersAnEvent(t *testing.T) {
	set, err := build(skilltest.Parse(t, `
[[skill]]
name = "everything"
match = "any"
reply = "x"
[[skill]]
name = "scheduled"
on = "scheduled"
reply = "y"
[[schedule]]
name = "a"
cron = "0 9 * * *"
text = "A"
to = "r"
[[schedule]]
name = "b"
cron = "0 9 * * *"
text = "B"
to = "r"
[[schedule]]
name = "off"
enabled = false
cron = "0 9 * * *"
text = "C"
to = "r"`))
	if err != nil {
		t.Fatal(err)
	}
	said, _ := due(t, set)
	if want := []string{"push send_text→ r A map[]", "push send_text→ r B map[]"}; !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
	gone := engine.Schedule{Name: "gone"}
	if c := set.Route(gone.DueEvent("1", now), engine.State{}, engine.State{}); len(c) > 0 {
		t.Errorf("%s answers for one that is gone", c[0].Skill.Name())
	}
}

func TestTheTimesOfASchedule(t *testing.T) {
	for _, tt := range []struct{ name, toml, when, next string }{
		{"in the account's zone", `cron = "0  9 * * mon-fri"`, "0 9 * * mon-fri Asia/Shanghai", "2026-03-03 09:00 +0800"},
		{"in its own", `cron = "0 9 * * *"` + "\n" + `timezone = "Europe/Berlin"`, "0 9 * * * Europe/Berlin", "2026-03-02 09:00 +0100"},
		{"one time", `at = "2026-12-24 09:00"`, "2026-12-24 09:00 Asia/Shanghai", "2026-12-24 09:00 +0800"},
		{"one time that is over", `at = "2026-01-24 09:00"`, "2026-01-24 09:00 Asia/Shanghai", "0001-01-01 00:00 +0000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set, err := build(skilltest.Parse(t, "[[schedule]]\nname = \"s\"\ntext = \"x\"\nto = \"r\"\n"+tt.toml))
			if err != nil {
				t.Fatal(err)
			}
			s := set.Schedules()[0]
			if next := s.Next(now).Format("2006-01-02 15:04 -0700"); s.When != tt.when || next != tt.next {
				t.Errorf("%q comes %s, want %q, %s", s.When, next, tt.when, tt.next)
			}
		})
	}
}

func TestATimeThatIsOverIsWorthAWarning(t *testing.T) {
	c := skilltest.Parse(t, "[[schedule]]\nname = \"s\"\ntext = \"x\"\nto = \"r\"\nat = \"2026-01-24 09:00\"")
	if _, err := build(c); err != nil {
		t.Fatal(err)
	}
	want := `bot.toml:5:6: schedule "s": 2026-01-24 09:00 is over, so this never comes any more, if it has not come`
	if got := c.Warnings(); !slices.Equal(got, []string{want}) {
		t.Errorf("warns %q", got)
	}
}

const (
	daily = "cron = \"0 9 * * *\"\n"
	hello = "text = \"x\"\nto = \"r\"\n"
)

func TestABroadcastNamesItsRecipientsByItself(t *testing.T) {
	for name, what := range map[string]string{
		"a member of a group":             "do = \"add_member\"\nparams = {room_id = \"1@chatroom\"}",
		"groups that somebody is to join": "do = \"add_member\"\nparams = {invited_wxid = \"wxid_x\"}",
		"whom a file is for":              "do = \"send_file\"\nparams = {url = \"https://x/{{.User}}.pdf\"}",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := build(skilltest.Parse(t, "[[schedule]]\nname = \"s\"\n"+daily+what+"\nbroadcast = {to = [\"a\"]}")); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWhatIsWrongWithAScheduleIsSaid(t *testing.T) {
	for _, tt := range []struct {
		name, toml string
		want       []string // with the place, from the third line on
	}{
		{"a bad field", "cron = \"0 25 * * *\"\n" + hello, []string{`bot.toml:3:8: schedule "s": the hour "25", at character 3, is none (0-23; * for every, 1,15 for some, 2-5 for a range, */2 for every other)`}},
		{"a line that never comes", "cron = \"0 0 30 2 *\"\n" + hello, []string{`bot.toml:3:8: schedule "s": "0 0 30 2 *" never comes: no such month has such a day`}},
		{"a cron line that is a number", "cron = 5\n" + hello, []string{`bot.toml:3:8: schedule "s": cron: expected a string, found the integer 5`}},
		{"no time", hello, []string{`bot.toml:1:3: schedule "s": a schedule has either cron (cron = "0 9 * * mon-fri") or at (at = "2026-12-24 09:00")`}},
		{"two times", daily + "at = \"2026-12-24 09:00\"\n" + hello, []string{`bot.toml:1:3: schedule "s": a schedule has either cron`}},
		{"a date alone", "at = \"2026-12-24\"\n" + hello, []string{`bot.toml:3:6: schedule "s": "2026-12-24" is no date and time (at = "2026-12-24 09:00")`}},
		{"a day that there is not", "at = \"2026-02-30 09:00\"\n" + hello, []string{`bot.toml:3:6: schedule "s": "2026-02-30 09:00" is no date and time`}},
		{"an unknown zone", daily + "timezone = \"Asia/Beijing\"\n" + hello, []string{`bot.toml:4:12: schedule "s": there is no timezone "Asia/Beijing" (like "Asia/Shanghai" or "UTC")`}},
		{"the machine's zone", daily + "timezone = \"Local\"\n" + hello, []string{`there is no timezone "Local"`}},
		{"an unknown policy", daily + "missed = \"all\"\n" + hello, []string{`bot.toml:4:10: schedule "s": unknown missed "all" ("skip": a time that was missed is left out; "once": made up for by one run)`}},
		{"an unknown account", daily + "account = \"shpo\"\n" + hello, []string{`bot.toml:4:11: schedule "s": there is no account "shpo" (did you mean "shop"?)`}},
		{"an unknown key", daily + "texts = \"x\"\n" + hello, []string{`bot.toml:4:1: schedule "s": unknown key "texts" (did you mean "text"?)`}},
		{"nothing to do", daily, []string{`bot.toml:1:3: schedule "s": nothing says what this schedule does`}},
		{"two things to do", daily + hello + "do = \"leave_group\"", []string{`bot.toml:6:6: schedule "s": a schedule does one thing: this one holds both text and do (write two schedules)`}},
		{"a text to nobody", daily + "text = \"x\"", []string{`schedule "s": a text needs the id of the conversation it goes to (to = "12345@chatroom")`}},
		{"an empty text", daily + "text = \" \"\nto = \"r\"", []string{`bot.toml:4:8: schedule "s": an empty text says nothing to anybody`}},
		{"a bad template", daily + "text = \"{{.Nmae}}\"\nto = \"r\"", []string{`bot.toml:4:8: schedule "s": bad template: `}},
		{"an unknown action", daily + "do = \"leave_gruop\"\nto = \"r\"", []string{`bot.toml:4:6: schedule "s": unknown action "leave_gruop" (did you mean "leave_group"?)`}},
		{"an action without its params", daily + "do = \"rename_group\"\nto = \"r\"", []string{`bot.toml:4:6: schedule "s": rename_group needs params = {name = …}`}},
		{"an action on nobody", daily + "do = \"leave_group\"", []string{`bot.toml:4:6: schedule "s": leave_group needs the id of whom or what it is done to (to = "…")`}},
		{"a bad template for whom", daily + "do = \"leave_group\"\nto = \"{{.Rom}}\"", []string{`bot.toml:5:6: schedule "s": bad template: `}},
		{"a slip in an action on nobody", daily + "do = \"leave_gruop\"", []string{`bot.toml:4:6: schedule "s": unknown action "leave_gruop"`}},
		{"to beside what is done to nobody", daily + "do = \"create_group\"\nto = \"r\"\nparams = {members = [\"a\"]}", []string{`bot.toml:5:6: schedule "s": create_group is done to nobody in particular`}},
		{"an action on two", daily + "do = \"leave_group\"\nto = \"r\"\nparams = {room_id = \"q\"}", []string{`bot.toml:5:6: schedule "s": to and params.room_id are one and the same (keep one of them)`}},
		{"an action that the platform lacks", daily + "do = \"set_admin\"\nto = \"r\"\nparams = {user = \"u\"}", []string{`bot.toml:4:6: schedule "s": the platform of account "shop" cannot set_admin`}},
		{"what a reply does", daily + "do = \"send_text\"\nto = \"r\"", []string{`bot.toml:4:6: schedule "s": send_text is what a reply does`}},
		{"what people ask for", daily + "do = \"unsubscribe\"", []string{`bot.toml:4:6: schedule "s": unsubscribe is what people ask for themselves`}},
		{"what answers a request", daily + "do = \"accept_friend\"", []string{`bot.toml:4:6: schedule "s": only a friend request can be accepted`}},
		{"params without do", daily + hello + "params = {a = 1}", []string{`bot.toml:6:10: schedule "s": params does nothing beside text`}},
		{"to beside http", daily + "to = \"r\"\nhttp = {url = \"https://a.example/\"}", []string{`bot.toml:4:6: schedule "s": to does nothing beside http`}},
		{"a call nowhere", daily + "http = {}", []string{`schedule "s": `}},
		{"an event nowhere", daily + "event = {text = \"x\"}", []string{`bot.toml:4:9: schedule "s": an event happens in a conversation`}},
		{"a broadcast of nothing", daily + "broadcast = {to = [\"a\"]}", []string{`bot.toml:4:13: schedule "s": nothing says what is broadcast`}},
		{"a broadcast to nobody", daily + "text = \"x\"\nbroadcast = {}", []string{`bot.toml:5:13: schedule "s": a broadcast needs an audience`}},
		{"a broadcast to no names", daily + "text = \"x\"\nbroadcast = {to = []}", []string{`schedule "s": the audience is nobody`}},
		{"a broadcast to a blank id", daily + "text = \"x\"\nbroadcast = {to = [\"a\", \" \"]}", []string{`schedule "s": a blank id is nobody's`}},
		{"a broadcast to an unknown audience", daily + "text = \"x\"\nbroadcast = {audience = \"vpi\"}", []string{`schedule "s": there is no audience "vpi" (did you mean "vip"?)`}},
		{"a broadcast to two audiences", daily + "text = \"x\"\nbroadcast = {audience = \"vip\", to = [\"a\"]}", []string{`schedule "s": audience and to are two ways`}},
		{"a broadcast at no rate", daily + "text = \"x\"\nbroadcast = {to = [\"a\"], rate = \"0/s\"}", []string{`"0/s" is not a rate above zero`}},
		{"a broadcast of two things", daily + "text = \"x\"\ndo = \"set_label\"\nbroadcast = {to = [\"a\"]}", []string{`schedule "s": a broadcast does one thing`}},
		{"a broadcast of an unknown action", daily + "do = \"set_lable\"\nbroadcast = {to = [\"a\"]}", []string{`schedule "s": unknown action "set_lable" (did you mean "set_label"?)`}},
		{"a broadcast without what its platform needs", daily + "do = \"send_file\"\nparams = {name = \"x\"}\nbroadcast = {to = [\"a\"]}", []string{`send_file on the platform of account "shop" needs the param url as well`}},
		{"an invitation to no group", daily + "do = \"add_member\"\nbroadcast = {to = [\"a\"]}", []string{`schedule "s": add_member needs params.room_id: the group whose members the recipients are`}},
		{"a broadcast that shows what nobody said", daily + "text = \"{{.Text}}\"\nbroadcast = {to = [\"a\"]}", []string{`schedule "s": bad template: there is no .Text here, only .User`}},
		{"a text that is a remark", daily + "text = \"{{/* later */}}\"\nto = \"r\"", []string{`bot.toml:4:8: schedule "s": this text comes out blank whatever is filled in`}},
		{"a broadcast of a text that says nothing", daily + "text = \"{{if false}}a{{end}}\"\nbroadcast = {to = [\"a\"]}", []string{`bot.toml:4:8: schedule "s": this text comes out blank whatever is filled in`}},
		{"to beside a broadcast", daily + hello + "broadcast = {to = [\"a\"]}", []string{`schedule "s": to does nothing beside broadcast`}},
		{"a call beside a broadcast", daily + "http = {url = \"https://a.example/\"}\ntext = \"x\"\nbroadcast = {to = [\"a\"]}", []string{`a schedule does one thing: this one holds both broadcast and http`}},
		{"a slash in the name", daily + hello + "[[schedule]]\nname = \"a/b\"\n" + daily + hello, []string{`bot.toml:7:8: schedule "a/b": a schedule's name has at most 128 bytes, and no slash`}},
		{"no name", daily + hello + "[[schedule]]\n" + daily + hello, []string{`bot.toml:6:3: schedule: a schedule needs a name (name = "morning")`}},
		{"a name twice", daily + hello + "[[schedule]]\nname = \"s\"\n" + daily + hello, []string{`bot.toml:7:8: schedule "s": the name "s" is taken by the schedule at bot.toml:2`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := build(skilltest.Parse(t, "[[schedule]]\nname = \"s\"\n"+tt.toml))
			got := skilltest.Problems(err)
			if len(got) != len(tt.want) {
				t.Fatalf("says %q", got)
			}
			for i, want := range tt.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("says %q, want %q", got[i], want)
				}
			}
		})
	}
}

func TestOfSeveralAccountsOneIsNamed(t *testing.T) {
	toml := "[[schedule]]\nname = \"s\"\n" + daily + hello
	_, err := build(skilltest.Parse(t, toml), "shop", "desk")
	if got := skilltest.Problems(err); len(got) != 1 || !strings.Contains(got[0], `which account does it? (account = "shop")`) {
		t.Errorf("says %q", got)
	}
	set, err := build(skilltest.Parse(t, toml+"account = \"desk\"\n"), "shop", "desk")
	if err != nil {
		t.Fatal(err)
	}
	if a := set.Schedules()[0].Account; a != "desk" {
		t.Errorf("done by %q", a)
	}
}

func TestTheLastRunsAreRemembered(t *testing.T) {
	set, err := build(skilltest.Parse(t, "[[schedule]]\nname = \"s\"\n"+daily+hello))
	if err != nil {
		t.Fatal(err)
	}
	chat, s := skilltest.NewChat(t, set), set.Schedules()[0]
	for i := range 30 {
		chat.Do(s.DueEvent("1", now.AddDate(0, 0, i)))
	}
	runs := engine.Runs(chat.Notes[[2]string{s.Skill, engine.RunsKey}].Value)
	if len(runs) != 20 || !runs[0].Due.Equal(now.AddDate(0, 0, 29)) || !runs[19].Due.Equal(now.AddDate(0, 0, 10)) {
		t.Errorf("%d runs: %+v", len(runs), runs)
	}
}

func TestABroadcastIsOrderedOfTheEngine(t *testing.T) {
	set, err := build(skilltest.Parse(t, "[[schedule]]\nname = \"s\"\n"+daily+"do = \"set_label\"\nparams = {add = [\"{{.User}}\"]}\nbroadcast = {audience = \"vip\", rate = \"5/s\"}"))
	if err != nil {
		t.Fatal(err)
	}
	s := set.Schedules()[0]
	if s.Does != "broadcast → vip" {
		t.Errorf("does %q", s.Does)
	}
	e := s.DueEvent("1", now)
	turn := &engine.Turn{Event: e, Account: engine.Account{Name: "shop"}, Recall: func(string) (string, error) { return "", nil }}
	skill := set.Route(e, engine.State{}, engine.State{})[0].Skill
	if out, err := skill.Handle(t.Context(), turn); err != nil || len(out.Commands) > 0 || out.Note != "broadcast → vip" {
		t.Errorf("a rehearsal: %+v, %v", out, err)
	}
	var got engine.BroadcastOrder
	turn.Broadcast = func(_ context.Context, o engine.BroadcastOrder) (string, error) { got = o; return "made", nil }
	out, err := skill.Handle(t.Context(), turn)
	if err != nil || out.Note != "made" || got.Action != engine.SetLabel || got.Audience != "vip" || got.Rate.String() != "5/s" || got.Name != "s" {
		t.Errorf("%+v, %v, ordered %+v", out, err, got)
	}
	turn.Broadcast = func(context.Context, engine.BroadcastOrder) (string, error) { return "", errors.New("a\nb") }
	if _, err := skill.Handle(t.Context(), turn); err == nil || err.Error() != "broadcast: a; b" {
		t.Errorf("a broadcast that is not made: %v", err)
	}
}
