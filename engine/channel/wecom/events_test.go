package wecom

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

const (
	customer = "wmSYNTHaaaaBBBBccccDDDD0000000001"
	group    = "wrSYNTHggggHHHHiiiiJJJJ0000000001"
)

// xmlOf is a document of the app with these elements.
func xmlOf(elements string) string {
	return "<xml><ToUserName><![CDATA[ww0a1b2c3d4e5f6071]]></ToUserName><CreateTime>1767225600</CreateTime>" + elements + "</xml>"
}

func event(elements string) string {
	return xmlOf("<FromUserName>sys</FromUserName><MsgType>event</MsgType>" + elements)
}

func fromLina(kind engine.Kind, e engine.Event) engine.Event {
	e.Kind, e.Sender, e.Conversation, e.Receiver = kind, "lina", "lina", "1000002"
	return e
}

func ofCustomer(kind engine.Kind, e engine.Event) engine.Event {
	e.Kind, e.Sender, e.Conversation = kind, customer, customer
	switch {
	case e.Ticket.Token != "":
		e.Ticket.Limit = 4000
	case kind == engine.FriendAdded:
		e.Mute = "the platform gave no welcome code: somebody else greets, or they talk already"
	default:
		e.Mute = "a customer can only be written to within 20 s of being added, or through customer service"
	}
	return e
}

func ofGroup(kind engine.Kind, e engine.Event) engine.Event {
	e.Kind, e.Group, e.Conversation = kind, true, group
	e.Mute = "no interface writes to a customer group; the members do, or a mass message that one of them confirms"
	return e
}

// appReadings are documents beside what they read as. An ID of "" is a digest.
var appReadings = []struct {
	name  string
	plain string // or the name of a vector
	want  engine.Event
}{
	{"text", "synth-xml-msg_text", fromLina(engine.Message, engine.Event{
		Type: "text", ID: "7391234567890123456", Text: "你好 <b>&amp;</b> 1+1=2 👍"})},
	{"image", "synth-xml-msg_image", fromLina(engine.Message, engine.Event{
		Type: "image", ID: "7391234567890123457",
		Media:  []engine.Media{{Kind: "image", URL: "https://wework.qpic.cn/wwpic/SYNTH_1/0"}},
		Params: map[string]string{"pic_url": "https://wework.qpic.cn/wwpic/SYNTH_1/0", "media_id": "1SYNTHimageMediaId_abc-0001"}})},
	{"voice", "synth-xml-msg_voice", fromLina(engine.Message, engine.Event{
		Type: "voice", ID: "7391234567890123458", Media: []engine.Media{{Kind: "voice"}},
		Params: map[string]string{"media_id": "1SYNTHvoiceMediaId_abc-0002", "format": "amr"}})},
	{"video", "synth-xml-msg_video", fromLina(engine.Message, engine.Event{
		Type: "video", ID: "7391234567890123459", Media: []engine.Media{{Kind: "video"}},
		Params: map[string]string{"media_id": "1SYNTHvideoMediaId_abc-0003", "thumb_media_id": "1SYNTHthumbMediaId_abc-0004"}})},
	{"location", "synth-xml-msg_location", fromLina(engine.Message, engine.Event{
		Type: "location", ID: "7391234567890123460", Text: "深圳市南山区示例路 1 号",
		Params: map[string]string{"latitude": "22.540503", "longitude": "113.934528", "scale": "16", "label": "深圳市南山区示例路 1 号", "app_type": "wxwork"}})},
	{"file", xmlOf("<FromUserName>LiNa</FromUserName><MsgType>file</MsgType><MediaId>m</MediaId><FileName>a b.pdf</FileName><MsgId>1</MsgId><AgentID>1000002</AgentID>"),
		fromLina(engine.Message, engine.Event{Type: "file", ID: "1", Media: []engine.Media{{Kind: "file", Name: "a b.pdf"}},
			Params: map[string]string{"media_id": "m", "file_name": "a b.pdf"}})},
	{"link", xmlOf("<FromUserName>lina</FromUserName><MsgType>link</MsgType><Title>标题</Title><Description>述</Description><Url><![CDATA[https://example.com/a?x=1&y=2]]></Url><MsgId>2</MsgId><AgentID>1000002</AgentID>"),
		fromLina(engine.Message, engine.Event{Type: "link", ID: "2", Text: "标题",
			Params: map[string]string{"title": "标题", "description": "述", "url": "https://example.com/a?x=1&y=2"}})},
	{"text as it was written, spaces included", xmlOf("<FromUserName>lina</FromUserName><MsgType>text</MsgType><Content> 绑定\n </Content><MsgId>18446744073709551615</MsgId><AgentID>1000002</AgentID>"),
		fromLina(engine.Message, engine.Event{Type: "text", ID: "18446744073709551615", Text: " 绑定\n "})},
	{"text with characters that XML does not have", xmlOf("<FromUserName>lina</FromUserName><MsgType>text</MsgType><Content><![CDATA[a\bb&#8;]]></Content><MsgId>3</MsgId><AgentID>1000002</AgentID>"),
		fromLina(engine.Message, engine.Event{Type: "text", ID: "3", Text: "ab&#8;"})},
	{"text of the JSON form, its id above 2^53",
		`{"ToUserName":"ww0a1b2c3d4e5f6071","FromUserName":"Lina","CreateTime": 1767225600,"MsgType":"text","Content":"hello","MsgId":4561255354251345929,"AgentID": 1000002}`,
		fromLina(engine.Message, engine.Event{Type: "text", ID: "4561255354251345929", Text: "hello"})},

	{"the app was opened", "synth-xml-ev_enter_agent", fromLina(engine.EnterChat, engine.Event{})},
	{"a menu was clicked", "synth-xml-ev_click", fromLina(engine.Button, engine.Event{Text: "MENU_SIGNIN"})},
	{"a card was answered", "synth-xml-ev_template_card", fromLina(engine.Button, engine.Event{Text: "btn_approve",
		Params: map[string]string{"task_id": "task-0001", "card_type": "multiple_interaction", "response_code": "SYNTHRESPONSECODE0001",
			"selected.q_size": "size_l", "selected.q_colour": "red,blue"}})},
	{"a card's menu", xmlOf("<FromUserName>lina</FromUserName><MsgType>event</MsgType><Event>template_card_menu_event</Event><EventKey>k</EventKey><TaskId>t</TaskId><AgentID>1000002</AgentID>"),
		fromLina(engine.Button, engine.Event{Text: "k", Params: map[string]string{"task_id": "t"}})},
	{"subscribed", "synth-xml-ev_subscribe", fromLina(engine.Unknown, engine.Event{Type: "subscribe"})},
	{"a page was viewed", "synth-xml-ev_view", fromLina(engine.Unknown, engine.Event{Type: "view",
		Params: map[string]string{"event_key": "https://example.com/menu"}})},
	{"a code was scanned", "synth-xml-ev_scancode_waitmsg", fromLina(engine.Unknown, engine.Event{Type: "scancode_waitmsg",
		Params: map[string]string{"event_key": "MENU_SCAN", "scan_code_info.scan_type": "qrcode", "scan_code_info.scan_result": "ORDER-42"}})},
	{"the address book changed", "synth-xml-ev_change_contact", engine.Event{Kind: engine.Unknown, Conversation: "sys",
		Type: "change_contact/create_user", Params: map[string]string{"change_type": "create_user", "user_id": "newhire", "department": "1,2"}}},

	{"a customer came", "synth-xml-ext_add", ofCustomer(engine.FriendAdded, engine.Event{
		Fact: "friend/lina/" + customer, Ticket: engine.Ticket{Token: "welcome/SYNTHWELCOMECODE0001", Expires: noon.Add(17 * time.Second)},
		Params: map[string]string{"change_type": "add_external_contact", "user_id": "lina", "state": "channel_a1"}})},
	{"a customer came without the member's consent", "synth-xml-ext_add_half", ofCustomer(engine.FriendAdded, engine.Event{
		Fact: "friend/lina/" + customer, Ticket: engine.Ticket{Token: "welcome/SYNTHWELCOMECODE0002", Expires: noon.Add(17 * time.Second)},
		Params: map[string]string{"change_type": "add_half_external_contact", "user_id": "lina", "state": "channel_a1"}})},
	{"a customer came whom somebody else welcomes", event("<Event>change_external_contact</Event><ChangeType>add_external_contact</ChangeType><UserID>Lina</UserID><ExternalUserID>" + customer + "</ExternalUserID>"),
		ofCustomer(engine.FriendAdded, engine.Event{Fact: "friend/lina/" + customer,
			Params: map[string]string{"change_type": "add_external_contact", "user_id": "lina"}})},
	{"a customer changed", "synth-xml-ext_edit", ofCustomer(engine.ContactChanged, engine.Event{
		Params: map[string]string{"change_type": "edit_external_contact", "user_id": "lina"}})},
	{"a customer was removed", "synth-xml-ext_del", ofCustomer(engine.FriendDeleted, engine.Event{Fact: "friend/lina/" + customer,
		Params: map[string]string{"change_type": "del_external_contact", "user_id": "lina", "source": "DELETE_BY_TRANSFER"}})},
	{"a customer went", event("<Event>change_external_contact</Event><ChangeType>del_follow_user</ChangeType><UserID>lina</UserID><ExternalUserID>" + customer + "</ExternalUserID>"),
		ofCustomer(engine.FriendLost, engine.Event{Fact: "friend/lina/" + customer,
			Params: map[string]string{"change_type": "del_follow_user", "user_id": "lina"}})},
	{"a customer could not be handed over", "synth-xml-ext_transfer_fail", ofCustomer(engine.Unknown, engine.Event{
		Type:   "change_external_contact/transfer_fail",
		Params: map[string]string{"change_type": "transfer_fail", "user_id": "lina", "fail_reason": "customer_refused"}})},
	{"a customer agreed to the archive, for which the welcome had waited", "synth-xml-ext_msg_audit", ofCustomer(engine.FriendAdded, engine.Event{
		Fact:   "friend/lina/" + customer,
		Ticket: engine.Ticket{Token: "welcome/SYNTHWELCOMECODE0003", Expires: noon.Add(17 * time.Second)},
		Params: map[string]string{"change_type": "msg_audit_approved", "user_id": "lina"}})},

	{"a group was made", "synth-xml-chat_create", ofGroup(engine.GroupCreated, engine.Event{Params: map[string]string{"change_type": "create"}})},
	{"a group was dissolved", "synth-xml-chat_dismiss", ofGroup(engine.GroupDissolved, engine.Event{
		Time: time.Unix(1767225700, 0), Params: map[string]string{"change_type": "dismiss"}})},
	{"a group was renamed", "synth-xml-chat_rename", ofGroup(engine.GroupRenamed, engine.Event{
		Time: time.Unix(1767225661, 0), Params: map[string]string{"change_type": "update", "update_detail": "change_name"}})},
	{"members came", groupUpdate("add_member", "<JoinScene>3</JoinScene><MemChangeCnt>2</MemChangeCnt><MemChangeList><Item>wmA</Item><Item>wmB</Item></MemChangeList><CurMemVer>2</CurMemVer>"),
		ofGroup(engine.MemberJoined, engine.Event{Members: []string{"wmA", "wmB"},
			Params: map[string]string{"change_type": "update", "update_detail": "add_member", "join_scene": "3", "mem_change_cnt": "2", "cur_mem_ver": "2"}})},
	{"members came and are not named", groupUpdate("add_member", "<JoinScene>0</JoinScene>"),
		ofGroup(engine.MemberJoined, engine.Event{Params: map[string]string{"change_type": "update", "update_detail": "add_member", "join_scene": "0"}})},
	{"a member left", groupUpdate("del_member", "<QuitScene>0</QuitScene><MemChangeList><Item>wmA</Item></MemChangeList>"),
		ofGroup(engine.MemberLeft, engine.Event{Members: []string{"wmA"},
			Params: map[string]string{"change_type": "update", "update_detail": "del_member", "quit_scene": "0"}})},
	{"a member was removed", groupUpdate("del_member", "<QuitScene>1</QuitScene><MemChangeList><Item>wmA</Item></MemChangeList>"),
		ofGroup(engine.MemberRemoved, engine.Event{Members: []string{"wmA"},
			Params: map[string]string{"change_type": "update", "update_detail": "del_member", "quit_scene": "1"}})},
	{"another owner, with stray elements", groupUpdate("change_owner", "<JoinScene>0</JoinScene><QuitScene>0</QuitScene><MemChangeCnt>0</MemChangeCnt>"),
		ofGroup(engine.GroupOwnerChanged, engine.Event{Params: map[string]string{"change_type": "update", "update_detail": "change_owner"}})},
	{"another notice", groupUpdate("change_notice", ""),
		ofGroup(engine.GroupAnnouncement, engine.Event{Params: map[string]string{"change_type": "update", "update_detail": "change_notice"}})},
	{"a change that is not known yet", groupUpdate("change_colour", ""),
		ofGroup(engine.GroupChanged, engine.Event{Params: map[string]string{"change_type": "update", "update_detail": "change_colour"}})},

	{"the old callback of group robots", xmlOf("<WebhookUrl>https://x</WebhookUrl><MsgType>text</MsgType><MsgId>abc</MsgId>"),
		engine.Event{Kind: engine.Unknown, Type: "group_robot/text", ID: "abc", Conversation: "sys"}},
}

func groupUpdate(detail, elements string) string {
	return event("<Event>change_external_chat</Event><ChatId>" + group + "</ChatId><ChangeType>update</ChangeType><UpdateDetail>" + detail + "</UpdateDetail>" + elements)
}

func TestAppDocuments(t *testing.T) {
	for _, tt := range appReadings {
		t.Run(tt.name, func(t *testing.T) {
			plain := tt.plain
			if strings.HasPrefix(plain, "synth-") {
				plain = plaintext(t, plain)
			}
			receipt, refusal := tell(t, appAccount, plain)
			if refusal != nil || len(receipt.Events) != 1 {
				t.Fatalf("got %+v, %v", receipt, refusal)
			}
			if string(receipt.Answer.Body) != "success" {
				t.Errorf("answered %q", receipt.Answer.Body)
			}
			wantReading(t, *receipt.Events[0], tt.want)
		})
	}
}

func wantReading(t *testing.T, got, want engine.Event) {
	t.Helper()
	if want.ID == "" && strings.HasPrefix(got.ID, "sha256:") {
		got.ID = ""
	}
	if want.Time.IsZero() {
		want.Time = noon
	}
	got.Account, got.Raw = "", nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
}

func TestAppDocumentsThatAreNotTaken(t *testing.T) {
	tests := []struct{ name, plain, reason, detail string }{
		{"nothing", "", "xml", "malformed"},
		{"no document", "hello", "xml", "malformed"},
		{"broken off", "<xml><MsgType>text</MsgType><MsgId>77</MsgId><Content>", "xml", `MsgId "77"`},
		{"two documents", xmlOf("<MsgType>text</MsgType>") + "<xml/>", "xml", "after its end"},
		{"a DOCTYPE", "<!DOCTYPE x><xml><MsgType>text</MsgType></xml>", "xml", "DOCTYPE"},
		{"a DOCTYPE inside", "<xml><MsgType>text</MsgType><!DOCTYPE x></xml>", "xml", "DOCTYPE"},
		{"too deep", strings.Repeat("<a>", 17) + strings.Repeat("</a>", 17), "xml", "deep"},
		{"too much", "<xml>" + strings.Repeat("<a/>", 5000) + "</xml>", "xml", "too many"},
		{"broken JSON", `{"MsgType":"text","MsgId":78,`, "json", `MsgId "78"`},
		{"JSON too deep", strings.Repeat(`{"a":`, 20) + "1" + strings.Repeat("}", 20), "json", "deep"},
		{"JSON lists too deep", `{"a":` + strings.Repeat("[", 20) + strings.Repeat("]", 20) + "}", "json", "deep"},
		{"two JSON documents", "{}{}", "json", "after its end"},
		{"no MsgType", xmlOf("<MsgId>79</MsgId>"), "ids", `MsgId "79"`},
		{"an event without a name", xmlOf("<MsgType>event</MsgType>"), "ids", "no Event"},
		{"a message without an id", xmlOf("<FromUserName>lina</FromUserName><MsgType>text</MsgType>"), "ids", "no MsgId of 1 to 512 bytes"},
		{"a message without a sender", xmlOf("<MsgType>text</MsgType><MsgId>80</MsgId>"), "ids", "no FromUserName"},
		{"an endless id", xmlOf("<FromUserName>a</FromUserName><MsgType>text</MsgType><MsgId>" + strings.Repeat("1", 513) + "</MsgId>"), "ids", "no MsgId of 1 to 512 bytes"},
		{"an endless sender", xmlOf("<FromUserName>" + strings.Repeat("a", 513) + "</FromUserName><MsgType>text</MsgType><MsgId>1</MsgId>"), "ids", "512"},
		{"a contact without ids", event("<Event>change_external_contact</Event><ChangeType>add_external_contact</ChangeType>"), "ids", "ExternalUserID"},
		{"a group without id", event("<Event>change_external_chat</Event><ChangeType>create</ChangeType>"), "ids", "ChatId"},
		{"a bell without a source", event("<Event>kf_msg_or_event</Event><Token>t</Token>"), "ids", "OpenKfId"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			receipt, refusal := tell(t, appAccount, tt.plain)
			if refusal == nil {
				t.Fatalf("taken: %+v", receipt)
			}
			if refusal.Reason != tt.reason || !strings.Contains(refusal.Detail, tt.detail) {
				t.Errorf("got %v, want %s: …%s…", refusal, tt.reason, tt.detail)
			}
			if refusal.Answer.Status != 400 || string(refusal.Answer.Body) != "invalid_data" {
				t.Errorf("answered %d %q", refusal.Answer.Status, refusal.Answer.Body)
			}
		})
	}
}

func TestTheBellOfCustomerService(t *testing.T) {
	receipt, refusal := tell(t, appAccount, plaintext(t, "synth-xml-kf_event"))
	want := channel.Doorbell{Account: "corp", Source: "wkSYNTHkfaccount0000000000000001", Token: "ENCSYNTHTOKEN0001"}
	if refusal != nil || len(receipt.Events) != 0 || len(receipt.Doorbells) != 1 || receipt.Doorbells[0] != want {
		t.Errorf("got %+v, %v", receipt, refusal)
	}
	if string(receipt.Answer.Body) != "success" {
		t.Errorf("answered %q", receipt.Answer.Body)
	}
}

// A third party's suite is not served, and must be told success all the same.
func TestThirdPartySuites(t *testing.T) {
	a := appAccount
	a.Ack = "empty"
	receipt, refusal := tell(t, a, "<xml><SuiteId>ww4asffe99e54c0f4c</SuiteId><InfoType>suite_ticket</InfoType><TimeStamp>1767225600</TimeStamp></xml>")
	if refusal != nil || len(receipt.Events) > 0 || string(receipt.Answer.Body) != "success" || !strings.Contains(receipt.Foreign, "ww4asffe99e54c0f4c") {
		t.Errorf("got %+v, %v", receipt, refusal)
	}
}
