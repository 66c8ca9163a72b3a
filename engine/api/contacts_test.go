package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"bot/engine"
)

// contactsRig is a rig with the store's contacts.
func contactsRig(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	r.o.Contacts = r.st
	return r
}

func blockPath(account, user string) string {
	return "/api/v1/blocked/" + url.PathEscape(account) + "/" + url.PathEscape(user)
}

// barred lists one page behind a user.
func (r *rig) barred(after string) []map[string]any {
	r.Helper()
	a := r.call("GET", "/api/v1/blocked?"+url.Values{"account": {"shop"}, "after": {after}}.Encode(), "")
	a.wants(r, http.StatusOK, "")
	list, ok := a.body["barred"].([]any)
	if !ok {
		r.Fatalf("no list: %s", a.text)
	}
	out := make([]map[string]any, len(list))
	for i, l := range list {
		out[i] = l.(map[string]any)
	}
	return out
}

func TestBlockingAndUnblockingMayBeAskedForTwice(t *testing.T) {
	r := contactsRig(t)
	for _, step := range []struct {
		method, status string
		blocked        bool
	}{{"DELETE", "unblocked", false}, {"PUT", "blocked", true}, {"PUT", "blocked", true}, {"DELETE", "unblocked", false}} {
		a := r.call(step.method, blockPath("shop", "u1"), "")
		a.wants(t, http.StatusOK, "")
		if a.body["status"] != step.status || a.body["user"] != "u1" || a.body["account"] != "shop" {
			t.Errorf("%s answers %s", step.method, a.text)
		}
		if got := r.st.Standing("shop", "u1").Blocked; got != step.blocked {
			t.Errorf("after %s blocked is %v", step.method, got)
		}
	}
}

func TestUnblockingDoesNotSubscribe(t *testing.T) {
	r := contactsRig(t)
	if err := r.st.SetStanding(t.Context(), "shop", "u1", engine.Change(engine.Unsubscribe)); err != nil {
		t.Fatal(err)
	}
	r.call("DELETE", blockPath("shop", "u1"), "").wants(t, http.StatusOK, "")
	if !r.st.Standing("shop", "u1").Unsubscribed {
		t.Error("subscribed")
	}
}

func TestIDsOfUsersMayHoldAnything(t *testing.T) {
	for _, user := range []string{"a/b", "/a", "a/", "..", ".", "张三", "a b+c%2F?x=1#f", "wxid_1@chatroom", strings.Repeat("x", maxID)} {
		t.Run(user[:min(len(user), 20)], func(t *testing.T) {
			r := contactsRig(t)
			r.call("PUT", blockPath("shop", user), "").wants(t, http.StatusOK, "")
			if !r.st.Standing("shop", user).Blocked {
				t.Error("not blocked")
			}
			if list := r.barred(""); len(list) != 1 || list[0]["user"] != user {
				t.Errorf("lists %v", list)
			}
		})
	}
}

func TestWhoCannotBeBlocked(t *testing.T) {
	for _, tt := range []struct {
		name, path, code string
		status           int
	}{
		{"somebody of an unknown account", blockPath("shoop", "u1"), "account", 404},
		{"nobody", blockPath("shop", ""), "user", 400},
		{"an id that is too long", blockPath("shop", strings.Repeat("x", maxID+1)), "user", 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := contactsRig(t)
			r.call("PUT", tt.path, "").wants(t, tt.status, tt.code)
			r.call("DELETE", tt.path, "").wants(t, tt.status, tt.code)
		})
	}
}

func TestTheListSaysSinceWhen(t *testing.T) {
	r := contactsRig(t)
	since := r.clock.Now().Format("2006-01-02T15:04:05Z07:00")
	r.call("PUT", blockPath("shop", "b"), "").wants(t, http.StatusOK, "")
	if err := r.st.SetStanding(t.Context(), "shop", "a", engine.Change(engine.Unsubscribe)); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(r.barred(""))
	want := fmt.Sprintf("[map[unsubscribed_since:%s user:a] map[blocked_since:%[1]s user:b]]", since)
	if got != want {
		t.Errorf("lists %s, want %s", got, want)
	}
}

func TestTheListComesPageAfterPage(t *testing.T) {
	r := contactsRig(t)
	const n = pageSize + 5
	for i := range n {
		if err := r.st.SetStanding(t.Context(), "shop", fmt.Sprintf("u%03d", i), engine.Block); err != nil {
			t.Fatal(err)
		}
	}
	first := r.barred("")
	if len(first) != pageSize {
		t.Fatalf("the first page has %d, want %d", len(first), pageSize)
	}
	second := r.barred(first[pageSize-1]["user"].(string))
	if len(second) != n-pageSize || second[len(second)-1]["user"] != "u104" {
		t.Fatalf("the second page is %v", second)
	}
	if rest := r.barred("u104"); len(rest) != 0 {
		t.Errorf("a page after the last one is %v", rest)
	}
}

func TestTheListIsOfOneAccount(t *testing.T) {
	r := contactsRig(t)
	r.call("PUT", blockPath("mute", "u1"), "").wants(t, http.StatusOK, "")
	if got := r.barred(""); len(got) != 0 {
		t.Errorf("lists %v", got)
	}
	r.call("GET", "/api/v1/blocked", "").wants(t, http.StatusNotFound, "account")
	r.call("GET", "/api/v1/blocked?account=shoop", "").wants(t, http.StatusNotFound, "account")
}

func TestBlockingNeedsTheToken(t *testing.T) {
	r := contactsRig(t)
	r.o.Token = "t"
	for _, method := range []string{"PUT", "DELETE"} {
		r.call(method, blockPath("shop", "u1"), "").wants(t, http.StatusUnauthorized, "unauthorized")
	}
	r.call("GET", "/api/v1/blocked?account=shop", "").wants(t, http.StatusUnauthorized, "unauthorized")
	if r.st.Standing("shop", "u1").Blocked {
		t.Error("blocked all the same")
	}
}
