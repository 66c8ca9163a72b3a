package skills_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/hours"
	"bot/skills"
	"bot/skills/match"
	"bot/skills/skilltest"
)

// invoices are skills of one subject that differ in what they ask for besides.
var invoices = replies(
	`invoice: any_of = ["开发票", "发票", "开票"]; not = ["取消", "怎么"]`,
	`company: any_of = ["发票"]; all_of = ["公司"]`,
	`issue: all_of = ["发票", "开"]; not = ["取消"]`,
	`how: patterns = ["怎么|如何"]; all_of = ["发票"]`,
	`rest: match = "any"; not = ["谢谢"]`,
)

func TestWordsThatMustBeThereAndThatMustNot(t *testing.T) {
	set := build(t, invoices)
	for _, tt := range []struct{ name, text, want string }{
		{"one of several", "我要开票", "invoice"},
		{"all of several, in any order and place", "帮我开一下发票", "issue"},
		{"which are longer together than one of them", "发票，开一下", "issue"},
		{"one word as long as all of several: the first in the file", "开发票", "invoice"},
		{"the keyword counts together with all_of", "公司发票", "company"},
		{"a pattern before what is contained", "怎么要发票", "how"},
		{"a pattern without its word", "怎么去你们店", "rest"},
		{"a word that must not be there", "取消开发票", "rest"},
		{"a word that must not be there for what nothing else matched", "谢谢", ""},
		{"width and case count for nothing here too", "帮我开一下\u200b发 票", "rest"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := set.Rules(skilltest.NewChat(t, set).Message(tt.text))
			if chosen(got) != tt.want {
				t.Errorf("%q is answered by %q, want %q", tt.text, chosen(got), tt.want)
			}
		})
	}
}

func TestTheWordsOfAllOfAreTheMatch(t *testing.T) {
	set := build(t, "[[skill]]\nname = \"a\"\nall_of = [\"发票\", \"开\"]\nreply = \"{{index .Match 0}} {{index .Match 1}}\"")
	skilltest.Try(t, "in the order of the list", set, `
		user 帮我开一下发票
		bot  发票 开`)
}

func TestExplainSaysWhatWasMissing(t *testing.T) {
	set := build(t, invoices)
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"帮我开一下发票", []string{
			`all of ["发票" "开"]`,
			`keyword "发票" (contains), beaten by "issue": the longer keyword, 3 characters to 2`,
			`the text lacks ["公司"] (all_of)`,
			`no keyword or pattern fits`,
			`it answers only what nothing else matched, and "issue" did`,
		}},
		{"取消公司", []string{
			`nothing else matched`,
			`no keyword or pattern fits; the text holds ["取消"] (not)`,
			`no keyword or pattern fits`,
			`the text lacks ["发票" "开"] (all_of); the text holds ["取消"] (not)`,
			`no keyword or pattern fits; the text lacks ["发票"] (all_of)`,
		}},
		{"怎么给公司要发票", []string{
			`pattern "怎么|如何" and all of ["发票"]`,
			`keyword "发票" (contains) and all of ["公司"], beaten by "how": regex comes before contains`,
			`the text holds ["怎么"] (not)`,
			`the text lacks ["开"] (all_of)`,
			`it answers only what nothing else matched, and "how" did`,
		}},
	} {
		var got []string
		for _, v := range set.Explain(skilltest.NewChat(t, set).Message(tt.text), engine.State{}, engine.State{}) {
			got = append(got, v.Why)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q\ngot  %q\nwant %q", tt.text, got, tt.want)
		}
	}
}

func TestExplainSaysWhoWasBetter(t *testing.T) {
	set := build(t, replies(
		`a: keywords = ["券"]`,
		`b: keywords = ["券"]; stop = false; priority = 2`,
		`c: keywords = ["优惠"]; priority = 1`,
		`d: keywords = ["惠券"]; priority = 1`,
		`e: keywords = ["优惠券"]; match = "exact"`,
	))
	want := map[string]string{
		"b": `keyword "券" (contains)`,
		"c": `keyword "优惠" (contains)`,
		"d": `keyword "惠券" (contains), beaten by "c": it stands earlier in the file`,
		"e": `keyword "优惠券" (exact), beaten by "c": its priority is 1 to 0`,
		"a": `keyword "券" (contains), beaten by "c": its priority is 1 to 0`,
	}
	for _, v := range set.Explain(skilltest.NewChat(t, set).Message("优惠券"), engine.State{}, engine.State{}) {
		if v.Why != want[v.Skill] {
			t.Errorf("%s: %s, want %s", v.Skill, v.Why, want[v.Skill])
		}
	}
}

func TestRulesAreListedWithAllTheirConditions(t *testing.T) {
	set, err := skills.Build(skilltest.Parse(t, replies(
		`a: any_of = ["x"]; all_of = ["y", "z"]; not = ["n"]; hours = "shop"`,
		`b: all_of = ["y"]`,
		`c: match = "any"; hours = "!shop"`,
	)).Sections, skills.Options{Hours: map[string]hours.Times{"shop": nil}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`contains ["x"], and all of ["y" "z"], none of ["n"]; in the hours "shop"`,
		`all of ["y"]`,
		`what nothing else matched; outside the hours "shop"`,
	}
	for i, info := range set.Skills() {
		if info.Rule != want[i] {
			t.Errorf("%s: %s, want %s", info.Name, info.Rule, want[i])
		}
	}
}

func TestSkillsWithHours(t *testing.T) {
	var weekdays hours.Line
	if err := weekdays.UnmarshalText([]byte("mon-fri 09:00-18:00")); err != nil {
		t.Fatal(err)
	}
	shanghai := time.FixedZone("CST", 8*3600)
	set, err := skills.Build(skilltest.Parse(t, replies(
		`open: keywords = ["人工"]; hours = "shop"`,
		`shut: keywords = ["人工"]; hours = "!shop"`,
	)+form).Sections, skills.Options{
		Accounts: []string{"shop"}, Hours: map[string]hours.Times{"shop": {weekdays}},
		Location: func(string) *time.Location { return shanghai },
	})
	if err != nil {
		t.Fatal(err)
	}
	skilltest.Try(t, "by the account's clock", set, `
		user 人工
		bot  open
		wait 9h
		user 人工
		bot  shut
		wait 15h
		user 人工
		bot  open`)
	t.Run("what was received in time is in time, whenever it is handled", func(t *testing.T) {
		chat := skilltest.NewChat(t, set)
		e := chat.Message("人工")
		e.Received = time.Date(2026, 3, 2, 17, 59, 59, 0, shanghai)
		chat.Now = e.Received.Add(time.Hour)
		if got := chosen(set.Rules(e)); got != "open" {
			t.Errorf("answered by %q", got)
		}
	})
	t.Run("explain says when", func(t *testing.T) {
		chat := skilltest.NewChat(t, set)
		chat.Skip(10 * time.Hour)
		for _, v := range set.Explain(chat.Message("人工"), engine.State{}, engine.State{}) {
			if want := `it answers in the hours "shop" only, and this came on Mon 2026-03-02 19:00`; v.Skill == "open" && v.Why != want {
				t.Errorf("%s, want %s", v.Why, want)
			}
		}
	})
}

func TestASetOfFoldedCharacters(t *testing.T) {
	set, err := skills.Build(skilltest.Parse(t, replies(`a: keywords = ["优惠券"]`)+
		"[[skill]]\nname = \"order\"\npatterns = ['^订单(\\S+)']\nreply = \"{{index .Match 1}}\"",
	).Sections, skills.Options{Folding: match.NewFolding(true)})
	if err != nil {
		t.Fatal(err)
	}
	skilltest.Try(t, "keywords and patterns", set, `
		user 我要優惠券
		bot  a
		user 訂單陳
		bot  陳`)
}

// The order of the skills that answer is the documented one, whatever finds them.
func TestManyRulesKeepTheirOrder(t *testing.T) {
	var tables []string
	for i := range 300 {
		tables = append(tables, fmt.Sprintf(`s%d: keywords = ["k%d", "长词%d"]; priority = %d; stop = false`, i, i%7, i%5, i%3))
	}
	set := build(t, replies(tables...))
	chat := skilltest.NewChat(t, set)
	won := set.Rules(chat.Message("k3 长词2"))
	last, best := 3, 9
	for _, c := range won {
		var i int
		if _, err := fmt.Sscanf(c.Skill.Name(), "s%d", &i); err != nil {
			t.Fatal(err)
		}
		length := 2
		if i%5 == 2 {
			length = 3
		}
		if p := i % 3; p > last || p == last && length > best {
			t.Fatalf("%s comes too late", c.Skill.Name())
		} else {
			last, best = p, length
		}
	}
	if len(won) == 0 {
		t.Fatal("none answers")
	}
}
