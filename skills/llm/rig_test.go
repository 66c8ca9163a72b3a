package llm_test

import (
	"net/http"
	"strings"
	"testing"

	"bot/engine"
	"bot/skills"
	"bot/skills/llm/llmstub"
	"bot/skills/skilltest"
)

// chat is a skill that asks the model about everything, with further keys of its
// [skill.llm] table.
func chat(keys ...string) string {
	return `
[[skill]]
name = "hours"
keywords = ["营业时间"]
reply = "9:00"
[[skill]]
name = "chat"
match = "any"
where = "any"
[skill.llm]
base_url = "https://llm.example.com/v1/"
model = "m"
api_key = "` + secret + `"
` + strings.Join(keys, "\n")
}

const secret = "sk-very-secret"

// What is said where the configuration holds no words of the operator's own.
const (
	fallback   = "抱歉，我现在答不上来，请稍后再试。\nSorry, I cannot answer that right now. Please try again later."
	overBudget = "今天的提问次数已经用完，请明天再来。\nToday's questions are used up. Please come back tomorrow."
)

// rig is a configuration whose model is the stub.
type rig struct {
	*skilltest.Chat
	stub *llmstub.Stub
	set  *skills.Set
}

func newRig(t *testing.T, toml string, replies ...llmstub.Reply) *rig {
	t.Helper()
	stub := llmstub.New(replies...)
	set, err := skills.Build(skilltest.Parse(t, toml).Sections, skills.Options{
		Accounts: []string{"shop"},
		Fetch:    func(func(string) bool) *http.Client { return &http.Client{Transport: stub} },
	})
	if err != nil {
		t.Fatal(err)
	}
	return &rig{Chat: skilltest.NewChat(t, set), stub: stub, set: set}
}

// turn puts a text before the model's skill.
func (r *rig) turn(text string, change ...func(*engine.Turn)) *engine.Turn {
	t := &engine.Turn{
		Event: r.Message(text), Account: r.Account,
		Chance: func() float64 { return 0.5 }, Progress: func(string) {},
		Recall:  func(string) (string, error) { return "", nil },
		Counted: func(string) (int, error) { return 0, nil },
	}
	for _, c := range change {
		c(t)
	}
	return t
}

// skill is the one that the model answers by.
func (r *rig) skill() engine.Skill {
	return r.set.Rules(r.Message("something that no keyword matches"))[0].Skill
}

// asked are the contents of the messages of the last request, with their roles.
func (r *rig) asked() string {
	all := r.stub.Requests()
	var b strings.Builder
	for _, m := range all[len(all)-1].Messages {
		b.WriteString(m.Role + ": " + m.Content + "\n")
	}
	return b.String()
}
