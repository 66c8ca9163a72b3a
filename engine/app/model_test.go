package app_test

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"bot/engine/stub"
	"bot/skills/llm/llmstub"
)

// model has a model answer what no keyword of others matches.
const model = `
[queue]
workers = 2
[[skill]]
name = "hours"
keywords = ["营业时间"]
reply = "9:00"
[[skill]]
name = "chat"
match = "any"
concurrency = 100
[skill.llm]
base_url = "MODEL/v1"
model = "m"
api_key = "sk-secret"
`

func withModel(address string) string { return strings.ReplaceAll(model, "MODEL", address) }

func TestAStalledModelSilencesNobody(t *testing.T) {
	stalled := llmstub.New(llmstub.Reply{Stall: true})
	endpoint := httptest.NewServer(stalled)
	defer endpoint.Close()
	r := start(t, stub.Options{}, shop+withModel(endpoint.URL))
	for i := range 64 {
		r.say(fmt.Sprint("stalled-", i), fmt.Sprint("u", i), "你好")
	}
	r.until("all of them ask the model", func() bool { return len(stalled.Requests()) == 64 })
	for _, u := range numbered("other-", 20) {
		r.say(u, u, "营业时间")
	}
	for _, u := range numbered("other-", 20) {
		if said := r.texts(u, 1); !slices.Equal(said, []string{"9:00"}) {
			t.Errorf("%s hears %q", u, said)
		}
	}
	r.end() // takes the calls back; their events are answered after the next start
}

func TestAModelCutOffByAStopAnswersOnceAfterTheNextStart(t *testing.T) {
	asked := llmstub.New(llmstub.Reply{Chunks: []string{"半"}, Stall: true}, llmstub.Say("你好"))
	endpoint := httptest.NewServer(asked)
	defer endpoint.Close()
	r := start(t, stub.Options{}, shop+withModel(endpoint.URL))
	r.say("m1", "u1", "在吗")
	r.until("the model is asked", func() bool { return len(asked.Requests()) == 1 })
	r.end()
	r.begin()
	r.idle()
	if said := r.texts("u1", 1); !slices.Equal(said, []string{"你好"}) || len(asked.Requests()) != 2 {
		t.Errorf("hears %q after %d requests", said, len(asked.Requests()))
	}
}

func TestAModelRemembersOverARestart(t *testing.T) {
	asked := llmstub.New(llmstub.Say("你好小明"), llmstub.Say("小明"))
	endpoint := httptest.NewServer(asked)
	defer endpoint.Close()
	r := start(t, stub.Options{}, shop+withModel(endpoint.URL))
	r.say("m1", "u1", "我叫小明")
	r.texts("u1", 1)
	r.end()
	r.begin()
	r.say("m2", "u1", "我叫什么")
	r.texts("u1", 2)
	want := []llmstub.Message{{Role: "user", Content: "我叫小明"}, {Role: "assistant", Content: "你好小明"}, {Role: "user", Content: "我叫什么"}}
	if got := asked.Requests()[1].Messages; !slices.Equal(got, want) {
		t.Errorf("asked %q", got)
	}
}
