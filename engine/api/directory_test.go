package api

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/contacts"
)

// directoryRig is a rig whose account "shop" has contacts, some of whom are lost,
// blocked or unsubscribed.
func directoryRig(t *testing.T) *rig {
	t.Helper()
	r := contactsRig(t)
	d := contacts.New(contacts.Options{Store: r.st, Now: r.st.Now})
	r.o.Directory = d
	r.o.Audiences = func() []contacts.Audience { return nil }
	for _, e := range []engine.Event{
		{Kind: engine.Message, Conversation: "b", Sender: "b", SenderName: "张三", Time: r.clock.Now().AddDate(0, 0, -40)},
		{Kind: engine.Message, Conversation: "a", Sender: "a"},
		{Kind: engine.FriendLost, Conversation: "c"},
		{Kind: engine.GroupCreated, Conversation: "g"},
	} {
		e.Account, e.Received = "shop", r.clock.Now()
		notes, err := d.Learn(&e)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.st.Remember(t.Context(), "shop", notes); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// listed shows the answer of a list: id, and what is special.
func (r *rig) listed(query string) string {
	r.Helper()
	a := r.call("GET", "/api/v1/contacts?account=shop"+query, "")
	a.wants(r, http.StatusOK, "")
	var lines []string
	for _, c := range a.body["contacts"].([]any) {
		c := c.(map[string]any)
		line := fmt.Sprint(c["id"], c["labels"])
		for _, key := range []string{"name", "group", "since", "active", "gone_since", "blocked", "unsubscribed"} {
			if c[key] != nil {
				line += fmt.Sprintf(" %s=%v", key, c[key])
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestTheContactsOfAnAccountAreListed(t *testing.T) {
	r := directoryRig(t)
	if err := r.st.SetStanding(t.Context(), "shop", "a", engine.Block); err != nil {
		t.Fatal(err)
	}
	r.call("PUT", "/api/v1/contacts/shop/a%2Fb", `{"labels":{"add":["vip","企业客户"]},"name":"老王"}`).wants(t, http.StatusOK, "")
	r.call("PUT", "/api/v1/contacts/shop/b", `{"labels":{"add":["vip"],"remove":["old"]}}`).wants(t, http.StatusOK, "")
	want := `a[] since=2026-03-04 active=2026-03-04 blocked=true
a/b[vip 企业客户] name=老王
b[vip] name=张三 since=2026-01-23 active=2026-01-23
c[] gone_since=2026-03-04T05:06:07Z
g[] group=true since=2026-03-04`
	if got := r.listed(""); got != want {
		t.Errorf("lists\n%s\nwant\n%s", got, want)
	}
	for query, want := range map[string]string{
		"&label=vip":                 "a/b b",
		"&label=vip&label=企业客户":      "a/b",
		"&without=vip":               "a c g",
		"&active_within=30d":         "a g",
		"&where=group":               "g",
		"&where=private&after=a":     "a/b b c",
		"&limit=2":                   "a a/b",
		"&after=a%2Fb&limit=1":       "b",
		"&after=g":                   "",
		"&label=nobody":              "",
		"&where=any&active_within=0": "400",
		"&where=room":                "400",
		"&limit=0":                   "400",
		"&limit=1001":                "400",
		"&active_within=soon":        "400",
	} {
		if want == "400" {
			r.call("GET", "/api/v1/contacts?account=shop"+query, "").wants(t, http.StatusBadRequest, "query")
			continue
		}
		var ids []string
		for line := range strings.Lines(r.listed(query)) {
			id, _, _ := strings.Cut(line, "[")
			ids = append(ids, id)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%s lists %q, want %q", query, got, want)
		}
	}
}

func TestContactsAreImportedAllOrNone(t *testing.T) {
	r := directoryRig(t)
	r.call("POST", "/api/v1/contacts/shop", `{"contacts":[{"id":"x","labels":{"add":["vip"]}},{"id":"","labels":{}}]}`).wants(t, http.StatusBadRequest, "contact")
	r.call("POST", "/api/v1/contacts/shop", `{"contacts":[{"id":"x","labels":{"add":["vip"]}},{"id":"y","group":true,"name":"群"},{"id":"c"}]}`).wants(t, http.StatusOK, "")
	want := "c[]\nx[vip]\ny[] name=群 group=true" // c was gone, and is not any more
	if got := r.listed("&after=b"); strings.Replace(got, "g[] group=true since=2026-03-04\n", "", 1) != want {
		t.Errorf("lists\n%s\nwant\n%s", got, want)
	}
}

func TestAContactIsForgotten(t *testing.T) {
	r := directoryRig(t)
	r.call("PUT", "/api/v1/contacts/shop/b", `{"labels":{"add":["vip"]}}`).wants(t, http.StatusOK, "")
	for range 2 {
		r.call("DELETE", "/api/v1/contacts/shop/b", "").wants(t, http.StatusOK, "")
	}
	if got := r.listed("&label=vip"); got != "" {
		t.Error(got)
	}
	if strings.Contains(r.log.String(), "user=b msg=\"contact forgotten\"") {
		t.Error("the log keeps who was forgotten")
	}
}

func TestWhatIsWrongWithAChangeOfAContact(t *testing.T) {
	r := directoryRig(t)
	many := `"` + strings.Join(strings.Split(strings.Repeat("x", 101), ""), `","`) + `"`
	for name, tt := range map[string]struct {
		method, path, body string
		status             int
		code, says         string
	}{
		"an unknown account":       {"PUT", "shoop/u", `{}`, 404, "account", ""},
		"nobody":                   {"PUT", "shop/", `{}`, 400, "user", ""},
		"an id that is too long":   {"PUT", "shop/" + strings.Repeat("u", 257), `{}`, 400, "contact", "want 1 to 256 bytes"},
		"one to forget":            {"DELETE", "shop/" + strings.Repeat("u", 257), ``, 400, "user", "has 1 to 256 bytes"},
		"a mistyped member":        {"PUT", "shop/u", `{"label":{"add":["a"]}}`, 400, "json", `unknown field "label"`},
		"no JSON":                  {"PUT", "shop/u", `vip`, 400, "json", ""},
		"two objects":              {"PUT", "shop/u", `{}{}`, 400, "json", "behind the object"},
		"a label that is none":     {"PUT", "shop/u", `{"labels":{"remove":["a\n"]}}`, 400, "contact", `labels: "a\n" is no label`},
		"too many labels":          {"PUT", "shop/u", `{"labels":{"add":[` + many + `]}}`, 400, "contact", "101 at once are more than 100"},
		"another id than the path": {"PUT", "shop/u", `{"id":"v"}`, 400, "contact", "the path says another one"},
		"an empty import":          {"POST", "shop", `{"contacts":[]}`, 400, "contact", "want 1 to 1000"},
		"an import of many":        {"POST", "shop", `{"contacts":[` + strings.Repeat(`{"id":"u"},`, 1000) + `{"id":"u"}]}`, 400, "contact", "want 1 to 1000"},
		"one that is wrong":        {"POST", "shop", `{"contacts":[{"id":"u"},{"id":"u","labels":{"add":[""]}}]}`, 400, "contact", "contacts 2: labels:"},
		"a body that is too large": {"POST", "shop", `{"contacts":[{"id":"` + strings.Repeat("u", maxBody) + `"}]}`, 413, "too_large", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := r.call(tt.method, "/api/v1/contacts/"+tt.path, tt.body)
			a.wants(t, tt.status, tt.code)
			if says := a.body["error"].(map[string]any)["message"].(string); !strings.Contains(says, tt.says) {
				t.Errorf("says %s, want %q", says, tt.says)
			}
		})
	}
}

func TestAnAudienceIsCounted(t *testing.T) {
	r := directoryRig(t)
	file := filepath.Join(t.TempDir(), "ids.txt")
	if err := os.WriteFile(file, []byte("x\nb\nc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.o.Audiences = func() []contacts.Audience {
		return []contacts.Audience{
			{Name: "active", Account: "shop", Query: contacts.Query{ActiveWithin: 30 * 24 * time.Hour}},
			{Name: "file", Account: "shop", File: file}, {Name: "gone", Account: "shop", File: file + "x"},
		}
	}
	r.call("GET", "/api/v1/audiences", "").wants(t, http.StatusOK, "")
	for name, want := range map[string]string{"active": `"members":2`, "file": `"members":2`} { // of the file c is gone
		if a := r.call("GET", "/api/v1/audiences/"+name, ""); a.code != http.StatusOK || !strings.Contains(a.text, want) {
			t.Errorf("%s: %d %s", name, a.code, a.text)
		}
	}
	r.call("GET", "/api/v1/audiences/none", "").wants(t, http.StatusNotFound, "audience")
	r.call("GET", "/api/v1/audiences/gone", "").wants(t, http.StatusConflict, "audience")
}

func TestContactsNeedTheToken(t *testing.T) {
	r := directoryRig(t)
	r.o.Token = "t"
	for _, path := range []string{"GET /api/v1/contacts?account=shop", "PUT /api/v1/contacts/shop/u", "DELETE /api/v1/contacts/shop/u", "POST /api/v1/contacts/shop", "GET /api/v1/audiences", "GET /api/v1/audiences/a"} {
		method, path, _ := strings.Cut(path, " ")
		r.call(method, path, "{}").wants(t, http.StatusUnauthorized, "unauthorized")
	}
}

func TestAStoreThatFailsIsTold(t *testing.T) {
	r := directoryRig(t)
	if err := r.st.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		t.Fatal(err)
	}
	r.call("GET", "/api/v1/contacts?account=shop", "").wants(t, http.StatusInternalServerError, "internal")
	r.call("PUT", "/api/v1/contacts/shop/u", "{}").wants(t, http.StatusInternalServerError, "internal")
	r.call("POST", "/api/v1/contacts/shop", `{"contacts":[{"id":"u"}]}`).wants(t, http.StatusInternalServerError, "internal")
	r.call("DELETE", "/api/v1/contacts/shop/u", "").wants(t, http.StatusInternalServerError, "internal")
}
