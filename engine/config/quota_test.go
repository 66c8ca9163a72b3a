package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/egress"
)

func TestTheWordsOfSendingAreThoseOfEgress(t *testing.T) {
	for _, tt := range []struct {
		field      string
		ours, want []string
	}{
		{"OnDoubt", Doubts(), egress.Doubts()},
		{"LateReply", LateReplies(), egress.LateReplies()},
	} {
		f, _ := reflect.TypeFor[Account]().FieldByName(tt.field)
		if shown := strings.Split(f.Tag.Get("is"), "|"); !slices.Equal(tt.ours, tt.want) || !slices.Equal(shown, tt.want) {
			t.Errorf("%s: accepted %q, shown %q, those of egress %q", tt.field, tt.ours, shown, tt.want)
		}
		def := reflect.ValueOf(defaultAccount(&Channel{}, "", &Config{})).FieldByIndex(f.Index).String()
		if !slices.Contains(tt.want, def) {
			t.Errorf("%s is %q unless something else is said", tt.field, def)
		}
	}
}

func TestQuotasThatMakeNoSense(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a quota of zero", "[account.limit]\npush_per_day = 0", "limit.push_per_day: 0 is not between 1 and 1000000000 (without the key there is no such quota; `bot pause` stops an account)"},
		{"a negative one", "[account.limit]\npush_per_user_per_day = -1", "limit.push_per_user_per_day: -1 is not between"},
		{"no message at all", "[account.limit]\nunanswered = 0", "limit.unanswered: 0 is not between"},
		{"no time at all", "[account.limit]\nunanswered = 5\nunanswered_for = \"0s\"", "limit.unanswered_for: 0s is too short, at least 1m0s"},
		{"for ever", "[account.limit]\nunanswered = 5\nunanswered_for = \"400d\"", "limit.unanswered_for: 9600h0m0s is too long"},
		{"a time without a number", "[account.limit]\nunanswered_for = \"48h\"", "limit.unanswered_for says nothing without limit.unanswered (unanswered = 5)"},
		{"nothing to be over", "[account.limit]\nover_quota = \"hold\"", "limit.over_quota: there is no quota that anything could be over"},
		{"an unknown rule", "[account.limit]\npush_per_day = 1\nover_quota = \"refues\"", `limit.over_quota: there is no "refues" (did you mean "refuse"?)`},
		{"an unknown end of late replies", "late_reply = \"dorp\"", `late_reply: there is no "dorp" (did you mean "drop"?)`},
		{"a rate of zero", "[account.limit]\nrate = \"0/m\"", `limit.rate: "0/m" is not a rate above zero`},
		{"an absurd rate", "[account.limit]\nrate = \"1e300/s\"", `limit.rate: "1e300/s" is not a rate from 0.001/d to 1000000/s`},
		{"a rate of once in an age", "[account.limit]\nper_conversation = \"1e-300/s\"", `limit.per_conversation: "1e-300/s" is not a rate from 0.001/d to 1000000/s`},
		{"an absurd rate for all", "[limit]\nrate = \"1e9/s\"", `limit.rate: "1e9/s" is not a rate from 0.001/d to 1000000/s`},
		{"an absurd gap", "[account.limit]\ngap = \"1s..2000000h\"", `limit.gap: "2000000h" is too long a duration, at most 36500d`},
		{"an absurd burst", "[account.limit]\nburst = 9000000000000000000", `limit.burst: 9000000000000000000 is not between 1 and 1000000`},
		{"a negative rate of a conversation", "[account.limit]\nper_conversation = \"-1/s\"", `limit.per_conversation: "-1/s" is not a rate above zero`},
		{"a rate of zero of an action", "[account.limit.action.send_text]\nrate = \"0/h\"", `limit.action.send_text.rate: "0/h" is not a rate above zero`},
		{"a rate of zero for all", "[limit]\nrate = \"0/s\"", `limit.rate: "0/s" is not a rate above zero`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("bot.toml", []byte(oneAccount+tt.text), lookup(nil), testChannels("generic"))
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "bot.toml:") {
				t.Errorf("got\n%v\nwant\n%s", err, tt.want)
			}
		})
	}
}

func TestQuotasAsTheyAreMeant(t *testing.T) {
	cfg, err := Parse("bot.toml", []byte(oneAccount+"late_reply = \"drop\"\n[account.limit]\npush_per_day = 3\npush_per_user_per_day = 5\nunanswered = 4\nover_quota = \"refuse\"\n"), lookup(nil), testChannels("generic"))
	if err != nil {
		t.Fatal(err)
	}
	a := cfg.Accounts[0]
	if l := a.Limit; l.PushPerDay != 3 || l.PushPerUserPerDay != 5 || l.Unanswered != 4 || l.UnansweredFor != engine.Duration(48*time.Hour) || l.OverQuota != "refuse" || a.LateReply != "drop" {
		t.Errorf("%+v", a)
	}
	if len(cfg.Warnings) != 1 || !strings.Contains(cfg.Warnings[0].Error(), "one user may get more pushes than the account may send") {
		t.Errorf("warnings: %v", cfg.Warnings)
	}
}
