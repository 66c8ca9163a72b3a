package qiwe

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bot/engine"
	"bot/engine/channel/channeltest"
)

func canonical(t *testing.T, b []byte) string {
	t.Helper()
	var v any
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	b, _ = json.Marshal(v)
	return string(b)
}

// anything answers each method with a success and keeps the last request's body.
func anything(t *testing.T) (base string, last func() (http.Header, string)) {
	t.Helper()
	var body, uploads []byte
	var header http.Header
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var said struct{ Method string }
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if header = r.Header; r.URL.Path != "/qiwe/api/qw/doApi" || r.Method != http.MethodPost {
			t.Errorf("%s %s", r.Method, r.URL.Path)
		}
		if json.Unmarshal(b, &said); said.Method == uploadMethod {
			uploads = b
			w.Write([]byte(`{"code":0,"data":{"fileAesKey":"key","fileId":"*file","fileKey":"k","fileMd5":"md5","fileSize":12345678901234567890,"fileThumbSize":7,"cloudUrl":"https://cloud/x","filename":"f"}}`))
			return
		}
		body = b
		w.Write([]byte(`{"code":0,"data":{}}`))
	}))
	t.Cleanup(srv.Close)
	return srv.URL, func() (http.Header, string) {
		return header, canonical(t, append(append([]byte(`[`+string(orNull(uploads))+`,`), orNull(body)...), ']'))
	}
}

func orNull(b []byte) []byte {
	if b == nil {
		return []byte("null")
	}
	return b
}

func TestRequests(t *testing.T) {
	type p = map[string]any
	const big = "https://files.example.com/a/报价.jpg"
	text := func(p p) engine.Command { return engine.Command{Action: engine.SendText, Text: "你好<", Params: p} }
	do := func(a engine.Action, p p) engine.Command { return engine.Command{Action: a, Params: p} }
	tests := []struct {
		name    string
		command engine.Command
		upload  string // params of the upload before it
		method  string
		params  string // without the guid and toId of the conversation
	}{
		{"text", text(nil), "", "/msg/sendText", `{"content":"你好<"}`},
		{"text with extras", text(p{"isNoNeedRead": true, "reply": p{"type": 0}, "x": 1}), "", "/msg/sendText", `{"content":"你好<","isNoNeedRead":true,"reply":{"type":0}}`},
		{"text that mentions", text(p{"at": []any{friend, "7882"}, "at_names": []any{"小测"}}), "", "/msg/sendHyperText",
			`{"content":[{"subtype":1,"text":"7881300000000001"},{"subtype":0,"text":" "},{"subtype":1,"text":"7882"},{"subtype":0,"text":" 你好<"}]}`},
		{"text that mentions all", text(p{"at": "all"}), "", "/msg/sendHyperText", `{"content":[{"subtype":1,"text":"0"},{"subtype":0,"text":" 你好<"}]}`},
		{"picture", do(engine.SendImage, p{"url": big}), `{"filename":"报价.jpg","fileUrl":"` + big + `","fileType":1}`, "/msg/sendImage",
			`{"fileAesKey":"key","fileId":"*file","fileKey":"k","fileMd5":"md5","fileSize":12345678901234567890,"filename":"报价.jpg"}`},
		{"file", do(engine.SendFile, p{"url": "https://files.example.com/", "name": "a.pdf"}), `{"filename":"a.pdf","fileUrl":"https://files.example.com/","fileType":5}`, "/msg/sendFile",
			`{"fileAesKey":"key","fileId":"*file","fileSize":12345678901234567890,"filename":"a.pdf"}`},
		{"voice", do(engine.SendVoice, p{"url": "https://files.example.com", "duration": json.Number("3")}), `{"filename":"file","fileUrl":"https://files.example.com","fileType":5}`, "/msg/sendVoice",
			`{"fileAesKey":"key","fileId":"*file","fileSize":12345678901234567890,"voiceTime":3}`},
		{"video", do(engine.SendVideo, p{"url": "https://f/v.mp4", "cover_url": "https://f/c.jpg"}), `{"filename":"v.mp4","fileUrl":"https://f/v.mp4","fileType":4}`, "/msg/sendVideo",
			`{"fileAesKey":"key","fileId":"*file","fileMd5":"md5","fileSize":12345678901234567890,"filename":"v.mp4","duration":0,"coverImageSize":7,"previewImgUrl":"https://f/c.jpg"}`},
		{"gif", do(engine.SendEmoji, p{"url": "https://f/x.gif"}), `{"filename":"x.gif","fileUrl":"https://f/x.gif","fileType":1}`, "/msg/sendGif",
			`{"fileAesKey":"key","fileId":"*file","fileMd5":"md5","fileSize":12345678901234567890,"imgUrl":"https://cloud/x"}`},
		{"link", do(engine.SendLink, p{"title": "t", "description": "d", "url": "https://f/报", "cover_url": "https://f/报?a=1"}), "", "/msg/sendLink",
			`{"title":"t","desc":"d","linkUrl":"https://f/报","iconUrl":"https://f/%E6%8A%A5?a=1"}`},
		{"mini-program", do(engine.SendMiniapp, p{"appId": "wx", "username": "gh", "pagePath": "p", "thumbUrl": "u", "x": 1}), "", "/msg/sendWeapp",
			`{"appId":"wx","username":"gh","pagePath":"p","thumbUrl":"u"}`},
		{"card", do(engine.SendContact, p{"user": "s", "name": "n"}), "", "/msg/sendPersonalCard", `{"shared_id":"s","nickname":"n"}`},
		{"location", do(engine.SendLocation, p{"title": "t", "latitude": "39.90", "longitude": json.Number("116.4")}), "", "/msg/sendLocation",
			`{"title":"t","address":"","latitude":39.90,"longitude":116.4}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base, last := anything(t)
			s := fresh(t, channeltest.Host(t), base)
			tt.command.Conversation = friend
			if _, err := s.Send(t.Context(), &tt.command); err != nil {
				t.Fatal(err)
			}
			header, got := last()
			if header.Get("X-QIWEI-TOKEN") != "t0ken" || header.Get("Content-Type") != "application/json" {
				t.Errorf("headers %v", header)
			}
			upload := "null"
			if tt.upload != "" {
				upload = `{"method":"/cloud/cdnBigUploadByUrl","params":` + with(tt.upload, `"guid":"`+guid+`"`) + `}`
			}
			want := `[` + upload + `,{"method":"` + tt.method + `","params":` + with(tt.params, `"guid":"`+guid+`","toId":"`+friend+`"`) + `}]`
			if want = canonical(t, []byte(want)); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// with adds members to an object.
func with(object, members string) string {
	if object == "{}" {
		return "{" + members + "}"
	}
	return "{" + members + "," + object[1:]
}

func TestRequestsThatAreNoMessages(t *testing.T) {
	type p = map[string]any
	do := func(a engine.Action, to string, p p) engine.Command {
		return engine.Command{Action: a, Conversation: to, Text: "公告", Params: p}
	}
	tests := []struct {
		name    string
		command engine.Command
		method  string
		params  string // without the guid
	}{
		{"revoke", do(engine.RevokeMessage, friend, p{"msgServerId": "1009001", "msgUniqueIdentifier": "u"}), "/msg/revokeMsg", `{"chatId":"7881300000000001","msgServerId":1009001}`},
		{"accept", do(engine.AcceptFriend, friend, p{"userId": friend}), "/contact/agreeContact", `{"userId":"7881300000000001"}`},
		{"accept with all there is", do(engine.AcceptFriend, friend, p{"userId": friend, "corpId": "1970", "contactId": "c", "ticket": "t"}), "/contact/agreeContact",
			`{"userId":"7881300000000001","corpId":"1970","contactId":"c","ticket":"t"}`},
		{"add from a room", do(engine.AddFriend, "x", p{"userId": friend, "room_id": roomID, "verify": "hi"}), "/contact/addRoomContact", `{"userId":"7881300000000001","roomId":"10800000000000001","verify":"hi"}`},
		{"add one who was there before", do(engine.AddFriend, "x", p{"userId": friend}), "/contact/addDeletedContact", `{"userId":"7881300000000001"}`},
		{"remark of a customer", do(engine.SetRemark, friend, p{"remark": "r"}), "/contact/updateWxContact", `{"userId":"7881300000000001","remark":"r"}`},
		{"remark of a colleague", do(engine.SetRemark, self, p{"remark": "r"}), "/contact/updateWxWorkContact", `{"userId":"1688000000000001","remark":"r"}`},
		{"label", do(engine.SetLabel, friend, p{"add": []any{"1", "2"}}), "/label/contactEditLabel", `{"opType":1,"paramList":[{"userId":"7881300000000001","labelIdList":["1","2"]}]}`},
		{"label off", do(engine.SetLabel, friend, p{"remove": "1"}), "/label/contactEditLabel", `{"opType":2,"paramList":[{"userId":"7881300000000001","labelIdList":["1"]}]}`},
		{"make a room", do(engine.CreateGroup, "x", p{"members": "1,2", "name": "n"}), "/room/createRoom", `{"userIdList":["1","2"],"roomName":"n"}`},
		{"make a room, by other names", do(engine.CreateGroup, "x", p{"members": "1", "params": p{"memberIdList": []any{"1"}}}), "/room/createRoom", `{"userIdList":["1"],"memberIdList":["1"]}`},
		{"add a member", do(engine.AddMember, roomID, p{"members": []any{"1"}}), "/room/inviteRoomMember", `{"roomId":"10800000000000001","userIdList":["1"]}`},
		{"add a member elsewhere", do(engine.AddMember, friend, p{"invited_wxid": "1", "room_id": roomID}), "/room/inviteRoomMember", `{"roomId":"10800000000000001","userIdList":["1"]}`},
		{"remove a member", do(engine.RemoveMember, roomID, p{"members": "1"}), "/room/removeRoomMember", `{"roomId":"10800000000000001","userIdList":["1"]}`},
		{"rename", do(engine.RenameGroup, roomID, p{"name": "n"}), "/room/modifyRoomName", `{"roomId":"10800000000000001","roomName":"n"}`},
		{"announce", do(engine.SetAnnouncement, roomID, nil), "/room/modifyRoomNotice", `{"roomId":"10800000000000001","notice":"公告"}`},
		{"hand over a room", do(engine.TransferGroup, roomID, p{"user": "1"}), "/room/changeRoomMaster", `{"roomId":"10800000000000001","userId":"1"}`},
		{"leave", do(engine.LeaveGroup, roomID, nil), "/room/quitRoom", `{"roomId":"10800000000000001"}`},
		{"dissolve", do(engine.DissolveGroup, roomID, nil), "/room/dismissRoom", `{"roomId":"10800000000000001"}`},
		{"accept an invitation", do(engine.AcceptGroup, friend, p{"url": "https://x"}), "/room/agreeInviteByLink", `{"linkUrl":"https://x"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base, last := anything(t)
			s := fresh(t, channeltest.Host(t), base)
			if _, err := s.Send(t.Context(), &tt.command); err != nil {
				t.Fatal(err)
			}
			_, got := last()
			want := canonical(t, []byte(`[null,{"method":"`+tt.method+`","params":`+with(tt.params, `"guid":"`+guid+`"`)+`}]`))
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}
