package wecom

import (
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

const session = "wk1/wm1"

// serves answers as customer service does: five messages, each id once.
func (f *fakeCom) serves() {
	left, used := 5, make(map[any]bool)
	f.on("kf/send_msg", func(q *heard) string {
		id := q.json["msgid"]
		switch {
		case used[id]:
			return refuses(40058, "msgid duplicated")
		case left == 0:
			return refuses(95001, "msg count over limit")
		}
		left--
		used[id] = true
		return `{"errcode":0,"errmsg":"ok","msgid":"` + id.(string) + `"}`
	})
}

func TestMessagesToCustomers(t *testing.T) {
	id := short("t-1")
	for _, c := range []struct {
		name string
		does engine.Command
		want string
	}{
		{"text", says("t-1", session, "你好"), `{"msgid":"$id","msgtype":"text","open_kfid":"wk1","text":{"content":"你好"},"touser":"wm1"}`},
		{"image", does("t-1", session, engine.SendImage, map[string]any{"media_id": "M"}),
			`{"image":{"media_id":"M"},"msgid":"$id","msgtype":"image","open_kfid":"wk1","touser":"wm1"}`},
		{"link", does("t-1", session, engine.SendLink, map[string]any{"title": "t", "description": "d", "url": "https://e.com", "thumb_media_id": "M"}),
			`{"link":{"desc":"d","thumb_media_id":"M","title":"t","url":"https://e.com"},"msgid":"$id","msgtype":"link","open_kfid":"wk1","touser":"wm1"}`},
		{"mini program", does("t-1", session, engine.SendMiniapp, map[string]any{"title": "t", "appid": "wx1", "page": "p", "thumb_media_id": "M"}),
			`{"miniprogram":{"appid":"wx1","pagepath":"p","thumb_media_id":"M","title":"t"},"msgid":"$id","msgtype":"miniprogram","open_kfid":"wk1","touser":"wm1"}`},
		{"place", does("t-1", session, engine.SendLocation, map[string]any{"title": "t", "address": "a", "latitude": "22.5", "longitude": 113}),
			`{"location":{"address":"a","latitude":22.5,"longitude":113,"name":"t"},"msgid":"$id","msgtype":"location","open_kfid":"wk1","touser":"wm1"}`},
		{"menu", does("t-1", session, engine.SendCard, map[string]any{"card": `{"head_content":"h","list":[]}`}),
			`{"msgid":"$id","msgmenu":{"head_content":"h","list":[]},"msgtype":"msgmenu","open_kfid":"wk1","touser":"wm1"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := appRig(t)
			r.serves()
			if note := sent(t, r.sender(t), c.does); note != `{"msgid":"`+id+`"}` {
				t.Errorf("noted %q", note)
			}
			r.wantBody(t, "kf/send_msg", strings.ReplaceAll(c.want, "$id", id))
		})
	}
}

func TestTheSixthMessageFindsTheWindowClosed(t *testing.T) {
	r := appRig(t)
	r.serves()
	s := r.sender(t)
	for _, task := range []string{"1", "2", "3", "4", "5"} {
		sent(t, s, says(task, session, "a"))
	}
	failed(t, s, says("6", session, "a"), channel.Permanent)
}

// Our own id is what makes a repeat safe: the platform refuses it, whatever the
// code it does so with.
func TestAMessageToACustomerInDoubt(t *testing.T) {
	r := appRig(t)
	r.serves()
	s := r.sender(t)
	failed(t, hangsUp(r, "kf/send_msg", s), says("t-1", session, "a"), channel.Unsure)
	if note := sentAfterDoubt(t, r.sender(t), says("t-1", session, "a")); note == "" {
		t.Error("the message's id is not noted")
	}

	// Without a doubt such a refusal is one.
	sent(t, s, says("t-2", session, "a"))
	failed(t, s, says("t-2", session, "a"), channel.Permanent)
}

// hangsUp lets the next call of the path be done and its answer be lost.
func hangsUp(r *rig, path string, s channel.Sender) channel.Sender {
	inner := r.answers[path]
	r.on(path, func(q *heard) string {
		inner(q)
		r.answers[path] = inner
		return ""
	})
	return s
}

func answersEvent(task, text string, lives time.Duration) engine.Command {
	c := says(task, session, text)
	c.Ticket = engine.Ticket{Token: "kf_event/CODE", Expires: noon.Add(lives)}
	return c
}

// The event's code is for one text; what else answers the event goes as any
// message.
func TestAnswersToAnEventOfASession(t *testing.T) {
	r := appRig(t)
	r.serves()
	s := r.sender(t)
	sent(t, s, answersEvent("t-1", "欢迎", 17*time.Second))
	r.wantBody(t, "kf/send_msg_on_event", `{"code":"CODE","msgid":"`+short("t-1")+`","msgtype":"text","text":{"content":"欢迎"}}`)
	sent(t, s, answersEvent("t-1", "欢迎", 17*time.Second)) // repeated after a crash, it is the same request
	sent(t, s, answersEvent("t-2", "more", 17*time.Second))
	image := answersEvent("t-3", "", 17*time.Second)
	image.Action, image.Params = engine.SendImage, map[string]any{"media_id": "M"}
	sent(t, s, image)
	r.clock.pass(17 * time.Second)
	late := answersEvent("t-4", "late", 17*time.Second)
	late.Ticket.Token = "kf_event/CODE2"
	failed(t, s, late, channel.Permanent) // nobody is to be greeted hours later
	wantCalls(t, r.fakeCom, "kf/send_msg_on_event", 2)
	wantCalls(t, r.fakeCom, "kf/send_msg", 2)
}

func TestHandingASessionOver(t *testing.T) {
	r := appRig(t)
	r.says("kf/service_state/trans", `{"errcode":0,"errmsg":"ok","msg_code":"CODE"}`)
	s := r.sender(t)
	if note := sent(t, s, does("t-1", session, engine.HandOver, nil)); note != `{"msg_code":"CODE"}` {
		t.Errorf("noted %q", note)
	}
	r.wantBody(t, "kf/service_state/trans", `{"external_userid":"wm1","open_kfid":"wk1","service_state":2}`)
	sent(t, s, does("t-2", session, engine.HandOver, map[string]any{"user": "lina"}))
	r.wantBody(t, "kf/service_state/trans", `{"external_userid":"wm1","open_kfid":"wk1","service_state":3,"servicer_userid":"lina"}`)

	// From a state to itself is refused; after a doubt that is the proof.
	r.says("kf/service_state/trans", "")
	failed(t, s, does("t-3", session, engine.HandOver, nil), channel.Unsure)
	r.says("kf/service_state/trans", refuses(95016, "not allowed"))
	sentAfterDoubt(t, s, does("t-3", session, engine.HandOver, nil))
	failed(t, s, does("t-4", session, engine.HandOver, nil), channel.Permanent)
}
