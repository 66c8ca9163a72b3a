package gewe

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
	"bot/engine/channel/gewe/gewestub"
	"bot/engine/stub"
)

// platform is a stub that listens, and a sender to it.
func platform(t *testing.T, a channel.Account, h channel.Host) (*stub.Stub, *sender) {
	t.Helper()
	p, err := stub.New(stub.Options{Protocol: gewestub.New, Account: a, Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	t.Cleanup(p.Close)
	a.BaseURL = srv.URL + "/gewe/v2/api/"
	s, err := newSender(a, h)
	if err != nil {
		t.Fatal(err)
	}
	return p, s.(*sender)
}

func classIs(t *testing.T, err error, want channel.Class) *channel.SendError {
	t.Helper()
	e, ok := errors.AsType[*channel.SendError](err)
	if !ok || e.Class != want {
		t.Fatalf("got %v, want class %q", err, want)
	}
	return e
}

type param = map[string]any

// requests are all actions, as the gateway takes them.
var requests = []struct {
	name    string
	command engine.Command
	path    string
	body    string // without appId
}{
	{"a text", engine.Command{Action: engine.SendText, Conversation: friend, Text: "你好，<欢迎>"},
		"message/postText", `{"toWxid":"wxid_testfriend00001","content":"你好，<欢迎>"}`},
	{"a text that mentions", engine.Command{Action: engine.SendText, Conversation: group, Text: "看这里",
		Params: param{"at": []any{"wxid_a", "all"}, "at_names": []any{"小测"}}},
		"message/postText", `{"toWxid":"10000000001@chatroom","content":"@小测 @所有人 看这里","ats":"wxid_a,notify@all"}`},
	{"a mention means nothing in private", engine.Command{Action: engine.SendText, Conversation: friend, Text: "x", Params: param{"at": "wxid_a"}},
		"message/postText", `{"toWxid":"wxid_testfriend00001","content":"x"}`},
	{"a picture", engine.Command{Action: engine.SendImage, Conversation: "u", Params: param{"url": "https://x/y.png", "toWxid": "forged", "appId": "forged"}},
		"message/postImage", `{"toWxid":"u","imgUrl":"https://x/y.png"}`},
	{"a file", engine.Command{Action: engine.SendFile, Conversation: "u", Params: param{"url": "https://x/y", "name": "报价.pdf"}},
		"message/postFile", `{"toWxid":"u","fileUrl":"https://x/y","fileName":"报价.pdf"}`},
	{"a file without a name", engine.Command{Action: engine.SendFile, Conversation: "u", Params: param{"url": "https://x/a/y.pdf?z=1"}},
		"message/postFile", `{"toWxid":"u","fileUrl":"https://x/a/y.pdf?z=1","fileName":"y.pdf"}`},
	{"a voice", engine.Command{Action: engine.SendVoice, Conversation: "u", Params: param{"url": "https://x/y.silk", "duration": json.Number("3.2")}},
		"message/postVoice", `{"toWxid":"u","voiceUrl":"https://x/y.silk","voiceDuration":3200}`},
	{"a video", engine.Command{Action: engine.SendVideo, Conversation: "u", Params: param{"url": "https://x/y.mp4", "cover_url": "https://x/c.jpg", "duration": 11, "thumbnailUrl": "t"}},
		"message/postVideo", `{"toWxid":"u","videoUrl":"https://x/y.mp4","thumbUrl":"https://x/c.jpg","videoDuration":11,"thumbnailUrl":"t"}`},
	{"a link", engine.Command{Action: engine.SendLink, Conversation: "u", Params: param{"title": "t", "description": "d", "url": "https://x", "cover_url": "https://c"}},
		"message/postLink", `{"toWxid":"u","title":"t","desc":"d","linkUrl":"https://x","thumbUrl":"https://c"}`},
	{"a name card", engine.Command{Action: engine.SendContact, Conversation: "u", Params: param{"user": "wxid_a", "name": "n"}},
		"message/postNameCard", `{"toWxid":"u","nickName":"n","nameCardWxid":"wxid_a"}`},
	{"an emoji", engine.Command{Action: engine.SendEmoji, Conversation: "u", Params: param{"md5": "ab", "size": "60023"}},
		"message/postEmoji", `{"toWxid":"u","emojiMd5":"ab","emojiSize":60023}`},
	{"a mini-program", engine.Command{Action: engine.SendMiniapp, Conversation: "u", Params: param{
		"miniAppId": "wx0", "displayName": "d", "pagePath": "p", "coverImgUrl": "c", "title": "t", "userName": "gh_x@app"}},
		"message/postMiniApp", `{"toWxid":"u","miniAppId":"wx0","displayName":"d","pagePath":"p","coverImgUrl":"c","title":"t","userName":"gh_x@app"}`},
	{"a raw card", engine.Command{Action: engine.SendCard, Conversation: "u", Params: param{"card": "<appmsg/>"}},
		"message/postAppMsg", `{"toWxid":"u","appmsg":"<appmsg/>"}`},
	{"a picture forwarded", engine.Command{Action: engine.Forward, Conversation: "u", Params: param{"type": "image", "content": "wxid_a:\n<msg/>"}},
		"message/forwardImage", `{"toWxid":"u","xml":"<msg/>"}`},
	{"a mini-program forwarded", engine.Command{Action: engine.Forward, Conversation: "u", Params: param{"type": "miniapp", "content": "<msg/>", "cover_url": "c"}},
		"message/forwardMiniApp", `{"toWxid":"u","xml":"<msg/>","coverImgUrl":"c"}`},
	{"accepting", engine.Command{Action: engine.AcceptFriend, Conversation: "u", Params: param{"scene": "14", "v3": "v3_x", "v4": "v4_x"}},
		"contacts/addContacts", `{"scene":14,"option":3,"content":"","v3":"v3_x","v4":"v4_x"}`},
	{"adding", engine.Command{Action: engine.AddFriend, Params: param{"scene": 3, "v3": "v3_x", "v4": "v4_x", "content": "您好"}},
		"contacts/addContacts", `{"scene":3,"option":2,"content":"您好","v3":"v3_x","v4":"v4_x"}`},
	{"adding a member", engine.Command{Action: engine.AddFriend, Params: param{"memberWxid": "wxid_a", "chatroomId": group, "content": "您好"}},
		"group/addGroupMemberAsFriend", `{"chatroomId":"10000000001@chatroom","memberWxid":"wxid_a","content":"您好"}`},
	{"deleting", engine.Command{Action: engine.DeleteFriend, Conversation: "u"}, "contacts/deleteFriend", `{"wxid":"u"}`},
	{"a remark", engine.Command{Action: engine.SetRemark, Conversation: "u", Params: param{"remark": "王"}},
		"contacts/setFriendRemark", `{"wxid":"u","remark":"王"}`},
	{"a new group", engine.Command{Action: engine.CreateGroup, Params: param{"members": []any{"wxid_a", "wxid_b"}, "name": "n"}},
		"group/createChatroom", `{"wxids":["wxid_a","wxid_b"]}`},
	{"inviting", engine.Command{Action: engine.AddMember, Conversation: "task", Params: param{"members": "wxid_a,wxid_b", "room_id": group, "reason": "r"}},
		"group/inviteMember", `{"chatroomId":"10000000001@chatroom","wxids":"wxid_a,wxid_b","reason":"r"}`},
	{"inviting one", engine.Command{Action: engine.AddMember, Conversation: group, Params: param{"invited_wxid": "wxid_a"}},
		"group/inviteMember", `{"chatroomId":"10000000001@chatroom","wxids":"wxid_a","reason":""}`},
	{"removing", engine.Command{Action: engine.RemoveMember, Conversation: group, Params: param{"members": []string{"wxid_a"}}},
		"group/removeMember", `{"chatroomId":"10000000001@chatroom","wxids":"wxid_a"}`},
	{"letting in", engine.Command{Action: engine.ApproveMember, Conversation: group, Params: param{"newMsgId": "9007199254740993", "msgContent": "<sysmsg/>"}},
		"group/roomAccessApplyCheckApprove", `{"chatroomId":"10000000001@chatroom","newMsgId":"9007199254740993","msgContent":"<sysmsg/>"}`},
	{"accepting an invitation", engine.Command{Action: engine.AcceptGroup, Conversation: "u", Params: param{"url": "https://x"}},
		"group/agreeJoinRoom", `{"url":"https://x"}`},
	{"renaming", engine.Command{Action: engine.RenameGroup, Conversation: group, Params: param{"name": "n"}},
		"group/modifyChatroomName", `{"chatroomId":"10000000001@chatroom","chatroomName":"n"}`},
	{"an announcement", engine.Command{Action: engine.SetAnnouncement, Conversation: group, Text: "休息"},
		"group/setChatroomAnnouncement", `{"chatroomId":"10000000001@chatroom","content":"休息"}`},
	{"leaving", engine.Command{Action: engine.LeaveGroup, Conversation: group}, "group/quitChatroom", `{"chatroomId":"10000000001@chatroom"}`},
	{"dissolving", engine.Command{Action: engine.DissolveGroup, Conversation: group}, "group/disbandChatroom", `{"chatroomId":"10000000001@chatroom"}`},
	{"labels by number", engine.Command{Action: engine.SetLabel, Conversation: "u", Params: param{"labelIds": "1,2"}},
		"label/modifyMemberList", `{"labelIds":"1,2","wxIds":["u"]}`},
}

func TestRequests(t *testing.T) {
	seen := map[engine.Action]bool{engine.RevokeMessage: true} // TestRevoke
	for _, tt := range requests {
		seen[tt.command.Action] = true
		t.Run(tt.name, func(t *testing.T) {
			p, s := platform(t, shop(), channeltest.Host(t))
			if _, err := s.Send(t.Context(), &tt.command); err != nil {
				t.Fatal(err)
			}
			c := p.Calls(nil)[0]
			if c.Method != http.MethodPost || c.Path != "/gewe/v2/api/"+tt.path || c.Header.Get("X-GEWE-TOKEN") != shop().Token {
				t.Errorf("%s %s with %v", c.Method, c.Path, c.Header)
			}
			want := strings.Replace(tt.body, "{", `{"appId":"`+appID+`",`, 1)
			if got, want := decoded(t, c.Body), decoded(t, []byte(want)); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
			if action := c.Action; action != tt.command.Action {
				t.Errorf("the platform took it for %q", action)
			}
		})
	}
	_, s := platform(t, shop(), channeltest.Host(t))
	for _, a := range engine.Actions() {
		if _, can := s.Needs(a); can != seen[a] {
			t.Errorf("%s: can %v, tried %v", a, can, seen[a])
		}
	}
}

// decoded keeps numbers as they were written.
func decoded(t *testing.T, b []byte) (m map[string]any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(strings.ReplaceAll(string(b), "\u2005", " ")))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return m
}

// The name's end in a mention is the space that clients write.
func TestVisibleMention(t *testing.T) {
	o := sendText(&engine.Command{Conversation: group, Text: "x", Params: param{"at": "wxid_a", "at_names": "小测"}})
	if o.body["content"] != "@小测\u2005x" {
		t.Errorf("content %q", o.body["content"])
	}
}

func TestImpossibleCommands(t *testing.T) {
	for _, c := range []engine.Command{
		{Action: engine.SendText, Conversation: "unknown-room/7100000000000000101", Text: "x"},
		{Action: engine.SendVoice, Conversation: "u", Params: param{"url": "x", "duration": "long"}},
		{Action: engine.SendVoice, Conversation: "u", Params: param{"url": "x", "duration": "-1"}},
		{Action: engine.SendVideo, Conversation: "u", Params: param{"url": "x", "cover_url": "c", "duration": "NaN"}},
		{Action: engine.SendEmoji, Conversation: "u", Params: param{"md5": "x", "size": "1.5"}},
		{Action: engine.Forward, Conversation: "u", Params: param{"type": "voice", "content": "<msg/>"}},
		{Action: engine.AcceptFriend, Conversation: "u", Params: param{"scene": "x", "v3": "v3", "v4": "v4"}},
		{Action: engine.AddFriend, Params: param{"v3": "v3"}},
		{Action: engine.AddFriend, Params: param{"memberWxid": "w"}},
		{Action: engine.SetRemark, Conversation: group, Params: param{"remark": "x"}},
		{Action: engine.SetLabel, Conversation: "u"},
		{Action: engine.CreateGroup, Params: param{"members": "one"}},
		{Action: engine.AddMember, Conversation: group},
		{Action: engine.LeaveGroup, Conversation: friend},
		{Action: engine.HandOver, Conversation: "u"},
	} {
		p, s := platform(t, shop(), channeltest.Host(t))
		_, err := s.Send(t.Context(), &c)
		classIs(t, err, channel.Permanent)
		if n := len(p.Calls(nil)); n != 0 {
			t.Errorf("%s %v: %d requests", c.Action, c.Params, n)
		}
	}
}

// What is noted of a message takes it back.
func TestRevoke(t *testing.T) {
	_, s := platform(t, shop(), channeltest.Host(t))
	note, err := s.Send(t.Context(), &engine.Command{Action: engine.SendText, Conversation: friend, Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	params := decoded(t, []byte(note))
	if _, err := s.Send(t.Context(), &engine.Command{Action: engine.RevokeMessage, Conversation: friend, Params: params}); err != nil {
		t.Error(err)
	}
	_, err = s.Send(t.Context(), &engine.Command{Action: engine.RevokeMessage, Conversation: friend, Params: params})
	classIs(t, err, channel.Permanent)
}

func TestNotes(t *testing.T) {
	for data, want := range map[string]string{
		`{"newMsgId":9007199254740993}`:                              `{"createTime":"0","msgId":"0","newMsgId":"9007199254740993"}`,
		`{"newMsgId":"7","msgId":5,"createTime":null}`:               `{"createTime":"0","msgId":"5","newMsgId":"7"}`,
		`{"chatroomId":"1@chatroom","headImgBase64":"x"}`:            `{"room_id":"1@chatroom"}`,
		`{"chatroomId":"` + strings.Repeat("9", 600) + `@chatroom"}`: "",
		`{"v3":"x"}`: "", `null`: "", `true`: "", `[{"newMsgId":1}]`: "", ``: "",
	} {
		if got := noteOf(json.RawMessage(data)); got != want {
			t.Errorf("%s: noted %q, want %q", data, got, want)
		}
	}
}

func TestThrottledUntilItCooledDown(t *testing.T) {
	_, s := platform(t, shop(), channeltest.Host(t))
	s.now = func() time.Time { return noon }
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(`{"ret":500,"msg":"发送失败","data":{"msg":"账号已被风控"}}`))
	}))
	defer srv.Close()
	s.base.Host = strings.TrimPrefix(srv.URL, "http://")
	_, err := s.Send(t.Context(), &engine.Command{Action: engine.SendText, Conversation: friend, Text: "x"})
	if e := classIs(t, err, channel.Throttled); !e.Until.Equal(noon.Add(coolDown)) {
		t.Errorf("until %v", e.Until)
	}
}

// The recorded answers mean what their names say.
func TestRecordedAnswers(t *testing.T) {
	for file, want := range map[string]channel.Class{
		"add_contacts_ok": "", "brief_info_ok": "", "check_online": "", "download_image_ok": "", "send_text_ok": "",
		"send_image_fail": channel.Transient, "send_offline": channel.Halted, "set_callback_fail": channel.Unsure,
	} {
		b, err := os.ReadFile("testdata/answers/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if _, f := judge(&channel.Reply{Status: 200, Body: b}); f.class != want {
			t.Errorf("%s: %+v, want %q", file, f, want)
		}
	}
}
