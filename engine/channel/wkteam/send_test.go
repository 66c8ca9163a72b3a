package wkteam

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
)

// gateway answers each path with the data it was given, and any other with
// success; a data that begins with ! is a failure of that message.
type gateway struct {
	*httptest.Server
	mu    sync.Mutex
	data  map[string]string
	calls []call
}

type call struct{ path, token, body string }

func newGateway(t *testing.T, data map[string]string) *gateway {
	g := &gateway{data: data}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		g.mu.Lock()
		g.calls = append(g.calls, call{r.URL.Path, r.Header.Get("Authorization"), string(body)})
		data, ok := g.data[r.URL.Path]
		g.mu.Unlock()
		code, message := "1000", "处理成功"
		if !ok {
			data = "null"
		}
		if words, failed := strings.CutPrefix(data, "!"); failed {
			code, message, data = "1001", words, "null"
		}
		io.WriteString(w, `{"code":"`+code+`","message":"`+message+`","data":`+data+`}`)
	}))
	t.Cleanup(g.Close)
	return g
}

// seen returns the calls so far, and forgets them.
func (g *gateway) seen() []call {
	g.mu.Lock()
	defer g.mu.Unlock()
	calls := g.calls
	g.calls = nil
	return calls
}

func (g *gateway) sender(t *testing.T, h channel.Host, wID string) *sender {
	t.Helper()
	s, err := newSender(channel.Account{Name: "shop", BaseURL: g.URL + "/wx-api/", Token: "t0ken", Self: bot, WID: wID}, h)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func wantClass(t *testing.T, err error, want channel.Class) *channel.SendError {
	t.Helper()
	if err == nil {
		t.Fatalf("done, want %s", want)
	}
	e, ok := err.(*channel.SendError)
	if !ok || e.Class != want {
		t.Fatalf("got %v, want class %s", err, want)
	}
	return e
}

// wantJSON compares numbers by their digits.
func wantJSON(t *testing.T, got, want string) {
	t.Helper()
	a, errA := decode([]byte(got))
	b, errB := decode([]byte(want))
	if errA != nil || errB != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("body %s\nwant %s (%v, %v)", got, want, errA, errB)
	}
}

const room40 = "40@chatroom"

func TestRequests(t *testing.T) {
	type params = map[string]any
	tests := []struct {
		name   string
		action engine.Action
		to     string
		text   string
		params params
		path   string
		body   string // without the wId
	}{
		{"text", engine.SendText, "u", "你好，<欢迎>", nil, "/sendText", `{"wcId":"u","content":"你好，<欢迎>"}`},
		{"text that mentions", engine.SendText, room40, "开会了", params{"at": []any{"u1", "u2"}, "at_names": []any{"小王", "小李"}},
			"/sendText", `{"wcId":"40@chatroom","content":"@小王 @小李 开会了","at":"u1,u2"}`},
		{"text that mentions whom it names itself", engine.SendText, room40, "@小王 来", params{"at": "u1", "at_names": "小王"},
			"/sendText", `{"wcId":"40@chatroom","content":"@小王 来","at":"u1"}`},
		{"text for everybody", engine.SendText, room40, "放假", params{"at": "all"},
			"/sendText", `{"wcId":"40@chatroom","content":"@所有人 放假","at":"notify@all"}`},
		{"in private nobody is mentioned", engine.SendText, "u", "x", params{"at": "u"}, "/sendText", `{"wcId":"u","content":"x"}`},
		{"image", engine.SendImage, "u", "", params{"url": "https://e.com/a.png"}, "/sendImage2", `{"wcId":"u","content":"https://e.com/a.png"}`},
		{"file", engine.SendFile, "u", "", params{"url": "https://e.com/a", "name": "报价.pdf"}, "/sendFile",
			`{"wcId":"u","path":"https://e.com/a","fileName":"报价.pdf"}`},
		{"file named by its address", engine.SendFile, "u", "", params{"url": "https://e.com/d/a.pdf?x=1/2"}, "/sendFile",
			`{"wcId":"u","path":"https://e.com/d/a.pdf?x=1/2","fileName":"a.pdf"}`},
		{"voice", engine.SendVoice, "u", "", params{"url": "https://e.com/a.silk", "duration": json.Number("3.2")}, "/sendVoice",
			`{"wcId":"u","content":"https://e.com/a.silk","length":3200}`},
		{"video", engine.SendVideo, "u", "", params{"url": "https://e.com/a.mp4", "cover_url": "https://e.com/a.jpg"}, "/sendVideo",
			`{"wcId":"u","path":"https://e.com/a.mp4","thumbPath":"https://e.com/a.jpg"}`},
		{"link", engine.SendLink, "u", "", params{"title": "T", "description": "D", "url": "https://e.com", "cover_url": "https://e.com/a.jpg"}, "/sendUrl",
			`{"wcId":"u","title":"T","description":"D","url":"https://e.com","thumbUrl":"https://e.com/a.jpg"}`},
		{"name card", engine.SendContact, "u", "", params{"user": "v"}, "/sendNameCard", `{"wcId":"u","nameCardId":"v"}`},
		{"emoji", engine.SendEmoji, "u", "", params{"md5": "fe", "size": json.Number("60023")}, "/sendEmoji", `{"wcId":"u","imageMd5":"fe","imgSize":60023}`},
		{"mini-program", engine.SendMiniapp, "u", "", params{"content": "<appmsg/>"}, "/sendApplet", `{"wcId":"u","content":"<appmsg/>"}`},
		{"forward an image", engine.Forward, "u", "", params{"type": "image", "content": "<msg/>"}, "/sendRecvImage", `{"wcId":"u","content":"<msg/>"}`},
		{"forward a link", engine.Forward, "u", "", params{"type": "link", "content": "<msg/>"}, "/forwardUrl", `{"wcId":"u","content":"<msg/>"}`},
		{"revoke, by the note", engine.RevokeMessage, "u", "", params{"msgId": "800009001", "newMsgId": "8200000000000009001", "createTime": "1790000000"}, "/revokeMsg",
			`{"wcId":"u","msgId":800009001,"newMsgId":8200000000000009001,"createTime":1790000000}`},
		{"ids that are no numbers stay texts", engine.RevokeMessage, "u", "", params{"msgId": "007", "newMsgId": "x", "createTime": "-1"}, "/revokeMsg",
			`{"wcId":"u","msgId":"007","newMsgId":"x","createTime":-1}`},
		{"accept", engine.AcceptFriend, "u", "", params{"v1": "v3_a", "v2": "v4_b", "scene": "14"}, "/acceptUser", `{"v1":"v3_a","v2":"v4_b","type":14}`},
		{"add by a card", engine.AddFriend, "", "", params{"v1": "v3_a", "v2": "v4_b", "greeting": "你好"}, "/addUser",
			`{"v1":"v3_a","v2":"v4_b","type":3,"verify":"你好"}`},
		{"add from a room", engine.AddFriend, "", "hi", params{"user": "u", "room_id": room40}, "/addRoomMemberFriend",
			`{"chatRoomId":"40@chatroom","memberWcId":"u","content":"hi"}`},
		{"delete a friend", engine.DeleteFriend, "u", "", nil, "/delContact", `{"wcId":"u"}`},
		{"remark", engine.SetRemark, "u", "", params{"remark": "老王"}, "/modifyRemark", `{"wcId":"u","remark":"老王"}`},
		{"remark of a room", engine.SetRemark, room40, "", params{"remark": "R"}, "/modifyGroupRemark", `{"chatRoomId":"40@chatroom","content":"R"}`},
		{"create a room", engine.CreateGroup, "", "", params{"members": "u1,u2", "name": "N"}, "/createChatroom", `{"userList":"u1,u2","topic":"N"}`},
		{"add members", engine.AddMember, room40, "", params{"members": []any{"u1", "u2"}}, "/addChatRoomMember", `{"chatRoomId":"40@chatroom","userList":"u1,u2"}`},
		{"add one to a named room", engine.AddMember, "u", "", params{"invited_wxid": "u1", "room_id": room40}, "/addChatRoomMember", `{"chatRoomId":"40@chatroom","userList":"u1"}`},
		{"invite", engine.AddMember, room40, "", params{"members": "u1", "invite": true}, "/inviteChatRoomMember", `{"chatRoomId":"40@chatroom","userList":"u1"}`},
		{"ask for members", engine.AddMember, room40, "", params{"members": "u1", "reason": "朋友"}, "/addChatRoomMemberVerify",
			`{"chatRoomId":"40@chatroom","userList":"u1","reason":"朋友"}`},
		{"remove members", engine.RemoveMember, room40, "", params{"members": "u1"}, "/deleteChatRoomMember", `{"chatRoomId":"40@chatroom","userList":"u1"}`},
		{"approve", engine.ApproveMember, room40, "", params{"newMsgId": "8200000000000054001", "xml": "<sysmsg/>"}, "/agreeAddChatRoomMember",
			`{"chatRoomId":"40@chatroom","newMsgId":8200000000000054001,"xml":"<sysmsg/>"}`},
		{"accept an invitation", engine.AcceptGroup, "u", "", params{"url": "https://e.com/?t=1"}, "/acceptUrl", `{"url":"https://e.com/?t=1"}`},
		{"rename", engine.RenameGroup, room40, "", params{"name": "N"}, "/modifyGroupName", `{"chatRoomId":"40@chatroom","content":"N"}`},
		{"announcement", engine.SetAnnouncement, room40, "周日休息", nil, "/setChatRoomAnnouncement", `{"chatRoomId":"40@chatroom","content":"周日休息"}`},
		{"an administrator", engine.SetAdmin, room40, "", params{"user": "u"}, "/operateChatRoom", `{"chatRoomId":"40@chatroom","wcId":"u","type":1}`},
		{"no longer one", engine.SetAdmin, room40, "", params{"user": "u", "on": false}, "/operateChatRoom", `{"chatRoomId":"40@chatroom","wcId":"u","type":2}`},
		{"a new owner", engine.TransferGroup, room40, "", params{"user": "u"}, "/operateChatRoom", `{"chatRoomId":"40@chatroom","wcId":"u","type":3}`},
		{"leave", engine.LeaveGroup, room40, "", nil, "/quitChatRoom", `{"chatRoomId":"40@chatroom"}`},
	}
	g := newGateway(t, nil)
	s := g.sender(t, channeltest.Host(t), "w1")
	tried := make(map[engine.Action]bool)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tried[tt.action] = true
			c := engine.Command{Action: tt.action, Conversation: tt.to, Text: tt.text, Params: tt.params}
			if _, err := s.Send(t.Context(), &c); err != nil {
				t.Fatal(err)
			}
			calls := g.seen()
			if len(calls) != 1 || calls[0].path != "/wx-api"+tt.path || calls[0].token != "t0ken" {
				t.Fatalf("calls %+v, want one of %s", calls, tt.path)
			}
			wantJSON(t, calls[0].body, strings.Replace(tt.body, "{", `{"wId":"w1",`, 1))
		})
	}
	tried[engine.SetLabel] = true // below
	for a := range actions {
		if !tried[a] {
			t.Errorf("%s is not tried", a)
		}
	}
}

func TestCommandsThatCannotBeDone(t *testing.T) {
	tests := []struct {
		action engine.Action
		params map[string]any
		says   string
	}{
		{engine.SendVoice, map[string]any{"url": "x", "duration": "long"}, "duration"},
		{engine.SendVoice, map[string]any{"url": "x", "duration": "NaN"}, "duration"},
		{engine.Forward, map[string]any{"type": "sound", "content": "x"}, "type"},
		{engine.AddFriend, map[string]any{"user": "u"}, "room_id"},
		{engine.AddMember, nil, "members or invited_wxid"},
		{engine.CreateGroup, map[string]any{"members": "u1"}, "two members"},
		{engine.SetLabel, nil, "add or remove"},
		{engine.DissolveGroup, nil, "no action"},
	}
	g := newGateway(t, nil)
	s := g.sender(t, channeltest.Host(t), "w1")
	for _, tt := range tests {
		_, err := s.Send(t.Context(), &engine.Command{Action: tt.action, Conversation: "u", Params: tt.params})
		if e := wantClass(t, err, channel.Permanent); !strings.Contains(e.Note, tt.says) {
			t.Errorf("%s: %q does not say %q", tt.action, e.Note, tt.says)
		}
	}
	if calls := g.seen(); len(calls) != 0 {
		t.Errorf("calls %+v, want none", calls)
	}
}

func TestNotes(t *testing.T) {
	create := engine.Command{Action: engine.CreateGroup, Params: map[string]any{"members": "u1,u2"}}
	send := engine.Command{Action: engine.SendText, Conversation: "u", Text: "x"}
	tests := []struct {
		name string
		c    engine.Command
		data string
		want string
	}{
		{"a message keeps every digit", send, `{"msgId":9007199254740993,"newMsgId":"9223372036854775807","createTime":1}`,
			`{"createTime":"1","msgId":"9007199254740993","newMsgId":"9223372036854775807"}`},
		{"no ids", send, `null`, ""},
		{"an endless id", send, `{"newMsgId":"` + strings.Repeat("9", 600) + `"}`, ""},
		{"a room by its member", create, `{"chatRoomId":"1@chatroom"}`, `{"room_id":"1@chatroom"}`},
		{"a room by another", create, `{"userName":"1@chatroom"}`, `{"room_id":"1@chatroom"}`},
		{"a room alone", create, `"1@chatroom"`, `{"room_id":"1@chatroom"}`},
		{"no room", create, `{"chatRoomId":7}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGateway(t, map[string]string{"/wx-api/sendText": tt.data, "/wx-api/createChatroom": tt.data})
			note, err := g.sender(t, channeltest.Host(t), "w1").Send(t.Context(), &tt.c)
			if err != nil || note != tt.want {
				t.Errorf("noted %q, %v; want %q", note, err, tt.want)
			}
		})
	}
}

func TestThrottledUntil(t *testing.T) {
	g := newGateway(t, map[string]string{"/wx-api/sendText": "!操作过于频繁"})
	h := channeltest.Host(t)
	h.Now = func() time.Time { return noon }
	_, err := g.sender(t, h, "w1").Send(t.Context(), &engine.Command{Action: engine.SendText, Conversation: "u"})
	if e := wantClass(t, err, channel.Throttled); !e.Until.Equal(noon.Add(30 * time.Minute)) {
		t.Errorf("until %v, want half an hour from %v", e.Until, noon)
	}
}
