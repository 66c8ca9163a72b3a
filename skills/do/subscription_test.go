package do_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"bot/engine"
	"bot/skills"
	"bot/skills/skilltest"
)

const subscriptions = `
[[skill]]
name = "unsubscribe"
keywords = ["TD", "退订"]
match = "exact"
do = "unsubscribe"
reply = "{{.User}} 已退订"
[[skill]]
name = "subscribe"
keywords = ["订阅"]
match = "exact"
do = "subscribe"
`

func TestSubscriptions(t *testing.T) {
	set, err := skills.Build(skilltest.Parse(t, subscriptions).Sections, skills.Options{Accounts: []string{"shop"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		text string
		want engine.Subscription
		says []string
	}{
		{"TD", engine.Unsubscribe, []string{"u1 已退订"}},
		{" ｔｄ。", engine.Unsubscribe, []string{"u1 已退订"}},
		{"退订", engine.Unsubscribe, []string{"u1 已退订"}},
		{"订阅", engine.Subscribe, nil},
		{"怎么退订", "", nil},
	} {
		t.Run(tt.text, func(t *testing.T) {
			e := skilltest.NewChat(t, set).Message(tt.text)
			var out engine.Outcome
			for _, c := range set.Rules(e) {
				if out, err = c.Skill.Handle(context.Background(), &engine.Turn{Event: e, Match: c.Match}); err != nil {
					t.Fatal(err)
				}
			}
			if out.Subscription != tt.want || !slices.Equal(skilltest.Texts(out.Commands), tt.says) {
				t.Errorf("wants %q and says %q", out.Subscription, skilltest.Texts(out.Commands))
			}
		})
	}
}

func TestASubscriptionNeedsNothingOfThePlatformButItsConfirmation(t *testing.T) {
	mute := skills.Options{Accounts: []string{"shop"}, Can: func(string, engine.Action) bool { return false }}
	_, err := skills.Build(skilltest.Parse(t, subscriptions).Sections, mute)
	got := skilltest.Problems(err)
	if len(got) != 1 || !strings.Contains(got[0], `bot.toml:7:9: skill "unsubscribe": the platform of account "shop" cannot send_text`) {
		t.Errorf("problems %q", got)
	}
}

func TestProblemsOfSubscriptions(t *testing.T) {
	for _, tt := range []struct{ name, toml, want string }{
		{"a misspelt one", `do = "unsubscibe"`, `unknown action "unsubscibe" (did you mean "unsubscribe"?)`},
		{"what nobody asked for", "do = \"subscribe\"\non = \"friend_added\"", `subscribe answers messages only`},
		{"one time for ever", "do = \"unsubscribe\"\nonce = \"{{.User}}\"", `once would refuse it the second time`},
		{"parameters", "do = \"unsubscribe\"\nparams = {a = \"b\"}", `unsubscribe takes no params`},
		{"a bad confirmation", "do = \"unsubscribe\"\nreply = \"{{.Usr}}\"", `bad template: there is no .Usr`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			toml := "[[skill]]\nname = \"d\"\nkeywords = [\"x\"]\n" + tt.toml
			_, err := skills.Build(skilltest.Parse(t, toml).Sections, skills.Options{Accounts: []string{"shop"}})
			got := skilltest.Problems(err)
			if len(got) != 1 || !strings.Contains(got[0], tt.want) {
				t.Errorf("problems %q, want %q", got, tt.want)
			}
		})
	}
}
