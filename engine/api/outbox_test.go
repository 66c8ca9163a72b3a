package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/store"
)

// keep stores commands as they are.
func (r *rig) keep(cmds ...engine.Command) {
	r.Helper()
	for i := range cmds {
		cmds[i].Action, cmds[i].Created = engine.SendText, r.clock.Now()
	}
	if _, err := r.st.Submit(r.Context(), cmds, time.Minute); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) list(query string) (page Rows) {
	r.Helper()
	a := r.call("GET", "/api/v1/commands"+query, "")
	a.wants(r.T, http.StatusOK, "")
	if err := json.Unmarshal([]byte(a.text), &page); err != nil {
		r.Fatal(err)
	}
	return page
}

func TestTheOutboxIsListedByWhatIsAskedFor(t *testing.T) {
	r := newRig(t)
	due := r.clock.Now().Add(5 * time.Minute)
	r.keep(
		engine.Command{TaskID: "1", Account: "shop", Conversation: "u1", Skill: "reminder", Text: "还在吗", NotBefore: due, Unless: "n"},
		engine.Command{TaskID: "2", Account: "shop", Conversation: "u2", Skill: "reminder"},
		engine.Command{TaskID: "3", Account: "mute", Conversation: "u1", Skill: "other"},
	)
	d, _, err := r.st.Find("2")
	if err != nil {
		t.Fatal(err)
	}
	r.settle(d.ID, "", store.Progress{Phase: store.InDoubt, Attempts: 1, Reason: "no answer"})
	for _, tt := range []struct {
		query string
		want  []string
	}{
		{"", []string{"1", "2", "3"}},
		{"?account=shop", []string{"1", "2"}},
		{"?conversation=u1", []string{"1", "3"}},
		{"?skill=other", []string{"3"}},
		{"?state=waiting&account=shop", []string{"1"}},
		{"?state=in_doubt", []string{"2"}},
		{"?account=mute&conversation=u2", nil},
		{"?limit=2", []string{"1", "2"}},
	} {
		var got []string
		for _, c := range r.list(tt.query).Commands {
			got = append(got, c.TaskID)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q lists %q, want %q", tt.query, got, tt.want)
		}
	}
	first := r.list("").Commands[0]
	if !first.Due.Equal(due) || !first.CanBeCalledOff || first.State != "waiting" || first.Text != "还在吗" || first.Lane != "reply" {
		t.Errorf("shown as %+v", first)
	}
	if doubted := r.list("?state=in_doubt").Commands[0]; doubted.Reason != "no answer" || doubted.Attempts != 1 {
		t.Errorf("shown as %+v", doubted)
	}
}

func TestPagesOfTheOutboxFollowEachOther(t *testing.T) {
	r := newRig(t)
	var all []engine.Command
	for i := range 1203 {
		all = append(all, engine.Command{TaskID: fmt.Sprint(i), Account: "shop", Conversation: "u", Skill: fmt.Sprint(i % 2)})
	}
	r.keep(all...)
	n, next := 0, uint64(0)
	for {
		page := r.list(fmt.Sprintf("?skill=1&limit=100&after=%d", next))
		n += len(page.Commands)
		if next = page.Next; next == 0 {
			break
		}
	}
	if n != 601 {
		t.Errorf("listed %d, want 601", n)
	}
}

// An account that is mistyped must not look like one with nothing to do; one that was
// taken out of the configuration keeps what is left of it in sight.
func TestAListOfAnAccountThatIsNotThere(t *testing.T) {
	paths := []string{"/api/v1/commands", "/api/v1/in-doubt", "/api/v1/dead"}
	t.Run("with nothing", func(t *testing.T) {
		r := newRig(t)
		r.inDoubt("shop", "t", "x")
		for _, path := range paths {
			a := r.call("GET", path+"?account=shopp", "")
			if a.wants(t, http.StatusNotFound, "account"); !strings.Contains(a.message(), `there is no account "shopp"`) {
				t.Errorf("%s says %q", path, a.message())
			}
			r.call("GET", path+"?account=mute", "").wants(t, http.StatusOK, "") // it has nothing, and is configured
		}
	})
	t.Run("with something left", func(t *testing.T) {
		r := newRig(t)
		r.inDoubt("gone", "t1", "x")
		r.inDoubt("gone", "t2", "x")
		d, _, err := r.st.Find("t2")
		if err != nil {
			t.Fatal(err)
		}
		r.settle(d.ID, store.Dead, store.Progress{})
		for _, path := range paths {
			if a := r.call("GET", path+"?account=gone", ""); a.code != http.StatusOK || !strings.Contains(a.text, `"account":"gone"`) {
				t.Errorf("%s: %d %s", path, a.code, a.text)
			}
			r.call("GET", path+"?account=gone&after=1000000", "").wants(t, http.StatusOK, "") // the page behind the last
		}
		if page := r.list("?account=gone&state=waiting"); len(page.Commands) != 0 {
			t.Errorf("nothing of it waits, and %+v is listed", page)
		}
	})
}

func TestAListThatCannotBe(t *testing.T) {
	for query, code := range map[string]string{
		"?state=sent": "state", "?after=x": "after", "?limit=0": "limit", "?limit=1001": "limit", "?limit=x": "limit",
	} {
		newRig(t).call("GET", "/api/v1/commands"+query, "").wants(t, http.StatusBadRequest, code)
	}
}

func TestWhatAListedCommandWaitsForStandsBeforeWhatCameOfIt(t *testing.T) {
	for _, tt := range []struct{ name, now, before, want string }{
		{"nothing is known", "", "", ""},
		{"it waits", "account held: paused", "", "account held: paused"},
		{"it was tried", "", "status 500", "status 500"},
		{"both", "account held: paused", "status 500", "account held: paused; before that: status 500"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{Waits: func(store.Delivery) string { return tt.now }}
			d := store.Delivery{Command: &engine.Command{}, Progress: store.Progress{Reason: tt.before}}
			if got := o.row(&d).Reason; got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
