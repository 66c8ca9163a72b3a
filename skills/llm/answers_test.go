package llm_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/skills/llm/llmstub"
	"bot/skills/skilltest"
)

const third = `sk-very-secret and what the user said`

func TestWhatBecomesOfAnAnswer(t *testing.T) {
	stall := llmstub.Reply{Chunks: []string{"你"}, Stall: true}
	cut := llmstub.Reply{Chunks: []string{"你"}, Cut: true}
	raw := func(s string) llmstub.Reply { return llmstub.Reply{Raw: s} }
	good := llmstub.Say("你好")
	whole := []string{"stream = false"}
	for _, tt := range []struct {
		name     string
		replies  []llmstub.Reply
		keys     []string
		says     string
		note     string // what it holds
		requests int
		within   time.Duration
	}{
		{name: "in one piece", replies: []llmstub.Reply{good}, says: "你好", note: "answered by the model", requests: 1},
		{name: "in many pieces, with fields nobody knows", replies: []llmstub.Reply{{Chunks: []string{"<thi", "nk>hm", "</think>", "你", "", "好\n"}}}, says: "你好", requests: 1},
		{name: "as a whole document", replies: []llmstub.Reply{good}, keys: whole, says: "你好", requests: 1},
		{name: "cut by max_tokens", replies: []llmstub.Reply{{Chunks: []string{"你"}, Finish: "length"}}, says: "你", note: "cut off by max_tokens", requests: 1},
		{name: "cut off after its end", replies: []llmstub.Reply{{Raw: "data: {\"choices\":[{\"delta\":{\"content\":\"你好\"},\"finish_reason\":\"stop\"}]}\n\n", Cut: true}}, says: "你好", requests: 1},
		{name: "stopped by a filter", replies: []llmstub.Reply{{Chunks: []string{"你"}, Finish: "content_filter"}}, says: fallback, note: "content filter", requests: 1},
		{name: "nothing", replies: []llmstub.Reply{llmstub.Say("")}, says: fallback, note: "answered nothing", requests: 1},
		{name: "nothing, as a whole", replies: []llmstub.Reply{llmstub.Say("")}, keys: whole, says: fallback, note: "answered nothing", requests: 1},
		{name: "nothing but thoughts", replies: []llmstub.Reply{{Chunks: []string{"<think>hm"}, Finish: "length"}}, says: fallback, note: "thoughts", requests: 1},
		{name: "no choices", replies: []llmstub.Reply{raw("{}")}, keys: whole, says: fallback, note: "answered nothing", requests: 1},

		{name: "a stall", replies: []llmstub.Reply{stall}, says: fallback, note: "in time", requests: 1, within: 30 * time.Second},
		{name: "a stall before the first piece", replies: []llmstub.Reply{{Stall: true}}, says: fallback, note: "in time", requests: 1, within: 30 * time.Second},
		{name: "a stall of one that comes whole", replies: []llmstub.Reply{{Raw: "{", Stall: true}}, keys: append(whole, `timeout = "3s"`), says: fallback, note: "in time", requests: 1, within: 3 * time.Second},
		{name: "pieces that come too slowly", replies: []llmstub.Reply{{Chunks: slices.Repeat([]string{"啊"}, 100), Pause: time.Second}}, says: fallback, note: "in time", requests: 1, within: 30 * time.Second},
		{name: "a connection cut in the middle, then an answer", replies: []llmstub.Reply{cut, good}, says: "你好", requests: 2},
		{name: "a connection cut twice", replies: []llmstub.Reply{cut}, says: fallback, note: "broke off", requests: 2},
		{name: "a document cut in the middle", replies: []llmstub.Reply{cut, good}, keys: whole, says: "你好", requests: 2},
		{name: "a stream that ends without a reason", replies: []llmstub.Reply{{Body: "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"完整\"}}]}\n\ndata: [DONE]\n\n"}}, says: "完整", note: "answered by the model", requests: 1},
		{name: "a stream that ends without an end", replies: []llmstub.Reply{{Chunks: []string{"你"}, Finish: "-"}}, says: fallback, note: "broke off", requests: 2},
		{name: "an endpoint that does not stream", replies: []llmstub.Reply{{Raw: `{"choices":[]}`, Header: map[string]string{"Content-Type": "application/json"}}}, says: fallback, note: "stream = false", requests: 1},
		{name: "a malformed piece", replies: []llmstub.Reply{raw("data: {\"choices\":[{\n\n")}, says: fallback, note: "cannot be read", requests: 2},
		{name: "pieces of another shape", replies: []llmstub.Reply{raw("data: {\"choices\":7}\n\n")}, says: fallback, note: "cannot be read", requests: 2},
		{name: "a page for people", replies: []llmstub.Reply{raw("<html>\n</html>")}, keys: whole, says: fallback, note: "cannot be read", requests: 2},
		{name: "an error within the stream", replies: []llmstub.Reply{raw(`data: {"error":{"message":"` + third + `","code":"overloaded"}}` + "\n\n"), good}, says: "你好", requests: 2},
		{name: "errors within the stream", replies: []llmstub.Reply{raw(`data: {"error":{"message":"` + third + `","code":"overloaded"}}` + "\n\n")}, says: fallback, note: "overloaded", requests: 2},

		{name: "a key that is not accepted", replies: []llmstub.Reply{llmstub.Refuse(401, "invalid_api_key", third)}, says: fallback, note: "401 Unauthorized: invalid_api_key (look at api_key)", requests: 1},
		{name: "an empty account", replies: []llmstub.Reply{llmstub.Refuse(402, "", third)}, says: fallback, note: "402 Payment Required: stub_error", requests: 1},
		{name: "a model that is not there", replies: []llmstub.Reply{{Status: 404, Body: "404 page not found"}}, says: fallback, note: "look at base_url and model", requests: 1},
		{name: "a conversation that is too long", replies: []llmstub.Reply{llmstub.Refuse(400, "context_length_exceeded", third)}, says: fallback, note: "context_length_exceeded", requests: 1},
		{name: "a code that is the key", replies: []llmstub.Reply{llmstub.Refuse(400, secret, third)}, says: fallback, note: "400 Bad Request: *** (", requests: 1},
		{name: "a text without end", replies: []llmstub.Reply{{Chunks: slices.Repeat([]string{strings.Repeat("a", 60<<10)}, 100)}}, says: fallback, note: "larger", requests: 1},
		{name: "a text without end, as a whole", replies: []llmstub.Reply{llmstub.Say(strings.Repeat("a", 2<<20))}, keys: whole, says: fallback, note: "larger", requests: 1},
		{name: "a body without end", replies: []llmstub.Reply{raw("data: " + strings.Repeat("x", 33<<20))}, says: fallback, note: "larger", requests: 1},
		{name: "a code that is a sentence", replies: []llmstub.Reply{llmstub.Refuse(400, third, third)}, says: fallback, note: "400 Bad Request (", requests: 1},
		{name: "too many requests, then an answer", replies: []llmstub.Reply{llmstub.Refuse(429, "rate_limit", third), good}, says: "你好", requests: 2, within: time.Second},
		{name: "too many requests, with the time to wait", replies: []llmstub.Reply{{Status: 429, Header: map[string]string{"Retry-After": "7"}, Body: "{}"}, good}, says: "你好", requests: 2, within: 7 * time.Second},
		{name: "too many requests, with more time than there is", replies: []llmstub.Reply{{Status: 429, Header: map[string]string{"Retry-After": "29.5"}, Body: "{}"}, good}, says: fallback, note: "429", requests: 1},
		{name: "a server's fault, then an answer", replies: []llmstub.Reply{llmstub.Refuse(500, "", third), good}, says: "你好", requests: 2},
		{name: "a server's fault twice", replies: []llmstub.Reply{{Status: 503, Body: third}}, says: fallback, note: "503 Service Unavailable", requests: 2},
		{name: "a redirect", replies: []llmstub.Reply{{Status: 307, Body: "-", Header: map[string]string{"Location": "https://evil.example.com/"}}}, says: fallback, note: "redirects", requests: 1},

		{name: "a fallback of the operator's own", replies: []llmstub.Reply{llmstub.Refuse(401, "", "")}, keys: []string{`fallback = "{{.UserName}}，请回复“人工”"`}, says: "name of u1，请回复“人工”", requests: 1},
		{name: "no fallback", replies: []llmstub.Reply{llmstub.Refuse(401, "", "")}, keys: []string{`fallback = ""`}, says: "", note: "401", requests: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, chat(tt.keys...), tt.replies...)
				began := time.Now()
				out, err := r.skill().Handle(t.Context(), r.turn("你们好"))
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); tt.within > 0 && took > tt.within {
					t.Errorf("took %v, want at most %v", took, tt.within)
				}
				if got := strings.Join(skilltest.Texts(out.Commands), "|"); got != tt.says {
					t.Errorf("says %q, want %q", got, tt.says)
				}
				if !strings.Contains(out.Note, tt.note) {
					t.Errorf("the note is %q, want %q in it", out.Note, tt.note)
				}
				if n := len(r.stub.Requests()); n != tt.requests {
					t.Errorf("%d requests, want %d", n, tt.requests)
				}
				if said := fmt.Sprintf("%+v", out); tt.says == fallback && (strings.Contains(said, secret) || strings.Contains(said, "the user said") || len(out.Notes) > 0) {
					t.Errorf("the outcome holds the key, what was said, or something to remember: %s", said)
				}
			})
		})
	}
}

func TestALongAnswerIsSplit(t *testing.T) {
	r := newRig(t, chat(), llmstub.Say(strings.Repeat("长", 1000)))
	if got := r.Say("讲个故事"); len(got) != 2 || strings.Join(got, "") != strings.Repeat("长", 1000) {
		t.Errorf("%d texts: %q", len(got), got)
	}
}

func TestAGrowingAnswerIsShownNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, chat(), llmstub.Reply{Chunks: strings.Split("<think>hm</think>一二三四五六七八九十", ""), Pause: 100 * time.Millisecond})
		var shown []string
		_, err := r.skill().Handle(t.Context(), r.turn("数到十", func(t *engine.Turn) {
			t.Progress = func(text string) { shown = append(shown, text) }
		}))
		if want := []string{"一", "一二三四", "一二三四五六七", "一二三四五六七八九十"}; err != nil || !slices.Equal(shown, want) {
			t.Errorf("%v, %q, want %q", err, shown, want)
		}
	})
}

func TestTheEndpointIsAskedAsConfigured(t *testing.T) {
	r := newRig(t, chat(`system = "你是客服。今天是{{.Day}}。"`, "max_tokens = 77", "temperature = 0"), llmstub.Say("好"))
	r.Say("你好")
	got := r.stub.Requests()[0]
	if got.Path != "/v1/chat/completions" || got.Key != "Bearer "+secret || got.Model != "m" || !got.Stream || got.MaxTokens != 77 || got.Temperature == nil || *got.Temperature > 1e-9 {
		t.Errorf("asked %+v", got)
	}
	if want := "system: 你是客服。今天是2026-03-02。\nuser: 你好\n"; r.asked() != want {
		t.Errorf("asked %q, want %q", r.asked(), want)
	}
}

func TestModelsThatThinkAreAskedInTheirWay(t *testing.T) {
	r := newRig(t, strings.Replace(chat("max_tokens = 77"), `model = "m"`, `model = "gpt-5-mini"`, 1), llmstub.Say("好"))
	if said := r.Say("你好"); !slices.Equal(said, []string{"好"}) {
		t.Fatalf("says %q", said)
	}
	if got := r.stub.Requests()[0]; got.MaxTokens != 0 || got.Completion != 77 {
		t.Errorf("asked %+v", got)
	}
}

func TestAKeywordBeatsTheModel(t *testing.T) {
	r := newRig(t, chat(), llmstub.Say("不知道"))
	r.Play(`
		user 你好
		bot  不知道
		user 营业时间？
		bot  9:00`)
	if n := len(r.stub.Requests()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

func TestWhatIsNoTextIsNotAsked(t *testing.T) {
	r := newRig(t, chat(`fallback = "请打字"`), llmstub.Say("不知道"))
	r.Play(`
		sends image
		bot  请打字
		user ` + "\u202e" + `
		bot  请打字`)
	if n := len(r.stub.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestALongQuestionIsCut(t *testing.T) {
	r := newRig(t, chat("max_input = 3"), llmstub.Say("好"))
	out, err := r.skill().Handle(t.Context(), r.turn("一二三四"))
	if err != nil || r.asked() != "user: 一二三\n" || !strings.Contains(out.Note, "cut to 3 characters") {
		t.Errorf("%v, asked %q, note %q", err, r.asked(), out.Note)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	r := newRig(t, chat(), llmstub.Reply{Status: http.StatusFound, Body: "-", Header: map[string]string{"Location": "https://llm.example.com/elsewhere"}})
	r.Say("你好")
	if all := r.stub.Requests(); len(all) != 1 || all[0].Path != "/v1/chat/completions" {
		t.Errorf("requests %+v", all)
	}
}
