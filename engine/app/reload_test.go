package app_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"bot/engine"
	"bot/engine/stub"
)

// reload asks over the API, as `bot reload` does, and returns the problems.
func (r *rig) reload(text string) (status int, problems string) {
	r.t.Helper()
	if text != "" {
		r.configure(text)
	}
	var refused struct{ Problems []string }
	status = r.admin(http.MethodPost, "/api/v1/reload", "", &refused)
	return status, strings.Join(refused.Problems, "\n")
}

// reloaded is reload where nothing may be wrong.
func (r *rig) reloaded(text string) {
	r.t.Helper()
	if status, problems := r.reload(text); status != http.StatusOK {
		r.t.Fatalf("reload: %d %s", status, problems)
	}
}

const second = `
[[account]]
name = "second"
channel = "generic"
path = "/second"
base_url = "http://PLATFORM"
`

func TestTwentyReloadsLeaveOneReplyAndNoGoroutine(t *testing.T) {
	// Not parallel: it counts the goroutines of the process.
	r := start(t, stub.Options{}, shop+echo)
	r.say("warm", "u0", "warm")
	r.texts("u0", 1)
	r.idle()
	goroutines := func() int {
		r.http.CloseIdleConnections()
		return runtime.NumGoroutine()
	}
	before := goroutines()
	for i := range 20 {
		text := shop + second + echo
		if i%2 == 0 {
			text = shop + strings.Replace(echo, "match", "enabled = false\nmatch", 1)
		}
		r.reloaded(text)
	}
	r.say("m1", "u1", "once")
	if got := r.texts("u1", 1); !slices.Equal(got, []string{"once"}) {
		t.Errorf("said %q", got)
	}
	r.idle()
	if n := len(r.platform.Calls(stub.Text("u1"))); n != 1 {
		t.Errorf("%d replies to one message", n)
	}
	if g := r.status().Generation; g != 21 {
		t.Errorf("generation %d after 20 reloads", g)
	}
	// Two connections to the platform may be idle where there was one.
	r.until("the goroutines are gone", func() bool { return goroutines() <= before+4 })
}

func TestAReloadKeepsTheConnectionsToThePlatform(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+echo)
	r.say("m1", "u", "1")
	r.texts("u", 1)
	r.idle()
	r.reloaded(shop + echo)
	r.say("m2", "u", "2")
	r.texts("u", 2)
	if n := r.connections.Load(); n != 1 {
		t.Errorf("%d connections for two sends with a reload in between", n)
	}
}

func TestARefusedReloadKeepsTheOldGeneration(t *testing.T) {
	t.Parallel()
	broken := func(text string) func(r *rig) { return func(r *rig) { r.configure(text) } }
	tests := []struct {
		name  string
		spoil func(r *rig)
		want  string
	}{
		{"an unknown key", broken(shop + strings.Replace(echo, "match", "matchz", 1)), "matchz"},
		{"no TOML", broken(shop + "[[skill"), "table name"},
		{"a bad pattern among good ones", broken(shop + echo + "[[skill]]\nname = \"p\"\nmatch = \"regex\"\npatterns = ['a', '(']\nreply = \"x\"\n"), "bad pattern"},
		{"an account nobody has", broken(shop + echo + "[[skill]]\nname = \"p\"\nkeywords = [\"p\"]\naccounts = [\"shopp\"]\nreply = \"x\"\n"), `"shop"`},
		{"a dialogue that goes otherwise", broken(shop + echo + "[[skill.test]]\nsend = [\"a\"]\nexpect = [\"b\"]\n"), `"b"`},
		{"a file that cannot be read", func(r *rig) {
			os.Remove(r.file())
			if err := os.Mkdir(r.file(), 0o700); err != nil {
				r.t.Fatal(err)
			}
		}, "bot.toml"},
		{"no file", func(r *rig) { os.Remove(r.file()) }, "no such file"},
	}
	r := start(t, stub.Options{}, shop+echo)
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.spoil(r)
			status, problems := r.reload("")
			if status != http.StatusUnprocessableEntity || !strings.Contains(problems, tt.want) {
				t.Errorf("%d, problems %q; want a refusal that names %s", status, problems, tt.want)
			}
			if g := r.status().Generation; g != 1 {
				t.Errorf("generation %d", g)
			}
			r.say(fmt.Sprint("m", i), "u", fmt.Sprint("still here ", i))
			if got := r.texts("u", i+1); got[i] != fmt.Sprint("still here ", i) {
				t.Errorf("the old configuration says %q", got)
			}
			os.Remove(r.file())
		})
	}
}

func TestSettingsThatNeedARestartAreRefusedByName(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop+echo)
	r.configure(shop + echo + "[queue]\nworkers = 3\n[dedup]\nwindow = \"1h\"\n")
	text, err := os.ReadFile(r.file())
	if err != nil {
		t.Fatal(err)
	}
	moved := strings.Replace(string(text), `listen = "127.0.0.1:0"`, `listen = "127.0.0.1:1"`, 1)
	moved = strings.Replace(moved, "[store]", "token = \"hush-hush\"\n[store]\npath = \"other.db\"", 1)
	if err := os.WriteFile(r.file(), []byte(moved), 0o600); err != nil {
		t.Fatal(err)
	}
	status, problems := r.reload("")
	if status != http.StatusUnprocessableEntity {
		t.Errorf("status %d", status)
	}
	for _, name := range []string{"server.listen", "admin.token", "store.path", "queue.workers", "dedup.window"} {
		if !strings.Contains(problems, name) {
			t.Errorf("%s is not named in %q", name, problems)
		}
	}
	if strings.Contains(problems, "hush-hush") {
		t.Error("the new token is shown")
	}
}

func TestWhatARemovedAccountHasWaitsForItsReturn(t *testing.T) {
	t.Parallel()
	r := newRig(t, stub.Options{})
	t.Cleanup(r.platformUp())
	g := newGate()
	r.skills["gate"] = g.pass
	gated := "[[skill]]\nname = \"gate\"\nmatch = \"any\"\ngo = \"gate\"\n"
	both := shop + second + gated
	r.configure(both)
	r.begin()

	for i := 1; i <= 3; i++ { // the first is at its turn when the account goes, the others wait
		r.say(fmt.Sprint("m", i), "u", fmt.Sprint("t", i))
	}
	status := r.admin(http.MethodPost, "/api/v1/commands", `{"task_id":"later","account_id":"shop","action":"send_text","timestamp":1772600000,"params":{"to":"v","content":"pushed"}}`, nil)
	if status != http.StatusAccepted {
		t.Fatalf("submit: %d", status)
	}
	r.texts("v", 1)
	g.entered(t, 1)
	r.reloaded(second + gated)
	close(g.open)
	r.until("the turn in hand is committed", func() bool { s := r.status(); return s.Events == 2 && s.Commands == 1 })
	if status, _ := r.post(message("m9", "u", "nobody there")); status != http.StatusNotFound {
		t.Errorf("a callback to a removed account: %d", status)
	}
	r.end() // what is held is held over a restart as well
	r.begin()
	if s := r.status(); s.Events != 2 || s.Commands != 1 {
		t.Errorf("after a restart %d events and %d commands are held, want 2 and 1", s.Events, s.Commands)
	}
	r.reloaded(both)
	if got, want := r.texts("u", 3), numbered("t", 3); !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
	r.idle()
	if n := r.platform.Counts().Calls; n != 4 {
		t.Errorf("%d calls, want 4", n)
	}
}

func TestATurnEndsWithTheSkillItBeganWith(t *testing.T) {
	t.Parallel()
	r := newRig(t, stub.Options{})
	t.Cleanup(r.platformUp())
	g := newGate()
	r.skills["gate"] = func(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
		_, err := g.pass(ctx, t)
		return answer("old"), err
	}
	r.configure(shop + "[[skill]]\nname = \"s\"\nmatch = \"any\"\ngo = \"gate\"\n")
	r.begin()
	r.say("m1", "u", "hi")
	g.entered(t, 1)
	r.reloaded(shop + "[[skill]]\nname = \"s\"\nmatch = \"any\"\nreply = \"new\"\n")
	r.say("m2", "u", "hi") // behind the first, so it begins after the reload
	close(g.open)
	if got, want := r.texts("u", 2), []string{"old", "new"}; !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
}

func TestAFormOverAReload(t *testing.T) {
	t.Parallel()
	form := func(steps string) string {
		return shop + "[[skill]]\nname = \"bind\"\nkeywords = [\"bind\"]\nmatch = \"exact\"\ndone = \"DONE {{.Data.b}}\"\n" + steps
	}
	const a = "[[skill.step]]\nsave = \"a\"\nask = \"A?\"\n"
	const b = "[[skill.step]]\nsave = \"b\"\nask = \"B?\"\npattern = '^\\d$'\ninvalid = \"DIGIT!\"\n"
	const change = "请重新开始"
	tests := []struct {
		name, after string
		want        []string // of the answers to "7", "bind" and "x"
	}{
		{"goes on where it stood", form(a + b), []string{"DONE 7", "A?", "B?"}},
		{"goes on by a step's new rule", form(a + strings.Replace(b, `\d`, "[xyz]", 1)), []string{"DIGIT!", "DIGIT!", "DONE x"}},
		{"ends politely when its step is gone", strings.ReplaceAll(strings.Replace(form(a+b), `"b"`, `"c"`, 1), ".Data.b", ".Data.c"), []string{change, "A?", "B?"}},
		{"ends politely when the skill is gone", shop + strings.Replace(echo, "echo", "other", 1), []string{change, "7", "bind", "x"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, stub.Options{}, form(a+b))
			r.say("1", "u", "bind")
			r.say("2", "u", "anything")
			r.texts("u", 2)
			r.reloaded(tt.after)
			for i, text := range []string{"7", "bind", "x"} {
				r.say(fmt.Sprint("after", i), "u", text)
			}
			got := r.texts("u", 2+len(tt.want))[2:]
			r.idle()
			if len(got) != len(tt.want) {
				t.Fatalf("said %q, want %q", got, tt.want)
			}
			for i := range got {
				if !strings.Contains(got[i], tt.want[i]) {
					t.Errorf("said %q, want %q", got, tt.want)
					break
				}
			}
		})
	}
}
