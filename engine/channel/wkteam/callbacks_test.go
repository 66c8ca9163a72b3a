package wkteam

import (
	"strings"

	"bot/engine"
	"bot/engine/channel/channeltest"
)

// said is a callback of the shop, at noon, with data besides the usual.
func said(typ, data string) string {
	return `{"account":"dev","messageType":"` + typ + `","wcId":"` + bot + `","data":{"wId":"` + first + `","newMsgId":8200000000000000001,"msgId":1,"timestamp":1790000100` + data + `}}`
}

// event is what said reads as, once the fields of its kind are filled in.
func event(e engine.Event) []engine.Event {
	e.Account, e.Time = "shop", noon
	if e.ID == "" {
		e.ID = "8200000000000000001"
	}
	e.Learned = []engine.Note{{Key: "instance/id", Value: first}}
	return []engine.Event{e}
}

// unread is a callback that means nothing to skills and can be answered to nobody.
func unread(typ string) []engine.Event {
	return event(engine.Event{Kind: engine.Unknown, Type: typ, Conversation: "8200000000000000001"})
}

var callbacks = []channeltest.Callback{
	{
		Name:   "text",
		Body:   said("60001", `,"fromUser":"u","toUser":"`+bot+`","content":"你好","self":false`),
		Events: event(engine.Event{Kind: engine.Message, Type: "text", Conversation: "u", Sender: "u", Text: "你好"}),
		Answer: taken,
	},
	{
		Name:   "text by ourselves, told by the sender alone",
		Body:   said("60001", `,"fromUser":"`+bot+`","toUser":"u","content":"x"`),
		Events: event(engine.Event{Kind: engine.Message, Type: "text", Conversation: "u", Sender: bot, Self: true, Text: "x"}),
		Answer: taken,
	},
	{
		Name: "image with its size and what fetching it takes",
		Body: said("60002", `,"fromUser":"u","content":"<msg><img length=\"29980\"/></msg>","img":"/9j/"`),
		Events: event(engine.Event{Kind: engine.Message, Type: "image", Conversation: "u", Sender: "u",
			Media:  []engine.Media{{Kind: "image", Size: 29980}},
			Params: map[string]string{"msgId": "1", "wId": first, "content": `<msg><img length="29980"/></msg>`}}),
		Answer: taken,
	},
	{
		Name: "voice",
		Body: said("80004", `,"fromUser":"u","fromGroup":"1@chatroom","content":"<msg><voicemsg voicelength=\"3200\" length=\"5400\" bufid=\"7\"/></msg>"`),
		Events: event(engine.Event{Kind: engine.Message, Type: "voice", Conversation: "1@chatroom", Sender: "u", Group: true,
			Media: []engine.Media{{Kind: "voice", Size: 5400}},
			Params: map[string]string{"msgId": "1", "wId": first, "bufId": "7", "length": "5400", "voiceLength": "3200",
				"content": `<msg><voicemsg voicelength="3200" length="5400" bufid="7"/></msg>`}}),
		Answer: taken,
	},
	{
		Name: "file by an address",
		Body: said("60009", `,"fromUser":"u","title":"a.xlsx","url":"https://files.example.com/a"`),
		Events: event(engine.Event{Kind: engine.Message, Type: "file", Conversation: "u", Sender: "u",
			Media:  []engine.Media{{Kind: "file", Name: "a.xlsx", URL: "https://files.example.com/a"}},
			Params: map[string]string{"msgId": "1", "wId": first, "filename": "a.xlsx"}}),
		Answer: taken,
	},
	{
		Name: "link",
		Body: said("60007", `,"fromUser":"u","content":"<msg><appmsg><title>T</title><url>https://e.com/?a=1&amp;b=2</url></appmsg></msg>"`),
		Events: event(engine.Event{Kind: engine.Message, Type: "link", Conversation: "u", Sender: "u",
			Params: map[string]string{"msgId": "1", "wId": first, "title": "T", "url": "https://e.com/?a=1&b=2",
				"content": `<msg><appmsg><title>T</title><url>https://e.com/?a=1&amp;b=2</url></appmsg></msg>`}}),
		Answer: taken,
	},
	{
		Name: "location",
		Body: said("60020", `,"fromUser":"u","content":"<msg><location x=\"39.9\" y=\"116.4\" label=\"路1号\" poiname=\"大厦\"/></msg>"`),
		Events: event(engine.Event{Kind: engine.Message, Type: "location", Conversation: "u", Sender: "u",
			Params: map[string]string{"latitude": "39.9", "longitude": "116.4", "address": "路1号", "title": "大厦"}}),
		Answer: taken,
	},
	{
		Name: "card",
		Body: said("60005", `,"fromUser":"u","content":"<msg username=\"v3_a@stranger\" nickname=\"N\" antispamticket=\"v4_b\"/>"`),
		Events: event(engine.Event{Kind: engine.Message, Type: "card", Conversation: "u", Sender: "u",
			Params: map[string]string{"user": "v3_a@stranger", "name": "N", "v1": "v3_a@stranger", "v2": "v4_b"}}),
		Answer: taken,
	},
	{
		Name: "emoji",
		Body: said("60006", `,"fromUser":"u","content":"<msg><emoji md5=\"fe\" len=\"6\"/></msg>"`),
		Events: event(engine.Event{Kind: engine.Message, Type: "emoji", Conversation: "u", Sender: "u",
			Params: map[string]string{"md5": "fe", "size": "6"}}),
		Answer: taken,
	},
	{
		Name:   "pat of ourselves",
		Body:   said("80019", `,"fromGroup":"1@chatroom","content":"<sysmsg type=\"pat\"><pat><fromusername>u</fromusername><pattedusername>`+bot+`</pattedusername></pat></sysmsg>"`),
		Events: event(engine.Event{Kind: engine.Pat, Conversation: "1@chatroom", Group: true, Actor: "u", Members: []string{bot}, Mention: engine.MentionMe}),
		Answer: taken,
	},
	{
		Name: "invitation to a room",
		Body: said("60022", `,"fromUser":"u","content":"<msg><appmsg><title>邀请你加入群聊</title><url>https://support.weixin.qq.com/x?ticket=T</url></appmsg></msg>"`),
		Events: event(engine.Event{Kind: engine.GroupInvitation, Conversation: "u", Sender: "u", Text: "邀请你加入群聊",
			Params: map[string]string{"url": "https://support.weixin.qq.com/x?ticket=T"}}),
		Answer: taken,
	},
	{
		Name:   "a friend over at WeCom",
		Body:   said("60999", `,"fromUser":"2@openim","content":"<sysmsg type=\"NewXmlOpenIMFriReqAcceptedInWxWork\"></sysmsg>"`),
		Events: event(engine.Event{Kind: engine.FriendAdded, Conversation: "2@openim", Sender: "2@openim", Fact: "friend/2@openim"}),
		Answer: taken,
	},
	{
		Name:   "verification is demanded: we were deleted",
		Body:   said("65002", `,"fromUser":"u","content":"对方开启了朋友验证"`),
		Events: event(engine.Event{Kind: engine.FriendLost, Fact: "friend/u", Conversation: "u", Sender: "u", Text: "对方开启了朋友验证"}),
		Answer: taken,
	},
	{
		Name: "taken into a room",
		Body: said("85008", `,"fromGroup":"1@chatroom","content":"\"小测\"邀请你加入了群聊"`),
		Events: event(engine.Event{Kind: engine.GroupCreated, IfKnown: engine.MemberJoined, Fact: "group/1@chatroom", Conversation: "1@chatroom", Group: true,
			Text: `"小测"邀请你加入了群聊`, Members: []string{bot}}),
		Answer: taken,
	},
	{
		Name: "invited by ourselves",
		Body: said("85008", `,"fromGroup":"1@chatroom","fromUser":"`+bot+`","self":true,"content":"<sysmsg type=\"sysmsgtemplate\"><sysmsgtemplate><content_template><template>你邀请\"$names$\"加入了群聊</template><link_list><link name=\"names\"><memberlist><member><username>u</username><nickname>N</nickname></member></memberlist></link></link_list></content_template></sysmsgtemplate></sysmsg>"`),
		Events: event(engine.Event{Kind: engine.MemberJoined, Conversation: "1@chatroom", Group: true, Sender: bot,
			Actor: bot, Members: []string{"u"}, MemberNames: []string{"N"}}),
		Answer: taken,
	},
	{
		Name: "came in by our code",
		Body: said("85009", `,"fromGroup":"1@chatroom","content":"<sysmsg type=\"sysmsgtemplate\"><sysmsgtemplate><content_template><template>\"$adder$\"通过扫描你分享的二维码加入群聊</template><link_list><link name=\"adder\"><memberlist><member><username>u</username><nickname>N</nickname></member></memberlist></link></link_list></content_template></sysmsgtemplate></sysmsg>"`),
		Events: event(engine.Event{Kind: engine.MemberJoined, Conversation: "1@chatroom", Group: true,
			Actor: bot, Members: []string{"u"}, MemberNames: []string{"N"}}),
		Answer: taken,
	},
	{
		Name:   "a sentence about friends in a room",
		Body:   said("80999", `,"fromGroup":"1@chatroom","fromUser":"u","content":"以上是打招呼的内容"`),
		Events: event(engine.Event{Kind: engine.Unknown, Type: "80999", Conversation: "1@chatroom", Sender: "u", Group: true}),
		Answer: taken,
	},
	{
		Name:   "some other sentence",
		Body:   said("60999", `,"fromUser":"u","content":"你已添加了"`),
		Events: event(engine.Event{Kind: engine.Unknown, Type: "60999", Conversation: "u", Sender: "u"}),
		Answer: taken,
	},
	{
		Name:   "by the hosted account, which is not named",
		Body:   said("60001", `,"toUser":"u","self":1,"content":"x"`),
		Events: event(engine.Event{Kind: engine.Message, Type: "text", Conversation: "u", Sender: bot, Self: true, Text: "x"}),
		Answer: taken,
	},
	{
		Name:   "createTime in milliseconds",
		Body:   strings.Replace(said("60001", `,"fromUser":"u","content":"x"`), `"timestamp":1790000100`, `"createTime":"1790000100000"`, 1),
		Events: event(engine.Event{Kind: engine.Message, Type: "text", Conversation: "u", Sender: "u", Text: "x"}),
		Answer: taken,
	},
	{
		Name:   "renamed by a sentence",
		Body:   said("85005", `,"fromGroup":"1@chatroom","fromUser":"u","content":"\"小测\"修改群名为“测试二群”"`),
		Events: event(engine.Event{Kind: engine.GroupRenamed, Conversation: "1@chatroom", Group: true, Sender: "u", Text: "测试二群"}),
		Answer: taken,
	},
	{
		Name:   "announcement with room and speaker the other way round",
		Body:   said("85011", `,"fromUser":"u","toUser":"1@chatroom","content":"<sysmsg type=\"mmchatroombarannouncememt\"><mmchatroombarannouncememt><content>周日休息</content></mmchatroombarannouncememt></sysmsg>"`),
		Events: event(engine.Event{Kind: engine.GroupAnnouncement, Conversation: "1@chatroom", Group: true, Sender: "u", Actor: "u", Text: "周日休息"}),
		Answer: taken,
	},
	{
		Name:   "a new owner",
		Body:   said("85010", `,"fromGroup":"1@chatroom","chatRoomOwner":"u","content":"你已成为新群主"`),
		Events: event(engine.Event{Kind: engine.GroupOwnerChanged, Conversation: "1@chatroom", Group: true, Text: "你已成为新群主", Members: []string{"u"}}),
		Answer: taken,
	},
	{
		Name: "offline teaches no instance",
		Body: said("30000", `,"reason":"其他设备登录"`),
		Events: []engine.Event{{Account: "shop", Kind: engine.Offline, ID: "8200000000000000001", Conversation: "8200000000000000001",
			Text: "其他设备登录", Time: noon, Params: map[string]string{"wId": first, "reason": "其他设备登录"}}},
		Answer: taken,
	},
	{
		Name:   "a friend request from nobody",
		Body:   said("30001", `,"fromUser":"fmessage","content":"加我"`),
		Events: event(engine.Event{Kind: engine.FriendRequest, Conversation: "8200000000000000001", Text: "加我"}),
		Answer: taken,
	},

	{Name: "a code that nobody knows", Body: said("71234", `,"fromUser":"u"`),
		Events: event(engine.Event{Kind: engine.Unknown, Type: "71234", Conversation: "u", Sender: "u"}), Answer: taken},
	{Name: "a word for a code", Body: said("NEW_KIND", ``), Events: unread("NEW_KIND"), Answer: taken},
	{Name: "a private text from nobody", Body: said("60001", `,"content":"x"`),
		Events: event(engine.Event{Kind: engine.Unknown, Type: "60001", Conversation: "8200000000000000001", Text: "x"}), Answer: taken},
	{Name: "a room's text without the room", Body: said("80001", `,"fromUser":"u","content":"x"`),
		Events: event(engine.Event{Kind: engine.Unknown, Type: "80001", Conversation: "8200000000000000001", Sender: "u"}), Answer: taken},
	{Name: "a contact notice about nobody", Body: said("65004", ``), Events: unread("65004"), Answer: taken},
	{Name: "a contact notice about a room", Body: said("65004", `,"userName":"1@chatroom"`),
		Events: event(engine.Event{Kind: engine.Unknown, Type: "65004", Conversation: "1@chatroom", Sender: "1@chatroom", Group: true}), Answer: taken},
	{Name: "a room notice about no room", Body: said("85004", ``), Events: unread("85004"), Answer: taken},
	{Name: "fields of all the wrong types", Body: said("60001", `,"fromUser":{"a":1},"content":[1],"atlist":{"a":1},"self":"maybe","title":null`),
		Events: unread("60001"), Answer: taken},

	{Name: "ping", Body: `{"account":"dev","messageType":"00000","data":{}}`, Answer: taken},
	{Name: "ping with a number and no data", Body: `{"messageType":0}`, Answer: taken},
	{Name: "ping with null data", Body: `{"messageType":"00000","data":null}`, Answer: taken},
	{Name: "somebody else's", Body: `{"messageType":"60001","wcId":"wxid_other","data":{}}`, Foreign: "wxid_other", Answer: taken},
	{Name: "somebody else's instance", Body: `{"messageType":"30000","data":{"wId":"w9"}}`, Foreign: "w9", Answer: taken},

	{Name: "nobody's", Body: `{"messageType":"60001","data":{}}`, Refused: "ids", Answer: nameless},
	{Name: "no messageType", Body: `{"wcId":"` + bot + `"}`, Refused: "ids", Answer: nameless},
	{Name: "an endless messageType", Body: `{"messageType":"` + strings.Repeat("6", 65) + `"}`, Refused: "ids", Answer: nameless},
	{Name: "an endless sender", Body: said("60001", `,"fromUser":"`+strings.Repeat("u", 257)+`"`), Refused: "ids", Answer: nameless},
	{Name: "a broken surrogate for a sender", Body: said("60001", `,"fromUser":"\ud800"`), Refused: "ids", Answer: nameless},
	{Name: "null", Body: `null`, Refused: "ids", Answer: nameless},
	{Name: "nothing", Body: ``, Refused: "json", Answer: broken},
	{Name: "half an object", Body: `{"messageType":`, Refused: "json", Answer: broken},
	{Name: "two objects", Body: `{"messageType":"00000"}{}`, Refused: "json", Answer: broken},
	{Name: "a list", Body: `[]`, Refused: "json", Answer: broken},
	{Name: "a form", Body: `data=%7B%7D`, Refused: "json", Answer: broken},
	{Name: "invalid UTF-8", Body: "{\"messageType\":\"00000\",\"x\":\"\xff\"}", Refused: "json", Answer: broken},
	{Name: "an object in an object, a hundred thousand deep", Body: strings.Repeat(`{"data":`, 100_000), Refused: "json", Answer: broken},
}
