package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/broadcast"
	"bot/engine/contacts"
	"bot/store"
)

// newCasts is a keeper of broadcasts over the rig's store, which releases nothing
// before the rig runs it.
func (r *rig) newCasts() *broadcast.Manager {
	m := broadcast.New(broadcast.Options{
		Store: r.store, Window: func() time.Duration { return time.Hour },
		Account: func(name string) (broadcast.Account, bool) { return broadcast.Account{}, name == "shop" },
		Template: func(text string) (engine.BroadcastTemplate, error) {
			if strings.Contains(text, "{{.Usr}}") {
				return nil, errors.New("there is no field Usr")
			}
			return func(p engine.Recipient) (string, error) {
				return strings.ReplaceAll(text, "{{.User}}", p.User), nil
			}, nil
		},
		Unwanted: func(_ *engine.Command, user string) string {
			if user == "blocked" {
				return "blocked"
			}
			return ""
		},
		Quota: func(string, engine.Action, int) (float64, bool) { return 0.123, true },
	})
	if err := m.Recover(r.Context()); err != nil {
		r.Fatal(err)
	}
	return m
}

func (r *rig) audience(account, name string) (broadcast.Audience, error) {
	if name != "vip" || account != "shop" {
		return nil, fmt.Errorf("there is no audience %q", name)
	}
	return broadcast.List{"v1", "v2", "v3"}, nil
}

func (r *rig) chosen(account string, q contacts.Query) broadcast.Audience {
	return broadcast.List{fmt.Sprintf("%s of %s within %v in %q", q.Labels, account, q.ActiveWithin, q.Where)}
}

// release runs the keeper until everybody had their turn, and fails those commands
// that are for somebody of whom fails says so.
func (r *rig) release(id string, fails func(user string) bool) {
	r.Helper()
	ctx, cancel := context.WithCancel(r.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.casts.Run(ctx) }()
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		rows, err := r.store.Deliveries(0, 1000)
		if err != nil {
			r.Fatal(err)
		}
		for _, d := range rows {
			s := store.Settlement{ID: d.ID, Final: store.Sent, Progress: d.Progress}
			if fails(d.Command.Conversation) {
				s.Final, s.Progress.Reason = store.Dead, "permanent: no such user"
			}
			s.Counts = broadcast.Tally(d.Command, &s)
			if err := r.store.Settle(ctx, s); err != nil {
				r.Fatal(err)
			}
			r.casts.Settled(d.Command, &s)
		}
		if s, err := r.casts.Status(id); err != nil || s.State == broadcast.Done {
			break
		}
		if time.Now().After(until) {
			r.Fatal("the broadcast does not end")
		}
	}
	cancel()
	if err := <-ended; err != nil {
		r.Error(err)
	}
}

func (r *rig) cast(to ...string) broadcast.Status {
	r.Helper()
	s, err := r.casts.Make(r.Context(), broadcast.Request{Account: "shop", Text: "hello {{.User}}", Audience: broadcast.List(to), Said: "list"})
	if err != nil {
		r.Fatal(err)
	}
	return s
}

// compose sends the form and returns the answer and the id of what was made.
func (r *rig) compose(form url.Values) (resp *http.Response, id string) {
	r.Helper()
	resp = r.send(http.MethodPost, "/broadcasts/new", form)
	_, id, _ = strings.Cut(resp.Header.Get("Location"), "/broadcast?id=")
	return resp, id
}

func (r *rig) state(id string) broadcast.State {
	r.Helper()
	s, err := r.casts.Status(id)
	if err != nil {
		r.Fatal(err)
	}
	return s.State
}

func TestABroadcastIsMadeThenStartedInTwoSteps(t *testing.T) {
	r := newRig(t)
	r.login()
	if page := r.page("/broadcasts"); !strings.Contains(page, "There are no broadcasts yet.") {
		t.Errorf("without any: %s", page)
	}
	if page := r.page("/broadcasts/new"); !strings.Contains(page, "<option>shop</option>") || !strings.Contains(page, "vip (shop)") {
		t.Errorf("the form: %s", page)
	}
	resp, id := r.compose(url.Values{
		"account": {"shop"}, "name": {"Double Twelve"}, "text": {"sale, {{.User}}"}, "rate": {"2/s"}, "whom": {"list"},
		"to": {"# ours\r\nu1\r\n\r\nu2\r\nu1\r\n"}, "audience": {"vip"}, "where": {"private"},
	})
	if resp.StatusCode != http.StatusSeeOther || r.state(id) != broadcast.Ready {
		t.Fatalf("%s: %s", resp.Status, text(t, resp))
	}
	page := r.page(castPath(id))
	for _, want := range []string{"Double Twelve", "sale, {{.User}}", "2 people left: about 1 s at 2/s.", "13 %", "1 named twice", `action="/broadcast/start"`, "send it to 2 people"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if page := r.press("/broadcast/start", url.Values{"id": {id}, "back": {castPath(id)}}); !strings.Contains(saidOn(page), "Tick that") || r.state(id) != broadcast.Ready {
		t.Errorf("without the tick: %q, %s", saidOn(page), r.state(id))
	}
	if page := r.press("/broadcast/start", url.Values{"id": {id}, "back": {castPath(id)}, "sure": {"yes"}}); !strings.Contains(saidOn(page), "has begun") || r.state(id) != broadcast.Running {
		t.Errorf("with it: %q, %s", saidOn(page), r.state(id))
	}
}

func TestWhomABroadcastReaches(t *testing.T) {
	for name, c := range map[string]struct {
		form url.Values
		want int
	}{
		"pasted ids":         {url.Values{"whom": {"list"}, "to": {"u1\nu2"}, "labels": {"x"}}, 2},
		"a named audience":   {url.Values{"whom": {"audience"}, "audience": {"vip"}, "to": {"u1"}}, 3},
		"contacts by labels": {url.Values{"whom": {"contacts"}, "labels": {"老客户，vip"}, "active": {"30d"}, "where": {"private"}, "to": {"u1"}}, 1},
		"all contacts":       {url.Values{"whom": {"contacts"}, "where": {"any"}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.login()
			c.form.Set("account", "shop")
			c.form.Set("text", "hello")
			resp, id := r.compose(c.form)
			if id == "" {
				t.Fatalf("%s: %s", resp.Status, text(t, resp))
			}
			if s, err := r.casts.Status(id); err != nil || s.Recipients != c.want {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
}

func TestAWrongBroadcastComesBackWithWhatWasTyped(t *testing.T) {
	for name, c := range map[string]struct {
		form url.Values
		want []string
	}{
		"a bad rate":              {url.Values{"rate": {"fast"}, "to": {"u1"}}, []string{"<b>Rate</b>", `value="fast"`}},
		"nobody":                  {url.Values{"to": {"\n# none\n"}}, []string{"<b>Pasted ids</b>", "the audience is nobody"}},
		"an id that is none":      {url.Values{"to": {"u1\nbad\x01id"}}, []string{"to: line 2", "control character"}},
		"a template with a slip":  {url.Values{"to": {"u1"}, "text": {"hi {{.Usr}}"}}, []string{"<b>Text</b>", "no field Usr", "hi {{.Usr}}</textarea>"}},
		"no text":                 {url.Values{"to": {"u1"}, "text": {" "}}, []string{"<b>Text</b>"}},
		"another's audience":      {url.Values{"whom": {"audience"}, "audience": {"nobody's"}}, []string{"<b>An audience of the configuration</b>"}},
		"a time that is none":     {url.Values{"whom": {"contacts"}, "active": {"soon"}}, []string{"<b>Wrote within</b>", `value="soon"`}},
		"an account that is none": {url.Values{"account": {"nowhere"}, "to": {"u1"}}, []string{"<b>Account</b>"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.login()
			form := url.Values{"account": {"shop"}, "text": {"hello"}, "whom": {"list"}}
			for key, values := range c.form {
				form[key] = values
			}
			resp, _ := r.compose(form)
			page := text(t, resp)
			if resp.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("%s", resp.Status)
			}
			for _, want := range c.want {
				if !strings.Contains(page, want) {
					t.Errorf("the page lacks %q: %s", want, page)
				}
			}
			if all, err := r.casts.List(); err != nil || len(all) > 0 {
				t.Errorf("made all the same: %+v, %v", all, err)
			}
		})
	}
}

func TestABroadcastIsPausedResumedCancelledAndDeleted(t *testing.T) {
	r := newRig(t)
	r.login()
	id := r.cast("u1", "u2").ID
	press := func(what string) string {
		return saidOn(r.press("/broadcast/"+what, url.Values{"id": {id}, "sure": {"yes"}, "back": {"/broadcasts"}}))
	}
	for _, c := range []struct {
		what, says string
		state      broadcast.State
	}{
		{"start", "has begun", broadcast.Running}, {"pause", "is paused", broadcast.Paused}, {"resume", "goes on", broadcast.Running},
		{"start", "it is running and cannot be started", broadcast.Running}, {"delete", "cannot be deleted", broadcast.Running}, {"cancel", "is cancelled", broadcast.Cancelled},
	} {
		if says := press(c.what); !strings.Contains(says, c.says) || r.state(id) != c.state {
			t.Errorf("%s: %q, %s", c.what, says, r.state(id))
		}
	}
	if says := press("delete"); !strings.Contains(says, "is deleted") {
		t.Errorf("delete: %q", says)
	}
	if says := press("pause"); !strings.Contains(says, "not there any more") {
		t.Errorf("afterwards: %q", says)
	}
	if resp := r.send(http.MethodGet, castPath(id), nil); resp.StatusCode != http.StatusNotFound {
		t.Errorf("its page: %s", resp.Status)
	}
}

func TestTheResultsOfABroadcast(t *testing.T) {
	r := newRig(t)
	r.login()
	id := r.cast("u1", "u2", "blocked", "u4").ID
	if _, err := r.casts.Start(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	r.release(id, func(user string) bool { return user == "u2" })
	page := r.page(castPath(id))
	for _, want := range []string{"<b>2</b> sent", "<b>1</b> failed", "<b>1</b> left out", "blocked: 1", "4 of 4 are over", `<progress class="wide" max="4" value="4"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q: %s", want, page)
		}
	}
	page = r.page("/broadcast/failures?id=" + id)
	if !strings.Contains(page, "u2") || !strings.Contains(page, "no such user") || strings.Contains(page, "u4") {
		t.Errorf("the failures: %s", page)
	}
	letter := regexp.MustCompile(`name="id" value="(\d+)"`).FindStringSubmatch(page)[1]
	if page := r.press("/dead/replay", url.Values{"id": {letter}, "back": {"/broadcast/failures?id=" + id}}); saidOn(page) != "It was put back." || !strings.Contains(page, "Nothing failed.") {
		t.Errorf("a replay: %q", saidOn(page))
	}
}

func TestFailuresAndBroadcastsCanBePaged(t *testing.T) {
	r := newRig(t)
	r.login()
	var all []string
	for i := range rows + 7 {
		all = append(all, fmt.Sprint("u", i))
		r.cast("somebody")
	}
	big := r.cast(all...).ID
	if _, err := r.casts.Start(t.Context(), big); err != nil {
		t.Fatal(err)
	}
	r.release(big, func(string) bool { return true })
	next := regexp.MustCompile(`<a href="([^"]+)">Next page`)
	for path, want := range map[string]int{"/broadcasts": rows + 8, "/broadcast/failures?id=" + big: rows + 7} {
		got, pages := 0, 0
		for path != "" && pages < 5 {
			page := r.page(path)
			got, pages = got+strings.Count(page, `<th scope="row"`), pages+1
			path = ""
			if m := next.FindStringSubmatch(page); m != nil {
				path = strings.ReplaceAll(m[1], "&amp;", "&")
			}
		}
		if got != want || pages != 2 {
			t.Errorf("%s: %d on %d pages, want %d", path, got, pages, want)
		}
	}
}
