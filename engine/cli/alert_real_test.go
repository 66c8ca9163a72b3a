package cli_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"bot/engine/stub"
)

const hookKey = "HOOK-recognisable-58b1"

func TestADeadLetterIsOneCallOfAWebhook(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var bodies []string
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Query().Get("key") != hookKey {
			t.Errorf("called at %s", r.URL)
		}
		bodies = append(bodies, string(body))
		io.WriteString(w, `{"errcode":0,"errmsg":"ok"}`)
	}))
	t.Cleanup(hook.Close)
	s := newScene(t, stub.Options{Script: func(stub.Call) *stub.Answer { return &stub.Answer{Status: 400} }}, "")
	write(t, s.dir, "robot.url", hook.URL+"/send?key="+hookKey+"\n")
	s.configure(realEcho + "[alert]\nwebhook_file = \"robot.url\"\nformat = \"wecom\"\nwebhook_private = true\nlanguage = \"en\"\n")
	p := start(t, s.config)
	for _, id := range []string{"m1", "m2", "m3"} {
		resp, err := http.Post("http://"+p.callback+"/in", "application/json", strings.NewReader(`{"msg_id":"`+id+`","sender":"u-`+id+`","content":"hi"}`))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	told := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return bodies
	}
	for end := time.Now().Add(patience); len(told()) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the webhook was not called")
		}
	}
	time.Sleep(4 * time.Second) // in which another would come
	if got := told(); len(got) != 1 || !strings.Contains(got[0], `[warning] shop (permanent): given up (dead letter): send_text`) || !strings.Contains(got[0], "(3 times since ") {
		t.Errorf("posted %q", got)
	}

	var shown []string
	for _, step := range []struct {
		args []string
		code int
		out  string
	}{
		{[]string{"alert"}, 0, "nothing goes on"},
		{[]string{"alert", "test"}, 0, "webhook: told\n"},
		{[]string{"alert", "test", "-json"}, 0, `{"webhook":"told"}`},
		{[]string{"status"}, 0, "shop     generic  ok "},
		{[]string{"status", "-json"}, 0, `"health":"ok"`},
		{[]string{"alert", "frob"}, 2, ""},
	} {
		code, out, complaints := s.bot(step.args...)
		if code != step.code || !strings.Contains(out, step.out) {
			t.Errorf("bot %v: exit %d, %q, %q", step.args, code, out, complaints)
		}
		shown = append(shown, out, complaints)
	}
	hook.Close()
	code, out, complaints := s.bot("alert", "test")
	if code != 1 || !strings.Contains(out, "webhook: dial tcp") {
		t.Errorf("a receiver that is down: exit %d, %q, %q", code, out, complaints)
	}
	log, err := json.Marshal(p.tail())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(shown, out, complaints, string(log)) {
		if strings.Contains(text, hookKey) {
			t.Errorf("shows the key of the webhook: %s", text)
		}
	}
}
