package wecom

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"bot/engine"
	"bot/engine/channel"
)

// once is what message/send gets besides the message itself.
func once(t *testing.T, body, task string) string {
	t.Helper()
	return strings.Replace(body, "$once", `"duplicate_check_interval":`+strconv.Itoa(duplicateInterval(task))+`,"enable_duplicate_check":1`, 1)
}

func TestMessagesToMembers(t *testing.T) {
	card := map[string]any{"card_type": "text_notice", "main_title": map[string]any{"title": "t"}}
	for _, c := range []struct {
		name string
		does engine.Command
		want string
	}{
		{"text", says("t-1", "lina", "你好 <b>"),
			`{"agentid":1000002,$once,"msgtype":"text","text":{"content":"你好 \u003cb\u003e"},"touser":"lina"}`},
		{"several", says("t-1", "lina|wangwu", "a"),
			`{"agentid":1000002,$once,"msgtype":"text","text":{"content":"a"},"touser":"lina|wangwu"}`},
		{"departments", says("t-1", "party/2|3", "a"),
			`{"agentid":1000002,$once,"msgtype":"text","text":{"content":"a"},"toparty":"2|3"}`},
		{"tags", says("t-1", "tag/7", "a"),
			`{"agentid":1000002,$once,"msgtype":"text","text":{"content":"a"},"totag":"7"}`},
		{"with names for ids", engine.Command{TaskID: "t-1", Conversation: "lina", Action: engine.SendText, Text: "a", Params: map[string]any{"enable_id_trans": 1}},
			`{"agentid":1000002,$once,"enable_id_trans":1,"msgtype":"text","text":{"content":"a"},"touser":"lina"}`},
		{"confidential", engine.Command{TaskID: "t-1", Conversation: "@all", Action: engine.SendText, Text: "a", Params: map[string]any{"safe": 1}},
			`{"agentid":1000002,$once,"msgtype":"text","safe":1,"text":{"content":"a"},"touser":"@all"}`},
		{"markdown", engine.Command{TaskID: "t-1", Conversation: "lina", Action: engine.SendMarkdown, Text: "**a**"},
			`{"agentid":1000002,$once,"markdown":{"content":"**a**"},"msgtype":"markdown","touser":"lina"}`},
		{"image by its id", does("t-1", "lina", engine.SendImage, map[string]any{"media_id": "M1"}),
			`{"agentid":1000002,$once,"image":{"media_id":"M1"},"msgtype":"image","touser":"lina"}`},
		{"video", does("t-1", "lina", engine.SendVideo, map[string]any{"media_id": "M1", "title": "t"}),
			`{"agentid":1000002,$once,"msgtype":"video","touser":"lina","video":{"media_id":"M1","title":"t"}}`},
		{"link", does("t-1", "lina", engine.SendLink, map[string]any{"title": "t", "description": "d", "url": "https://e.com"}),
			`{"agentid":1000002,$once,"msgtype":"textcard","textcard":{"description":"d","title":"t","url":"https://e.com"},"touser":"lina"}`},
		{"link with a picture", does("t-1", "lina", engine.SendLink, map[string]any{"title": "t", "url": "https://e.com", "cover_url": "https://e.com/p"}),
			`{"agentid":1000002,$once,"msgtype":"news","news":{"articles":[{"description":"","picurl":"https://e.com/p","title":"t","url":"https://e.com"}]},"touser":"lina"}`},
		{"mini program", does("t-1", "lina", engine.SendMiniapp, map[string]any{"appid": "wx1", "title": "t", "page": "p"}),
			`{"agentid":1000002,$once,"miniprogram_notice":{"appid":"wx1","page":"p","title":"t"},"msgtype":"miniprogram_notice","touser":"lina"}`},
		{"card", does("t-1", "lina", engine.SendCard, map[string]any{"card": card}),
			`{"agentid":1000002,$once,"msgtype":"template_card","template_card":{"card_type":"text_notice","main_title":{"title":"t"}},"touser":"lina"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := appRig(t)
			if note := sent(t, r.sender(t), c.does); note != `{"msgid":"m-1"}` {
				t.Errorf("noted %q", note)
			}
			r.wantBody(t, "message/send", once(t, c.want, "t-1"))
		})
	}
}

func TestWhatMembersCannotBeSent(t *testing.T) {
	r := appRig(t)
	s := r.sender(t)
	long := strings.Repeat("界", 683) // 2049 bytes
	for name, c := range map[string]engine.Command{
		"a text that would be cut":          says("t-1", "lina", long),
		"markdown that would be cut":        {TaskID: "t-1", Conversation: "lina", Action: engine.SendMarkdown, Text: long},
		"a title that would be cut":         does("t-1", "lina", engine.SendLink, map[string]any{"title": long[:129], "url": "https://e.com"}),
		"a description that would be cut":   does("t-1", "lina", engine.SendVideo, map[string]any{"media_id": "m", "description": long[:513]}),
		"an empty text":                     says("t-1", "lina", ""),
		"a place":                           does("t-1", "lina", engine.SendLocation, map[string]any{"latitude": "1", "longitude": "2"}),
		"a file from nowhere":               does("t-1", "lina", engine.SendFile, nil),
		"nobody":                            says("t-1", "", "a"),
		"no department":                     says("t-1", "party/", "a"),
		"no tag":                            says("t-1", "tag/|", "a"),
		"more members than go into one":     says("t-1", strings.Repeat("a|", 1001), "a"),
		"more departments than go into one": says("t-1", "party/"+strings.Repeat("1|", 101), "a"),
		"a department's card, updated":      does("t-1", "party/2", engine.UpdateCard, map[string]any{"response_code": "c", "button": "b"}),
		"a friend request":                  does("t-1", "lina", engine.AcceptFriend, nil),
		"a customer group":                  says("t-1", "wrSYNTHggggHHHHiiiiJJJJ0000000001", "a"),
		"a customer without a ticket":       says("t-1", "wmSYNTHaaaaBBBBccccDDDD0000000001", "a"),
		"a card without what it says":       does("t-1", "lina", engine.UpdateCard, map[string]any{"response_code": "c"}),
		"a recall in customer service":      does("t-1", "wk1/wm1", engine.RevokeMessage, map[string]any{"msgid": "m"}),
		"a label of a member":               does("t-1", "lina", engine.SetLabel, map[string]any{"user_id": "lina", "add": "t"}),
		"a session of a member":             does("t-1", "lina", engine.HandOver, nil),
		"a card of a customer, updated":     does("t-1", "wk1/wm1", engine.UpdateCard, map[string]any{"response_code": "c", "button": "b"}),
		"a param that JSON does not have":   does("t-1", "lina", engine.SendCard, map[string]any{"card": func() {}}),
		"a label that changes nothing":      does("t-1", "wk1/wm1", engine.SetLabel, map[string]any{"user_id": "lina"}),
		"a welcome that is none":            {TaskID: "t-1", Conversation: "wmSYNTHaaaaBBBBccccDDDD0000000001", Action: engine.SendText, Text: "a", Ticket: engine.Ticket{Token: "stream/1"}},
		"the members of a customer group":   does("t-1", "wrSYNTHggggHHHHiiiiJJJJ0000000001", engine.AddMember, map[string]any{"members": "a"}),
		"customer service of no customer":   says("t-1", "wk1/", "a"),
		"a text to a customer, as long":     says("t-1", "wk1/wm1", long),
		"markdown to a customer":            {TaskID: "t-1", Conversation: "wk1/wm1", Action: engine.SendMarkdown, Text: "a"},
		"a menu that is none":               does("t-1", "wk1/wm1", engine.SendCard, map[string]any{"card": "menu"}),
		"a place of words":                  does("t-1", "wk1/wm1", engine.SendLocation, map[string]any{"latitude": "north", "longitude": "2"}),
		"a place off the globe":             does("t-1", "wk1/wm1", engine.SendLocation, map[string]any{"latitude": "2e3", "longitude": "2"}),
		"a link without a picture to them":  does("t-1", "wk1/wm1", engine.SendLink, map[string]any{"title": "t", "url": "https://e.com"}),
	} {
		t.Run(name, func(t *testing.T) { failed(t, s, c, channel.Permanent) })
	}
	if n := len(r.calls); n != 0 || r.tokensIssued() != 0 {
		t.Errorf("%d requests were made", n)
	}
}

// What went to some must not go to them again.
func TestPartlyDelivered(t *testing.T) {
	for _, c := range []struct{ name, to, answer, note string }{
		{"one of two", "lina|ghost", `{"errcode":0,"invaliduser":"ghost","msgid":"m-1"}`, `{"invaliduser":"ghost","msgid":"m-1"}`},
		{"one without a licence", "lina|li", `{"errcode":0,"unlicenseduser":"li","msgid":"m-1"}`, `{"msgid":"m-1","unlicenseduser":"li"}`},
		{"one department of two", "party/2|9", `{"errcode":0,"invalidparty":"9","msgid":"m-1"}`, `{"invalidparty":"9","msgid":"m-1"}`},
		{"members of a department", "party/2", `{"errcode":0,"invaliduser":"2","unlicenseduser":"2","msgid":"m-1"}`, `{"invaliduser":"2","msgid":"m-1","unlicenseduser":"2"}`},
		{"hundreds", "lina|a", `{"errcode":0,"invaliduser":"` + strings.Repeat("ghost|", 200) + `","msgid":"m-1","response_code":"r"}`, `{"msgid":"m-1","response_code":"r"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := appRig(t)
			r.says("message/send", c.answer)
			if note := sent(t, r.sender(t), says("t-1", c.to, "a")); note != c.note {
				t.Errorf("noted %q, want %q", note, c.note)
			}
		})
	}
	r := appRig(t)
	r.says("message/send", `{"errcode":0,"invaliduser":"lina","unlicenseduser":"wang","msgid":"m-1"}`)
	failed(t, r.sender(t), says("t-1", "Lina|wang", "a"), channel.Permanent)
	r.says("message/send", `{"errcode":0,"invalidtag":"7","msgid":"m-1"}`)
	failed(t, r.sender(t), says("t-1", "tag/7", "a"), channel.Permanent)
}

// The platform drops what equals an earlier request, if it is told to: that is
// what makes a repeat after a lost answer safe.
func TestAttemptsAreEqualAndCommandsAreNot(t *testing.T) {
	r := appRig(t)
	r.takesUploads("media/upload")
	hung := false
	seen := make(map[string]int)
	r.on("message/send", func(q *heard) string {
		seen[q.body]++
		if !hung {
			hung = true
			return ""
		}
		return delivers
	})
	c := does("t-1", "lina", engine.SendFile, map[string]any{"url": r.URL + "/cgi-bin/files/doc.pdf"})
	failed(t, r.sender(t), c, channel.Unsure)
	r.host.Fetch = &http.Client{Transport: http.NewFileTransport(http.Dir(t.TempDir()))} // nothing stands there any more
	sent(t, r.sender(t), c)                                                              // as after a restart
	if len(seen) != 1 {
		t.Errorf("two attempts made %d different requests", len(seen))
	}
	wantCalls(t, r.fakeCom, "media/upload", 1)

	clear(seen)
	for _, task := range []string{"t-2", "t-3"} {
		sent(t, r.sender(t), says(task, "lina", "ok"))
	}
	if len(seen) != 2 {
		t.Error("the same text said twice is one request, and would be said once")
	}
	for _, task := range []string{"a", "b", "c"} {
		if d := duplicateInterval(task); d < 120 || d >= 240 {
			t.Errorf("an interval of %d s", d)
		}
	}
}

func TestRecallAndCards(t *testing.T) {
	r := appRig(t)
	s := r.sender(t)
	sent(t, s, does("t-1", "lina", engine.RevokeMessage, map[string]any{"msgid": "m-1"}))
	r.wantBody(t, "message/recall", `{"msgid":"m-1"}`)
	sent(t, s, does("t-1", "party/2", engine.RevokeMessage, map[string]any{"msgid": "m-2"}))
	r.wantBody(t, "message/recall", `{"msgid":"m-2"}`)
	sent(t, s, does("t-2", "lina", engine.UpdateCard, map[string]any{"response_code": "c", "button": "已处理"}))
	r.wantBody(t, "message/update_template_card", `{"agentid":1000002,"button":{"replace_name":"已处理"},"response_code":"c","userids":["lina"]}`)
	sent(t, s, does("t-3", "lina", engine.UpdateCard, map[string]any{"response_code": "c", "card": map[string]any{"card_type": "text_notice"}}))
	r.wantBody(t, "message/update_template_card", `{"agentid":1000002,"response_code":"c","template_card":{"card_type":"text_notice"},"userids":["lina"]}`)
}

// The response_code is for one update: if the second attempt finds it used, the
// first one arrived.
func TestACardThatWasUpdatedInDoubt(t *testing.T) {
	r := appRig(t)
	s := r.sender(t)
	c := does("t-1", "lina", engine.UpdateCard, map[string]any{"response_code": "c", "button": "b"})
	r.says("message/update_template_card", refuses(60140, "response code invalid"))
	failed(t, s, c, channel.Permanent)
	r.says("message/update_template_card", "")
	failed(t, s, c, channel.Unsure)
	r.says("message/update_template_card", refuses(60140, "response code invalid"))
	sentAfterDoubt(t, s, c)
	failed(t, s, does("t-2", "lina", engine.UpdateCard, c.Params), channel.Permanent)
}
