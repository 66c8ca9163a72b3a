package wechat

import "testing"

func TestAppTypes(t *testing.T) {
	for inside, want := range map[string]string{
		"<type>5</type>": "link", "<type>6</type>": "file", "<type>57</type>": "quote", "<type>33</type>": "miniapp", "<type>74</type>": FileStarted,
		"<type>40</type><realinnertype>19</realinnertype>": "chat_record", "<type>40</type>": "", "<type>3</type>": "", "": "",
	} {
		if got := ReadApp(Parse("<msg><appmsg>" + inside + "</appmsg></msg>")); got.Type != want {
			t.Errorf("%s: %q, want %q", inside, got.Type, want)
		}
	}
}

func TestAppKeepsEveryDigit(t *testing.T) {
	a := ReadApp(Parse(`<msg><appmsg><title>T</title><refermsg><svrid>9007199254740993</svrid></refermsg><appattach><totallen>7</totallen></appattach></appmsg></msg>`))
	if a.Title != "T" || a.Quoted != "9007199254740993" || a.FileSize != "7" {
		t.Errorf("read %+v", a)
	}
}

// A link's title is its sender's; only the address makes it an invitation.
func TestInvitations(t *testing.T) {
	for _, tt := range []struct {
		address, title string
		want           bool
	}{
		{"https://support.weixin.qq.com/cgi-bin/mmsupport-bin/addchatroombyinvite?ticket=1", "Group Chat Invitation", true},
		{"https://support.weixin.qq.com/x?ticket=1", "邀请你加入群聊", true},
		{"https://support.weixin.qq.com/x?ticket=1", "新闻", false},
		{"https://evil.example.com/addchatroombyinvite", "邀请你加入群聊", false},
		{"https://support.weixin.qq.com.evil.example.com/addchatroombyinvite", "邀请你加入群聊", false},
		{"://", "邀请你加入群聊", false},
	} {
		if got := (App{URL: tt.address, Title: tt.title}).IsInvitation(); got != tt.want {
			t.Errorf("%s, %s: %v", tt.address, tt.title, got)
		}
	}
}

func TestIDs(t *testing.T) {
	for id, want := range map[string]bool{
		"wxid_1": true, "": true, "1@chatroom": true, "a\ufffdb": false, "a\nb": false, string(make([]byte, 300)): false,
	} {
		if IsID(id) != want {
			t.Errorf("%.20q: %v", id, !want)
		}
	}
	if !IsRoom("1@chatroom") || IsRoom("wxid_1") || !IsService("gh_1") || !IsService("fmessage") || IsService("wxid_gh_1") {
		t.Error("rooms, people and services are mixed up")
	}
}
