package wecom

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

const wm = "wmSYNTHaaaaBBBBccccDDDD0000000001"

// greets is an answer to a contact's event of noon.
func greets(task, text string) engine.Command {
	c := says(task, wm, text)
	c.Ticket = engine.Ticket{Token: "welcome/CODE", Expires: noon.Add(17 * time.Second)}
	return c
}

// welcomes answers as the platform does: a code is for one use, within 20 s.
func (f *fakeCom) welcomes(begun bool) {
	used := false
	f.on("externalcontact/send_welcome_msg", func(q *heard) string {
		switch {
		case q.json["welcome_code"] != "CODE" || used || f.clock.now().Sub(noon) >= 20*time.Second:
			return refuses(41050, "invalid welcome code")
		case begun:
			return refuses(41051, "externaluser has started chatting")
		}
		used = true
		return allOK
	})
}

func TestWelcomes(t *testing.T) {
	attachment := map[string]any{"msgtype": "image", "image": map[string]any{"media_id": "M9"}}
	for _, c := range []struct {
		name   string
		action engine.Action
		text   string
		params map[string]any
		want   string
	}{
		{"text", engine.SendText, "你好", nil, `{"text":{"content":"你好"},"welcome_code":"CODE"}`},
		{"text and more", engine.SendText, "a", map[string]any{"attachments": []any{attachment}},
			`{"attachments":[{"image":{"media_id":"M9"},"msgtype":"image"}],"text":{"content":"a"},"welcome_code":"CODE"}`},
		{"image", engine.SendImage, "", map[string]any{"media_id": "M1"},
			`{"attachments":[{"image":{"media_id":"M1"},"msgtype":"image"}],"welcome_code":"CODE"}`},
		{"link", engine.SendLink, "", map[string]any{"title": "t", "description": "d", "url": "https://e.com", "cover_url": "https://e.com/p"},
			`{"attachments":[{"link":{"desc":"d","picurl":"https://e.com/p","title":"t","url":"https://e.com"},"msgtype":"link"}],"welcome_code":"CODE"}`},
		{"mini program", engine.SendMiniapp, "", map[string]any{"title": "t", "appid": "wx1", "page": "p", "media_id": "M2"},
			`{"attachments":[{"miniprogram":{"appid":"wx1","page":"p","pic_media_id":"M2","title":"t"},"msgtype":"miniprogram"}],"welcome_code":"CODE"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := appRig(t)
			r.welcomes(false)
			command := greets("t-1", c.text)
			command.Action, command.Params = c.action, c.params
			sent(t, r.sender(t), command)
			r.wantBody(t, "externalcontact/send_welcome_msg", c.want)
		})
	}
}

func TestWelcomesThatCannotBe(t *testing.T) {
	r := appRig(t)
	s := r.sender(t)
	ten := make([]any, 10)
	with := func(a engine.Action, text string, params map[string]any) engine.Command {
		c := greets("t-1", text)
		c.Action, c.Params = a, params
		return c
	}
	for name, c := range map[string]engine.Command{
		"nothing":                  with(engine.SendText, "", nil),
		"ten attachments":          with(engine.SendText, "a", map[string]any{"attachments": ten}),
		"a text that is too long":  with(engine.SendText, strings.Repeat("a", 4001), nil),
		"a sound":                  with(engine.SendVoice, "", map[string]any{"media_id": "M"}),
		"a title that is too long": with(engine.SendMiniapp, "", map[string]any{"appid": "a", "title": strings.Repeat("a", 65)}),
		"a link that is too long":  with(engine.SendLink, "", map[string]any{"title": "t", "url": "https://e.com/" + strings.Repeat("a", 2048)}),
	} {
		t.Run(name, func(t *testing.T) { failed(t, s, c, channel.Permanent) })
	}
	r.clock.pass(17 * time.Second)
	e := failed(t, s, greets("t-1", "a"), channel.Permanent)
	if !strings.Contains(e.Note, "20 s") {
		t.Errorf("the note does not name the window: %s", e.Note)
	}
	if len(r.calls) != 0 {
		t.Errorf("%d requests were made", len(r.calls))
	}
}

func TestTheWelcomeCodeIsForOneUse(t *testing.T) {
	r := appRig(t)
	r.welcomes(false)
	s := r.sender(t)
	sent(t, s, greets("t-1", "a"))
	failed(t, s, greets("t-2", "b"), channel.Permanent)
}

// A welcome whose answer was lost is tried again; the code then tells whether
// it was sent.
func TestAWelcomeInDoubt(t *testing.T) {
	r := appRig(t)
	s := r.sender(t)
	r.says("externalcontact/send_welcome_msg", "")
	failed(t, s, greets("t-1", "a"), channel.Unsure)
	r.says("externalcontact/send_welcome_msg", refuses(84061, "not external contact"))
	failed(t, s, greets("t-1", "a"), channel.Permanent) // which proves nothing
	r.says("externalcontact/send_welcome_msg", refuses(41050, "invalid welcome code"))
	sentAfterDoubt(t, r.sender(t), greets("t-1", "a"))
	failed(t, s, greets("t-2", "b"), channel.Permanent)
}

func TestWelcomesThatNobodyNeeds(t *testing.T) {
	r := appRig(t)
	r.welcomes(true)
	sent(t, r.sender(t), greets("t-1", "a"))

	r.says("externalcontact/send_welcome_msg", refuses(41096, "being sent by another"))
	s := r.sender(t)
	failed(t, s, greets("t-2", "a"), channel.Transient)
	sent(t, s, greets("t-2", "a"))
}

// An answer to the event in the member's conversation is no welcome.
func TestATicketIsNotForMembers(t *testing.T) {
	r := appRig(t)
	c := greets("t-1", "a new contact")
	c.Conversation = "wmiller"
	sent(t, r.sender(t), c)
	wantCalls(t, r.fakeCom, "message/send", 1)
}

func TestRemarksAndLabels(t *testing.T) {
	r := appRig(t)
	s := r.sender(t)
	sent(t, s, does("t-1", wm, engine.SetRemark, map[string]any{"user_id": "lina", "remark": "老王"}))
	r.wantBody(t, "externalcontact/remark", `{"external_userid":"`+wm+`","remark":"老王","userid":"lina"}`)
	sent(t, s, does("t-2", "wk1/"+wm, engine.SetLabel, map[string]any{"user_id": "lina", "add": "t1,t2", "remove": []any{"t3"}}))
	r.wantBody(t, "externalcontact/mark_tag", `{"add_tag":["t1","t2"],"external_userid":"`+wm+`","remove_tag":["t3"],"userid":"lina"}`)
}

// About five at a time are refused (45033).
func TestContactsAreChangedOneAtATime(t *testing.T) {
	r := appRig(t)
	var now, most atomic.Int32
	r.answersEverything(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasSuffix(q.URL.Path, "/remark") {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(5 * time.Millisecond)
			defer now.Add(-1)
		}
		r.serve(w, q)
	})
	s := r.sender(t)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			c := does("t-1", wm, engine.SetRemark, map[string]any{"user_id": "lina", "remark": "a"})
			if _, err := s.Send(t.Context(), &c); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := most.Load(); n != 1 {
		t.Errorf("%d at a time", n)
	}
}

// What the platform would do twice is held for a person.
func TestWhatMayBeRepeated(t *testing.T) {
	for _, c := range []struct {
		action engine.Action
		to     string
		want   bool
	}{
		{engine.SendText, "lina", true},
		{engine.SendText, "wk1/wm1", true},
		{engine.SendText, "appchat/1", false},
		{engine.SendImage, "appchat/1", false},
		{engine.CreateGroup, "lina", true}, // under the same id
		{engine.RenameGroup, "appchat/1", true},
		{engine.SetLabel, wm, true},
	} {
		if got := new(appSender).Repeatable(&engine.Command{Action: c.action, Conversation: c.to}); got != c.want {
			t.Errorf("%s to %s may be repeated: %v, want %v", c.action, c.to, got, c.want)
		}
	}
}

func TestOnlyAWelcomeIsInAHurry(t *testing.T) {
	for on, want := range map[engine.Kind]time.Duration{engine.FriendAdded: welcomeLives, engine.Message: 0, engine.EnterChat: 0} {
		if got, why := (&appSender{}).Within(on); got != want || (why != "") != (want > 0) {
			t.Errorf("%s: %v, %q; want %v", on, got, why, want)
		}
	}
}
