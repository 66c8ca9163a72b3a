package app_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bot/engine"
	"bot/engine/api"
	"bot/engine/stub"
)

// contacts shows the account's directory: "u [labels] state".
func (r *rig) contacts(query string) string {
	r.t.Helper()
	var page struct{ Contacts []api.Known }
	if status := r.admin(http.MethodGet, "/api/v1/contacts?account=shop"+query, "", &page); status != http.StatusOK {
		r.t.Errorf("contacts: %d", status)
	}
	var all []string
	for _, c := range page.Contacts {
		s := fmt.Sprint(c.ID, c.Labels)
		if c.Active != "" {
			s += " active"
		}
		if !c.Gone.IsZero() {
			s += " gone"
		}
		all = append(all, s)
	}
	return strings.Join(all, ", ")
}

func TestContactsAreLearnedAndSurviveARestart(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, barring)
	r.say("m1", "u1", "hello")
	r.befriend("e1", "u2")
	r.idle()
	if status := r.admin(http.MethodPut, "/api/v1/contacts/shop/u1", `{"labels":{"add":["vip"]}}`, nil); status != http.StatusOK {
		t.Errorf("label: %d", status)
	}
	for range 2 {
		if got := r.contacts(""); got != "u1[vip] active, u2[]" {
			t.Errorf("the directory has %q", got)
		}
		r.reborn()
	}
	if got := r.contacts("&label=vip"); got != "u1[vip] active" {
		t.Errorf("with the label are %q", got)
	}
}

// vip changes labels in answer to a word.
const vip = `
[[skill]]
name = "vip"
keywords = ["入会"]
do = "set_label"
params = {add = ["会员"], remove = ["访客"]}
`

func TestLabelsThatTheBotGivesAreInTheDirectory(t *testing.T) {
	t.Parallel()
	manners, text := talkOf(t, "gewe", vip)
	r := start(t, manners, text)
	r.happens(stub.Said{User: "wxid_u1", Name: "小王", Text: "你好"})
	r.idle()
	r.admin(http.MethodPut, "/api/v1/contacts/shop/wxid_u1", `{"labels":{"add":["访客"]}}`, nil)
	r.happens(stub.Said{User: "wxid_u1", Name: "小王", Text: "入会"})
	r.idle()
	if got := r.contacts(""); got != "wxid_u1[会员] active" {
		t.Errorf("the directory has %q", got)
	}
}

func TestWhatAPersonKnowsToHaveArrivedIsInTheDirectory(t *testing.T) {
	t.Parallel()
	manners, text := talkOf(t, "gewe", vip)
	manners.Script = func(c stub.Call) *stub.Answer {
		if c.Action == engine.SetLabel {
			return &stub.Answer{Status: 0, Done: true} // read, carried out, hung up on
		}
		return nil
	}
	r := start(t, manners, text)
	r.happens(stub.Said{User: "wxid_u1", Name: "小王", Text: "入会"})
	var page struct {
		InDoubt []api.Doubt `json:"in_doubt"`
	}
	r.until("it is in doubt", func() bool {
		r.admin(http.MethodGet, "/api/v1/in-doubt", "", &page)
		return len(page.InDoubt) == 1
	})
	if got := r.contacts(""); got != "wxid_u1[] active" {
		t.Errorf("while nobody knows the directory has %q", got)
	}
	if status := r.admin(http.MethodPost, "/api/v1/in-doubt/"+page.InDoubt[0].TaskID+"/delivered", "", nil); status != http.StatusOK {
		t.Errorf("delivered: %d", status)
	}
	if got := r.contacts(""); got != "wxid_u1[会员] active" {
		t.Errorf("the directory has %q", got)
	}
}

func TestWhoHasLeftIsSentNothingUnaskedUntilTheyAreBack(t *testing.T) {
	t.Parallel()
	manners, text := talkOf(t, "qiwe", "")
	const user = "7881300000000001"
	r := start(t, manners, text)
	r.happens(stub.Said{User: user, Text: "你好"})
	r.happens(stub.Said{Kind: engine.FriendLost, User: user})
	r.idle()
	if got := r.contacts(""); got != user+"[] active gone" {
		t.Errorf("the directory has %q", got)
	}
	r.submit("p1", "push", user, "OFFER")
	r.died("p1", "contact: gone since ")
	r.happens(stub.Said{User: user, Text: "我又来了"})
	r.idle()
	r.submit("p2", "push", user, "OFFER")
	if got := r.texts(user, 1); got[0] != "OFFER" {
		t.Errorf("said %q", got)
	}
}

func TestWhoHasNotWrittenForLongIsAnsweredAndNotSentAnythingElse(t *testing.T) {
	t.Parallel()
	text := strings.Replace(shop, `name = "shop"`, "name = \"shop\"\npush_active_within = \"90d\"\nmax_age = \"0s\"", 1) + echo
	r := start(t, stub.Options{}, text)
	old := func(id, user, content string) {
		t.Helper()
		body := fmt.Sprintf(`{"msg_id":%q,"sender":%q,"content":%q,"timestamp":1700000000}`, id, user, content)
		if status, answer := r.post(body); status != http.StatusOK {
			t.Errorf("%d %s", status, answer)
		}
	}
	old("m1", "u", "long ago")
	r.texts("u", 1)
	r.say("m2", "v", "today")
	r.texts("v", 1)
	r.idle()
	for life := range 2 {
		for _, lane := range []string{"push", "bulk"} {
			task := fmt.Sprint(lane, life)
			r.submit(task, lane, "u", "OFFER")
			r.died(task, "contact: has not written since 2023-11-1")
			r.submit(task+"v", lane, "v", "OFFER")
			r.submit(task+"x", lane, "stranger", "OFFER")
		}
		r.submit(fmt.Sprint("answer", life), "reply", "u", "ANSWER")
		if got := r.texts("u", 2+life); got[1+life] != "ANSWER" {
			t.Errorf("said %q", got)
		}
		r.texts("v", 3+2*life)
		r.texts("stranger", 2+2*life)
		r.reborn()
	}
	r.say("m3", "u", "again")
	r.idle()
	r.submit("p9", "push", "u", "OFFER")
	if got := r.texts("u", 5); got[4] != "OFFER" {
		t.Errorf("said %q", got)
	}
}

func TestAudiencesFollowTheConfigurationAndWhoIsServed(t *testing.T) {
	t.Parallel()
	r := newRig(t, stub.Options{})
	t.Cleanup(r.platformUp())
	if err := os.WriteFile(filepath.Join(r.dir, "ids.txt"), []byte("u1\nstranger\nu2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const audiences = "[[audience]]\nname = \"all\"\n[[audience]]\nname = \"file\"\nfile = \"ids.txt\"\n"
	r.configure(shop + audiences + echo)
	r.begin()
	for _, user := range []string{"u1", "u2", "u3"} {
		r.say("m"+user, user, "hello")
	}
	r.idle()
	count := func(name string, want int) {
		t.Helper()
		var a api.Audience
		if r.admin(http.MethodGet, "/api/v1/audiences/"+name, "", &a); a.Members == nil || *a.Members != want {
			t.Errorf("%s: %+v, want %d", name, a, want)
		}
	}
	count("all", 3)
	count("file", 3)
	r.admin(http.MethodPut, "/api/v1/blocked/shop/u1", "", nil)
	count("all", 2)
	count("file", 2)
	r.configure(strings.Replace(shop, `name = "shop"`, "name = \"shop\"\nblocked = [\"u2\"]\ntest_users = [\"u2\", \"u3\"]", 1) + strings.Replace(audiences, `"all"`, `"everybody"`, 1) + echo)
	if status := r.admin(http.MethodPost, "/api/v1/reload", "", nil); status != http.StatusOK {
		t.Fatalf("reload: %d", status)
	}
	count("everybody", 1)
	count("file", 0)
	if status := r.admin(http.MethodGet, "/api/v1/audiences/all", "", nil); status != http.StatusNotFound {
		t.Errorf("an audience that left: %d", status)
	}
}
