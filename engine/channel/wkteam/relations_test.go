package wkteam

import (
	"testing"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
)

func TestAddFriendByPhone(t *testing.T) {
	for phone, way := range map[string]string{"13800000000": "15", "wechat_name": "3"} {
		g := newGateway(t, map[string]string{"/wx-api/searchUser": `{"v1":"v3_a","v2":"v4_b"}`})
		c := engine.Command{Action: engine.AddFriend, Text: "你好", Params: map[string]any{"phone": phone}}
		if _, err := g.sender(t, channeltest.Host(t), "w1").Send(t.Context(), &c); err != nil {
			t.Fatal(err)
		}
		calls := g.seen()
		if len(calls) != 2 || calls[0].path != "/wx-api/searchUser" || calls[1].path != "/wx-api/addUser" {
			t.Fatalf("calls %+v", calls)
		}
		wantJSON(t, calls[0].body, `{"wId":"w1","wcId":"`+phone+`"}`)
		wantJSON(t, calls[1].body, `{"wId":"w1","v1":"v3_a","v2":"v4_b","type":`+way+`,"verify":"你好"}`)
	}
	g := newGateway(t, nil)
	_, err := g.sender(t, channeltest.Host(t), "w1").Send(t.Context(), &engine.Command{Action: engine.AddFriend, Params: map[string]any{"phone": "x"}})
	wantClass(t, err, channel.Permanent)
	if calls := g.seen(); len(calls) != 1 {
		t.Errorf("calls %+v: somebody was added who was not found", calls)
	}
}

func TestSetLabel(t *testing.T) {
	tests := []struct {
		name        string
		have        string
		add, remove any
		want        string // the new set; "" with refused
		refused     bool
	}{
		{"one more, by its name", `"1"`, "客户", nil, "1,2", false},
		{"one more, by its id", `"1"`, "2", nil, "1,2", false},
		{"one that is there", `"1,2"`, "客户", nil, "1,2", false},
		{"one less", `"1,2"`, nil, "朋友", "2", false},
		{"the last", `"1"`, nil, []any{"朋友"}, "", false},
		{"one for another", `"1"`, "客户", "朋友", "2", false},
		{"one that nobody has", `""`, nil, "旧", "", false},
		{"one that does not exist", `"1"`, "新", nil, "", true},
		{"a name that is another's id", `""`, "3", nil, "4", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGateway(t, map[string]string{
				"/wx-api/getContactLabelList": `[{"labelId":"1","labelName":"朋友"},{"labelId":2,"labelName":"客户"},{"labelId":3,"labelName":"x"},{"labelId":4,"labelName":"3"}]`,
				"/wx-api/getContact":          `[{"userName":"v","labelList":"9"},{"userName":"u","labelList":` + tt.have + `}]`,
			})
			c := engine.Command{Action: engine.SetLabel, Conversation: "u", Params: map[string]any{"add": tt.add, "remove": tt.remove}}
			_, err := g.sender(t, channeltest.Host(t), "w1").Send(t.Context(), &c)
			calls := g.seen()
			last := calls[len(calls)-1]
			if tt.refused {
				wantClass(t, err, channel.Permanent)
				if last.path != "/wx-api/getContact" {
					t.Errorf("calls %+v: something was changed", calls)
				}
				return
			}
			if err != nil || last.path != "/wx-api/modifyContactLabel" {
				t.Fatalf("calls %+v, %v", calls, err)
			}
			wantJSON(t, last.body, `{"wId":"w1","wcId":"u","labelIdList":"`+tt.want+`"}`)
		})
	}
}

func TestLabelsThatCannotBeRead(t *testing.T) {
	const list, contact = "/wx-api/getContactLabelList", "/wx-api/getContact"
	for name, tt := range map[string]struct {
		data map[string]string
		want channel.Class
	}{
		"the list failed":        {map[string]string{list: "!失败"}, channel.Permanent},
		"the list is none":       {map[string]string{list: `"x"`}, channel.Permanent},
		"the contact failed":     {map[string]string{list: `[]`, contact: "!触发风控"}, channel.Throttled},
		"the contact is unknown": {map[string]string{list: `[]`, contact: `[{"userName":"v"}]`}, channel.Permanent},
	} {
		g := newGateway(t, tt.data)
		c := engine.Command{Action: engine.SetLabel, Conversation: "u", Params: map[string]any{"remove": "1"}}
		_, err := g.sender(t, channeltest.Host(t), "w1").Send(t.Context(), &c)
		if e := wantClass(t, err, tt.want); e.Note == "" {
			t.Errorf("%s: no note", name)
		}
	}
}

// A question that failed can be asked again; it changed nothing.
func TestQuestionsAreNeverInDoubt(t *testing.T) {
	g := newGateway(t, map[string]string{"/wx-api/searchUser": "!请求超时"})
	_, err := g.sender(t, channeltest.Host(t), "w1").Send(t.Context(), &engine.Command{Action: engine.AddFriend, Params: map[string]any{"phone": "x"}})
	wantClass(t, err, channel.Transient)
}
