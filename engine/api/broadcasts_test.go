package api

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"bot/engine"
	"bot/engine/broadcast"
)

// broadcasting is a rig whose broadcasts are kept on its store. Nothing releases them.
func broadcasting(t *testing.T) *rig {
	r := newRig(t)
	r.o.Broadcasts = broadcast.New(broadcast.Options{
		Store: r.st, Window: r.o.CommandWindow,
		Account: func(name string) (broadcast.Account, bool) { return broadcast.Account{}, name == "shop" },
		Template: func(text string) (engine.BroadcastTemplate, error) {
			return func(to engine.Recipient) (string, error) {
				return strings.ReplaceAll(text, "{{.User}}", to.User), nil
			}, nil
		},
	})
	r.o.Audience = func(_, name string) (broadcast.Audience, error) {
		if name != "vip" {
			return nil, fmt.Errorf("there is no audience %q", name)
		}
		return broadcast.List{"v1", "v2"}, nil
	}
	return r
}

const broadcastsPath = "/api/v1/broadcasts"

// parts is a request of the parts, by name and text.
func parts(t *testing.T, named ...string) *http.Request {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i := 0; i < len(named); i += 2 {
		if err := w.WriteField(named[i], named[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	req := request("POST", broadcastsPath, body.String())
	req.Header.Set("Content-Type", w.FormDataContentType())
	return req
}

func TestABroadcastIsMadeAndLookedAfter(t *testing.T) {
	r := broadcasting(t)
	a := r.call("POST", broadcastsPath, `{"name":"sale","account":"shop","text":"hi","rate":"2/m","to":["a","b","a","c"]}`)
	a.wants(t, http.StatusCreated, "")
	id, _ := a.body["id"].(string)
	estimate, _ := a.body["estimate"].(map[string]any)
	if a.body["recipients"] != 3.0 || a.body["duplicates"] != 1.0 || a.body["state"] != "ready" || estimate["text"] != "1 min 30 s at 2/m" {
		t.Errorf("answers %s", a.text)
	}
	for _, step := range []struct {
		method, path string
		status       int
		code, state  string
	}{
		{"GET", "", 200, "", "ready"},
		{"POST", "/pause", 409, "state", ""},
		{"POST", "/start", 200, "", "running"},
		{"POST", "/pause", 200, "", "paused"},
		{"POST", "/resume", 200, "", "running"},
		{"DELETE", "", 409, "state", ""},
		{"GET", "/failures", 200, "", ""},
		{"GET", "/failures?after=x", 400, "after", ""},
		{"POST", "/cancel", 200, "", "cancelled"},
		{"DELETE", "", 200, "", ""},
		{"GET", "", 404, "broadcast", ""},
		{"GET", "/failures", 404, "broadcast", ""},
		{"POST", "/start", 404, "broadcast", ""},
		{"DELETE", "", 404, "broadcast", ""},
	} {
		a := r.call(step.method, broadcastsPath+"/"+id+step.path, "")
		a.wants(t, step.status, step.code)
		if step.state != "" && a.body["state"] != step.state {
			t.Errorf("%s %s answers %s", step.method, step.path, a.text)
		}
	}
}

func TestManyRecipientsComeInAPartOfTheirOwn(t *testing.T) {
	r := broadcasting(t)
	var ids strings.Builder
	for i := range 300_000 { // more than JSON may hold
		fmt.Fprintf(&ids, "wxid_%012d\n", i)
	}
	a := r.serve(parts(t, "broadcast", `{"account":"shop","text":"hi","start":true}`, "to", ids.String()))
	a.wants(t, http.StatusCreated, "")
	if a.body["recipients"] != 300_000.0 || a.body["state"] != "running" || a.body["audience"] != "file" {
		t.Errorf("answers %s", a.text)
	}
	if all := r.call("GET", broadcastsPath, "").body["broadcasts"].([]any); len(all) != 1 {
		t.Errorf("%d broadcasts", len(all))
	}
}

func TestWhatCannotBeBroadcastIsRefusedWithAllItsFields(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		fields     string
	}{
		{"an unknown account", `{"account":"shpo","text":"x","to":["a"]}`, "account"},
		{"an unknown action", `{"account":"shop","action":"send_txt","text":"x","to":["a"]}`, "action"},
		{"an action that the channel lacks", `{"account":"mute","text":"x","to":["a"]}`, "action, account"},
		{"missing params", `{"account":"shop","action":"send_file","to":["a"]}`, "params.url"},
		{"an audience of nobody", `{"account":"shop","text":"x"}`, "to"},
		{"an empty one", `{"account":"shop","text":"x","to":[]}`, "to"},
		{"blank ids", `{"account":"shop","text":"x","to":["a",""]}`, "to[1]"},
		{"two audiences", `{"account":"shop","text":"x","to":["a"],"audience":"vip"}`, "to"},
		{"an unknown audience", `{"account":"shop","text":"x","audience":"vpi"}`, "audience"},
		{"a rate of zero", `{"account":"shop","text":"x","to":["a"],"rate":"0/s"}`, "rate"},
		{"no text", `{"account":"shop","to":["a"]}`, "text"},
		{"everything", `{"account":"x","action":"y","rate":"z","text":"t"}`, "action, account, rate, to"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := broadcasting(t)
			a := r.call("POST", broadcastsPath, tt.body)
			a.wants(t, http.StatusBadRequest, "invalid")
			message := a.body["error"].(map[string]any)["message"].(string)
			if _, fields, _ := strings.Cut(message, "fields: "); fields != tt.fields {
				t.Errorf("names %q, want %q: %s", fields, tt.fields, a.text)
			}
			if all := r.call("GET", broadcastsPath, "").body["broadcasts"].([]any); len(all) != 0 {
				t.Errorf("%d were made", len(all))
			}
		})
	}
}

func TestABodyThatIsNoBroadcast(t *testing.T) {
	r := broadcasting(t)
	for _, body := range []string{"", "[]", `{"account":"shop","txt":"x"}`, `{} {}`} {
		r.call("POST", broadcastsPath, body).wants(t, http.StatusBadRequest, "invalid")
	}
	r.call("POST", broadcastsPath, `{"text":"`+strings.Repeat("x", maxBody)+`"}`).wants(t, http.StatusRequestEntityTooLarge, "too_large")
	r.serve(parts(t, "broadcast", `{"account":"shop","text":"`+strings.Repeat("x", maxDefinition)+`"}`, "to", "a")).wants(t, http.StatusRequestEntityTooLarge, "too_large")
	for _, named := range [][]string{{"to", "a"}, {"broadcast", "{}"}, {"broadcast", `{"account":"shop","text":"x"}`, "ids", "a"}} {
		r.serve(parts(t, named...)).wants(t, http.StatusBadRequest, "invalid")
	}
	cut := parts(t, "broadcast", `{"account":"shop","text":"x"}`, "to", "a\nb\n")
	cut.Body = http.NoBody
	r.serve(cut).wants(t, http.StatusBadRequest, "invalid")
	all, err := r.o.Broadcasts.List()
	if err != nil || len(all) > 0 {
		t.Errorf("made %+v, %v", all, err)
	}
}

func TestInvitationsAndTagsAreBroadcast(t *testing.T) {
	r := broadcasting(t)
	for _, body := range []string{
		`{"account":"shop","action":"add_member","params":{"room_id":"1@chatroom"},"to":["a"]}`,
		`{"account":"shop","action":"set_label","params":{"add":["vip"]},"to":["a"]}`,
		`{"account":"shop","text":"x","audience":"vip"}`,
	} {
		r.call("POST", broadcastsPath, body).wants(t, http.StatusCreated, "")
	}
}
