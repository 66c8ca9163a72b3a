package qiwe

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
)

var noon = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

const (
	guid   = "00000000-AAAA-4BBB-8CCC-000000000001"
	self   = "1688000000000001"
	friend = "7881300000000001"
	roomID = "10800000000000001"
)

func ours() channel.Account {
	return channel.Account{Name: "shop", GUID: guid, Self: self, Token: "t0ken", Names: []string{"小助手"}}
}

// receive lets a path of the accounts read a body.
func receive(t *testing.T, h channel.Host, accounts []channel.Account, body string, header http.Header) (channel.Receipt, *channel.Refusal) {
	t.Helper()
	r, err := newReceiver(accounts, h)
	if err != nil {
		t.Fatal(err)
	}
	receipt, err := r.Receive(&channel.Request{Method: http.MethodPost, Header: header, Body: []byte(body), Now: noon})
	refusal, ok := errors.AsType[*channel.Refusal](err)
	if err != nil && !ok {
		t.Fatalf("%v is no refusal", err)
	}
	return receipt, refusal
}

// one reads a body that holds one event.
func one(t *testing.T, body string) *engine.Event {
	t.Helper()
	receipt, refusal := receive(t, channeltest.Host(t), []channel.Account{ours()}, body, nil)
	if refusal != nil || len(receipt.Events) != 1 {
		t.Fatalf("%d events and %v, want one event", len(receipt.Events), refusal)
	}
	return receipt.Events[0]
}

// reading is how a recorded callback is to be read: an entry of index.json.
type reading struct {
	File, Kind, Account                         string
	MsgUID                                      *string `json:"msg_uid"`
	Self, Group                                 bool
	Conversation, Sender, Text, Mention, Quoted string
	Actor                                       *string
	Members                                     []string
	Texts                                       []string
}

func TestRecordedCallbacksReadAsTheIndexSays(t *testing.T) {
	b, err := os.ReadFile("testdata/index.json")
	if err != nil {
		t.Fatal(err)
	}
	var index []reading
	if err := json.Unmarshal(b, &index); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/samples/*.json")
	if err != nil || len(files) != len(index) {
		t.Fatalf("%d samples and %d readings (%v)", len(files), len(index), err)
	}
	for _, want := range index {
		t.Run(want.File, func(t *testing.T) {
			body, err := os.ReadFile(filepath.Join("testdata/samples", want.File))
			if err != nil {
				t.Fatal(err)
			}
			got, refusal := receive(t, channeltest.Host(t), []channel.Account{ours()}, string(body), nil)
			if refusal != nil || got.Answer.Status != http.StatusOK || got.Foreign != "" {
				t.Fatalf("got %+v, %v; want it taken", got, refusal)
			}
			want.check(t, got.Events)
		})
	}
}

func (want *reading) check(t *testing.T, got []*engine.Event) {
	t.Helper()
	switch {
	case want.Kind == "ignore", want.Kind == "empty", strings.HasPrefix(want.Kind, "control_"):
		if len(got) != 0 {
			t.Errorf("%d events, want none", len(got))
		}
		return
	case want.Kind == "batch":
		var texts []string
		for _, e := range got {
			texts = append(texts, e.Text)
		}
		if !slices.Equal(texts, want.Texts) {
			t.Errorf("texts %q, want %q", texts, want.Texts)
		}
		return
	case len(got) != 1:
		t.Fatalf("%d events, want 1", len(got))
	}
	e := got[0]
	kind, typ := engine.Kind(want.Kind), ""
	switch {
	case want.Kind == "unknown":
		typ = "88888"
	case !slices.Contains(engine.Kinds(), kind):
		kind, typ = engine.Message, want.Kind
	}
	if e.Kind != kind || e.Type != typ || e.Account != "shop" {
		t.Errorf("read as %s %q of %q, want %s %q", e.Kind, e.Type, e.Account, kind, typ)
	}
	if want.MsgUID != nil && e.ID != *want.MsgUID || want.MsgUID == nil && want.Kind != "async_result" && !strings.HasPrefix(e.ID, "sha256:") {
		t.Errorf("id %q, want %v", e.ID, want.MsgUID)
	}
	if e.Self != want.Self || e.Group != want.Group || string(e.Mention) != want.Mention {
		t.Errorf("self %v, group %v, mention %q; want %v, %v, %q", e.Self, e.Group, e.Mention, want.Self, want.Group, want.Mention)
	}
	if e.Conversation == "" || want.Conversation != "" && e.Conversation != want.Conversation {
		t.Errorf("conversation %q, want %q", e.Conversation, want.Conversation)
	}
	if want.Sender != "" && e.Sender != want.Sender || e.Text != want.Text && want.Text != "" {
		t.Errorf("%q said by %q, want %q by %q", e.Text, e.Sender, want.Text, want.Sender)
	}
	if want.Members != nil && !slices.Equal(e.Members, want.Members) {
		t.Errorf("members %q, want %q", e.Members, want.Members)
	}
	if want.Actor != nil && e.Actor != *want.Actor {
		t.Errorf("actor %q, want %q", e.Actor, *want.Actor)
	}
	if e.Params["quoted"] != want.Quoted {
		t.Errorf("quotes %q, want %q", e.Params["quoted"], want.Quoted)
	}
	if e.Time.IsZero() || e.Time.Year() != 2026 {
		t.Errorf("time %v", e.Time)
	}
}

// What the index does not say of the recorded callbacks.
func TestRecordedContents(t *testing.T) {
	file := map[string]string{
		"fileAeskey": "00112233445566778899AABBCCDDEEFF", "fileMd5": "0123456789abcdef0123456789abcdef",
	}
	with := func(more ...string) map[string]string {
		m := map[string]string{}
		for k, v := range file {
			m[k] = v
		}
		for i := 0; i < len(more); i += 2 {
			m[more[i]] = more[i+1]
		}
		return m
	}
	tests := []struct {
		file   string
		text   string
		media  []engine.Media
		params map[string]string
	}{
		{"image_wecom", "", []engine.Media{{Kind: "image", Name: "a.jpg", Size: 29980}},
			with("fileId", "TESTFILEID*1", "fileSize", "29980", "filename", "a.jpg")},
		{"image_wechat", "", []engine.Media{{Kind: "image", Size: 29980}},
			with("fileAuthkey", "v1_TESTAUTH", "fileSize", "29980", "fileUrl", "https://imunion.example.com/big")},
		{"file_wechat", "", []engine.Media{{Kind: "file", Name: "报价单.xlsx", Size: 10240}},
			with("fileAuthkey", "v1_TESTAUTH", "fileSize", "10240", "fileUrl", "https://imunion.example.com/f", "filename", "报价单.xlsx")},
		{"file_wecom", "", []engine.Media{{Kind: "file", Name: "报价单.xlsx", Size: 10240}},
			with("fileId", "TESTFILEID*4", "fileSize", "10240", "filename", "报价单.xlsx")},
		{"video_wechat", "", []engine.Media{{Kind: "video", Name: "v.mp4", Size: 1490563}},
			with("fileAuthkey", "v1_TESTAUTH", "fileSize", "1490563", "fileUrl", "https://imunion.example.com/v", "filename", "v.mp4", "duration", "11")},
		{"voice", "", []engine.Media{{Kind: "voice", Size: 5400}},
			with("fileId", "TESTFILEID*2", "fileSize", "5400", "duration", "3")},
		{"gif_wechat", "", []engine.Media{{Kind: "image", Size: 3000}},
			with("fileAuthkey", "v1_TESTAUTH", "fileSize", "3000", "fileUrl", "https://imunion.example.com/g")},
		{"mixed_text_image", "看图", []engine.Media{{Kind: "image", Size: 100}},
			with("fileId", "TESTFILEID*5", "fileSize", "100")},
		{"link", "", nil, map[string]string{"title": "一篇文章", "description": "摘要", "url": "https://www.example.com/post/1?a=1&b=2", "cover_url": "https://img.example.com/t.jpg"}},
		{"location", "", nil, map[string]string{"title": "测试大厦", "address": "测试路1号", "latitude": "39.9", "longitude": "116.4"}},
		{"miniapp", "", nil, map[string]string{"appId": "wx0000000000000001", "username": "gh_testmini00001@app", "title": "下单", "pagePath": "pages/index.html", "iconUrl": "https://img.example.com/i"}},
		{"friend_request", "", nil, map[string]string{"userId": "7881300000000002"}},
		{"friend_request_short", "", nil, map[string]string{"userId": "7881300000000002"}},
		{"account_online", "登录成功", nil, map[string]string{"code": "11001", "status": "2"}},
		{"account_offline_kicked", "在其他设备登录", nil, map[string]string{"code": "11017", "status": "-1"}},
		{"async_result", "", nil, map[string]string{"requestId": "async-req-0001", "cloudUrl": "https://files.example.com/TEST.jpg"}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			e := one(t, sample(t, tt.file))
			if e.Text != tt.text || !reflect.DeepEqual(e.Media, tt.media) || !reflect.DeepEqual(e.Params, tt.params) {
				t.Errorf("got %q %+v %v\nwant %q %+v %v", e.Text, e.Media, e.Params, tt.text, tt.media, tt.params)
			}
		})
	}
}

func sample(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/samples", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
