package console

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bot/engine"
	"bot/engine/contacts"
	"bot/store"
)

// know gives the rig's account shop contacts.
func (r *rig) know(changes ...contacts.Change) {
	r.Helper()
	for i := range changes {
		changes[i].Present = true
	}
	if err := r.options.Desk.Directory.Change(r.Context(), "shop", changes); err != nil {
		r.Fatal(err)
	}
}

// labels are those of a contact of shop's, and whether it is known at all.
func (r *rig) labels(id string) (labels []string, known bool) {
	r.Helper()
	for c, err := range r.options.Desk.Directory.Select("shop", contacts.Query{All: true}, r.store.Now()) {
		if err != nil {
			r.Fatal(err)
		}
		if c.ID == id {
			return c.Labels, true
		}
	}
	return nil, false
}

// standings is how people stand, whatever the store knows.
type standings struct {
	store.Contacts
	of map[string]engine.Standing
}

func (s standings) Standing(_, user string) engine.Standing { return s.of[user] }

func TestContactsAreShownAndChosenByLabelAndKind(t *testing.T) {
	r := newRig(t)
	r.login()
	if page := r.page("/contacts"); !strings.Contains(page, "There is nobody like that.") {
		t.Error("without any it does not say so")
	}
	name := "张三"
	r.know(contacts.Change{ID: "u/1", Name: &name, Add: []string{"vip", "老客户"}}, contacts.Change{ID: "u2"}, contacts.Change{ID: "g1", Group: true, Add: []string{"vip"}})
	r.options.Desk.Contacts = standings{r.store, map[string]engine.Standing{"u2": {Blocked: true}, "u/1": {Unsubscribed: true}}}
	r.build()
	r.login()
	page := r.page("/contacts")
	for _, want := range []string{"张三", "老客户", "blocked", "unsubscribed", "/conversation?account=shop&amp;conversation=u%2f1", `name="group" value="yes"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for query, want := range map[string]string{
		"label=vip": "[g1 u/1]", "label=vip&where=private": "[u/1]", "where=group": "[g1]", "label=&where=": "[g1 u/1 u2]", "active_within=7d": "[]", "label=none": "[]",
	} {
		page := r.page("/contacts?account=shop&" + query)
		var got []string
		for _, id := range []string{"g1", "u/1", "u2"} {
			if strings.Contains(page, `name="id" value="`+id+`"`) {
				got = append(got, id)
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s shows %v, want %s", query, got, want)
		}
	}
	for path, status := range map[string]int{"/contacts?account=nobody": 404, "/contacts?where=moon": 400, "/contacts?active_within=soon": 400} {
		if resp := r.send("GET", path, nil); resp.StatusCode != status {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
}

func TestContactsArePaged(t *testing.T) {
	r := newRig(t)
	r.login()
	var all []contacts.Change
	for i := range rows + 3 {
		all = append(all, contacts.Change{ID: fmt.Sprintf("u%03d", i), Add: []string{"大 客户&"}})
	}
	r.know(all...)
	page := r.page("/contacts?label=" + url.QueryEscape("大 客户&"))
	if n := strings.Count(page, `action="/contacts/forget"`); n != rows {
		t.Errorf("the first page shows %d", n)
	}
	if next := r.page(nextOf(t, page)); strings.Count(next, `action="/contacts/forget"`) != 3 || strings.Contains(next, "Next page") {
		t.Error("the second page does not show the rest")
	}
}

func TestLabelsAreChangedByWhatTheFormHad(t *testing.T) {
	for _, tt := range []struct {
		name         string
		was          []string
		labels, want string
		said         string
	}{
		{"one is added", []string{"vip"}, "vip, 新", "[vip 新]", "saved"},
		{"with a full-width comma", []string{"vip"}, "vip，a， b", "[a b vip]", "saved"},
		{"all are taken away", []string{"vip"}, " ", "[]", "saved"},
		{"what somebody else added meanwhile stays", nil, "b", "[b vip]", "saved"},
		{"what is no label changes nothing", []string{"vip"}, strings.Repeat("长", 100), "[vip]", "1 to 128 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.login()
			r.know(contacts.Change{ID: "u1", Add: []string{"vip"}})
			page := r.press("/contacts/labels", url.Values{"account": {"shop"}, "id": {"u1"}, "was": tt.was, "labels": {tt.labels}, "back": {"/contacts"}})
			if got, _ := r.labels("u1"); fmt.Sprint(got) != tt.want || !strings.Contains(saidOn(page), tt.said) {
				t.Errorf("%v, want %s; said %q", got, tt.want, saidOn(page))
			}
		})
	}
}

func TestAContactIsForgotten(t *testing.T) {
	r := newRig(t)
	r.login()
	r.know(contacts.Change{ID: "u1", Add: []string{"vip"}}, contacts.Change{ID: "u2"})
	if page := r.press("/contacts/forget", url.Values{"account": {"shop"}, "id": {"u1"}, "back": {"/contacts"}}); saidOn(page) != "u1 was forgotten." {
		t.Errorf("says %q", saidOn(page))
	}
	if _, known := r.labels("u1"); known {
		t.Error("it is still known")
	}
	if _, known := r.labels("u2"); !known {
		t.Error("another one was forgotten too")
	}
	for name, form := range map[string]url.Values{"no account": {"account": {"x"}, "id": {"u2"}}, "no id": {"account": {"shop"}}} {
		form.Set("back", "/contacts")
		if page := r.press("/contacts/forget", form); !strings.Contains(page, `said bad`) {
			t.Errorf("%s: says %q", name, saidOn(page))
		}
	}
}

func TestAudiencesAreCountedWhenThatIsAskedFor(t *testing.T) {
	r := newRig(t)
	r.login()
	r.know(contacts.Change{ID: "u1", Add: []string{"vip"}}, contacts.Change{ID: "u2", Add: []string{"vip"}}, contacts.Change{ID: "u3"})
	missing := filepath.Join(t.TempDir(), "list.txt")
	r.audiences = []contacts.Audience{
		{Name: "vips", Account: "shop", Query: contacts.Query{Labels: []string{"vip"}}}, {Name: "listed", Account: "shop", File: missing}, {Name: "elsewhere", Account: "other"},
	}
	if page := r.page("/contacts"); !strings.Contains(page, "count=vips") || strings.Contains(page, "elsewhere") {
		t.Error("not the account's audiences are listed")
	}
	if page := r.page("/contacts?account=shop&count=vips"); !strings.Contains(page, "vips <b>2</b>") || strings.Contains(page, `count=vips">count`) {
		t.Error("it is not counted")
	}
	if page := r.page("/contacts?account=shop&count=listed"); !strings.Contains(page, "no such file") {
		t.Error("a file that is gone is not told of")
	}
}

func TestWithoutAccountsThereAreNoContacts(t *testing.T) {
	r := newRig(t)
	r.login()
	r.overview.Accounts = slices.Delete(r.overview.Accounts, 0, 1)
	if page := r.page("/contacts"); !strings.Contains(page, "There is nobody like that.") {
		t.Error("it does not say so")
	}
}
