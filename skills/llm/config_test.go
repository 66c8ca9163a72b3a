package llm_test

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/skills"
	"bot/skills/llm"
	"bot/skills/skilltest"
)

// head is five lines, so that further keys stand in lines 6, 7, …
const head = "[[skill]]\nname = \"chat\"\nmatch = \"any\"\n[skill.llm]\nmodel = \"m\"\n"

func TestProblems(t *testing.T) {
	const good = "base_url = \"https://llm.example.com/v1\"\n" // line 6
	for _, tt := range []struct {
		name, toml string
		want       []string
	}{
		{"nothing", "[[skill]]\nname = \"chat\"\nmatch = \"any\"\n[skill.llm]\n", []string{
			`4:8: skill "chat": a model has a name (model = "deepseek-chat")`,
			`4:8: skill "chat": a model needs the address of its endpoint (base_url = "https://api.deepseek.com/v1")`}},
		{"no scheme", head + `base_url = "api.deepseek.com/v1"`, []string{`6:12: skill "chat": base_url begins with https:// or http:// (base_url = "https://api.deepseek.com/v1")`}},
		{"no host", head + `base_url = "https:///v1"`, []string{`6:12: skill "chat": base_url names one host (base_url = "https://api.deepseek.com/v1")`}},
		{"a template for an address", head + `base_url = "https://{{.User}}/v1"`, []string{`6:12: skill "chat": base_url is no address (base_url = "https://api.deepseek.com/v1")`}},
		{"a template in an address", head + `base_url = "https://a/{{.User}}"`, []string{`6:12: skill "chat": base_url names one host (base_url = "https://api.deepseek.com/v1")`}},
		{"a password in the address", head + `base_url = "https://me:pass@llm.example.com/v1"`, []string{`6:12: skill "chat": base_url holds a name or a password, which would appear in logs (api_key is the place for a key)`}},
		{"a query in the address", head + `base_url = "https://llm.example.com/v1?key=x"`, []string{`6:12: skill "chat": base_url ends before any ? or # (base_url = "https://api.deepseek.com/v1")`}},
		{"the whole address", head + `base_url = "https://llm.example.com/v1/chat/completions/"`, []string{`6:12: skill "chat": base_url ends before /chat/completions, which is added (base_url = "https://api.deepseek.com/v1")`}},
		{"a key with a space", head + good + `api_key = "sk-x "`, []string{`7:11: skill "chat": api_key holds characters that no key has, such as a space or a line's end`}},
		{"numbers out of range", head + good + "history = -1\nmax_tokens = 0\nmax_input = 20001\nper_user_per_day = -1\nper_account_per_day = -5\ntemperature = 2.1", []string{
			`7:11: skill "chat": history is between 0 and 100, not -1`,
			`8:14: skill "chat": max_tokens is between 1 and 100000, not 0`,
			`9:13: skill "chat": max_input is between 1 and 20000, not 20001`,
			`10:20: skill "chat": per_user_per_day is between 0 and 100000000, not -1`,
			`11:23: skill "chat": per_account_per_day is between 0 and 100000000, not -5`,
			`12:15: skill "chat": temperature is between 0 and 2, not 2.1`}},
		{"no time", head + good + `timeout = "0s"`, []string{`7:11: skill "chat": timeout is more than nothing and at most "5m" (timeout = "30s")`}},
		{"too much time", head + good + `timeout = "6m"`, []string{`7:11: skill "chat": timeout is more than nothing and at most "5m" (timeout = "30s")`}},
		{"a history that is not kept", head + good + `history_keep = "0s"`, []string{`7:16: skill "chat": history_keep is between "1s" and "400d" (history = 0 keeps none)`}},
		{"the skill's own limit before the model's", strings.Replace(head, "[skill.llm]", "timeout = \"30s\"\n[skill.llm]", 1) + good, []string{
			`4:11: skill "chat": the skill's timeout leaves the model's no room, which is 30s (leave it out; timeout in [skill.llm] bounds the model)`}},
		{"what the user says in the operator's words", head + good + `system = "{{.User}} {{.Text}}"`, []string{
			`7:10: skill "chat": system is the operator's own: .Text has no place in it (what the user says is sent as the user's message; .User .UserName .Conversation .Account .Day .Now may stand in it)`}},
		{"a field that is not there", head + good + "system = \"{{.Usr}}\"\nfallback = \"{{.Foo}}\"\nover_budget = \"{{.Data.x}}\"", []string{
			`7:10: skill "chat": bad template: there is no .Usr (did you mean "User"?)`,
			`8:12: skill "chat": bad template: there is no .Foo`,
			`9:15: skill "chat": bad template: no step saves "x", so there is no .Data.x`}},
		{"a key nobody knows", head + good + "max_token = 5", []string{`7:1: skill "chat": llm: unknown key "max_token" (did you mean "max_tokens"?)`}},
		{"a temperature for a model that thinks", strings.Replace(head, `"m"`, `"gpt-5"`, 1) + good + "temperature = 0.5", []string{`7:15: skill "chat": the model "gpt-5" takes no temperature (leave it out)`}},
		{"another event", "[[skill]]\nname = \"chat\"\non = \"friend_added\"\n[skill.llm]\nmodel = \"m\"\n" + good, []string{`3:6: skill "chat": a model answers messages only`}},
		{"a grant", strings.Replace(head, "[skill.llm]", "once = \"{{.User}}\"\n[skill.llm]", 1) + good, []string{
			`4:8: skill "chat": a model answers again and again; per_user_per_day in [skill.llm] bounds how often`}},
		{"an address on the own network", head + `base_url = "http://192.168.1.5:11434/v1"`, nil},
		{"the edges of the ranges", head + good + "history = 0\nmax_tokens = 100000\nmax_input = 1\ntemperature = 2.0\ntimeout = \"5m\"\nsystem = \"\"", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := skills.Build(skilltest.Parse(t, tt.toml).Sections, skills.Options{Accounts: []string{"shop"}})
			var want []string
			for _, w := range tt.want {
				want = append(want, "bot.toml:"+w)
			}
			if got := skilltest.Problems(err); !slices.Equal(got, want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	for _, tt := range []struct{ name, keys, want string }{
		{"an odd history", "base_url = \"http://127.0.0.1:1\"\nhistory = 5", `bot.toml:7:11: skill "chat": history counts questions and answers, so an even number is kept (history = 4)`},
		{"a key without encryption", "base_url = \"http://llm.example.com/v1\"\napi_key = \"x\"", `bot.toml:6:12: skill "chat": the key and what users say go over the Internet as they are (https://)`},
		{"a key for the own network", "base_url = \"http://[fd00::1]:8000/v1\"\napi_key = \"x\"", ""},
		{"a key for a container", "base_url = \"http://ollama:11434/v1\"\napi_key = \"x\"", ""},
		{"no key", "base_url = \"http://llm.example.com/v1\"", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := skilltest.Parse(t, head+tt.keys)
			if _, err := skills.Build(c.Sections, skills.Options{Accounts: []string{"shop"}}); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(c.Warnings(), "|"); got != tt.want {
				t.Errorf("warns %q, want %q", got, tt.want)
			}
		})
	}
}

func TestARunWaitsAndIsBounded(t *testing.T) {
	for _, tt := range []struct {
		name, keys  string
		concurrency int
		timeout     time.Duration
	}{
		{"by default", "", 8, 35 * time.Second},
		{"as the operator says", "concurrency = 2\ntimeout = \"3m\"\n", 2, 3 * time.Minute},
	} {
		r := newRig(t, strings.Replace(chat(), "[skill.llm]", tt.keys+"[skill.llm]", 1))
		c := r.set.Rules(r.Message("x"))[0]
		if !c.Waits || c.Concurrency != tt.concurrency || c.Timeout != tt.timeout {
			t.Errorf("%s: %+v", tt.name, c)
		}
	}
}

func TestTheReferenceNamesEveryKey(t *testing.T) {
	doc, err := os.ReadFile("../../docs/skills.md")
	if err != nil {
		t.Fatal(err)
	}
	f, _ := reflect.TypeOf(llm.Kind.Config).FieldByName("LLM")
	for i := range f.Type.NumField() {
		if key := f.Type.Field(i).Tag.Get("toml"); !strings.Contains(string(doc), "| `"+key+"` |") {
			t.Errorf("docs/skills.md does not explain %q", key)
		}
	}
}
