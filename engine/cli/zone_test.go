package cli

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// asked runs the command line against an engine that answers as told, by path. Of
// a list that goes on behind something it has nothing more.
func asked(t *testing.T, config string, answers map[string]string, args ...string) (code int, out, complaints string) {
	t.Helper()
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, known := answers[r.URL.Path]
		switch {
		case !known:
			http.NotFound(w, r)
		case r.URL.Query().Get("after") != "":
			w.Write([]byte("{}"))
		default:
			w.Write([]byte(answer))
		}
	}))
	defer engine.Close()
	file := filepath.Join(t.TempDir(), "bot.toml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var o, e bytes.Buffer
	code = Main(context.Background(), append(args, "-config", file), Parts{
		Out: &o, Err: &e, In: &bytes.Buffer{}, Now: time.Now,
		Env:    func(string) (string, bool) { return "", false },
		Locate: func(string) (string, error) { return strings.TrimPrefix(engine.URL, "http://"), nil },
	})
	return code, o.String(), e.String()
}

// at is a time as the engine tells it.
const at = `"2026-12-03T01:30:15.25Z"`

// timed are verbs that show times, with what an engine answers them.
var timed = []struct{ args, path, answer string }{
	{"commands list", "/api/v1/commands", `{"commands":[{"task_id":"t","due":` + at + `}]}`},
	{"dead list", "/api/v1/dead", `{"dead":[{"id":1,"time":` + at + `}]}`},
	{"in-doubt list", "/api/v1/in-doubt", `{"in_doubt":[{"task_id":"t","since":` + at + `}]}`},
	{"block -account shop", "/api/v1/blocked", `{"barred":[{"user":"u","blocked_since":` + at + `}]}`},
	{"mute -account shop", "/api/v1/muted", `{"muted":[{"user":"u","until":` + at + `}]}`},
	{"alert list", "/api/v1/alerts", `{"ongoing":[{"kind":"k","since":` + at + `}]}`},
	{"schedule list", "/api/v1/schedules", `{"schedules":[{"name":"n","enabled":true,"next":` + at + `}]}`},
	{"trace t", "/api/v1/trace/t", `{"id":"t","steps":[{"step":"received","time":` + at + `}]}`},
	{"status", "/api/v1/status", `{"ready":true,"accounts":[{"name":"shop","last_callback":` + at + `}]}`},
}

func TestPeopleAreToldTimesInTheZoneOfTheConfiguration(t *testing.T) {
	for _, v := range timed {
		for _, zone := range []struct{ config, time, offset string }{
			{"", "2026-12-03T09:30:15", "+08:00"}, // Asia/Shanghai
			{`timezone = "Europe/Berlin"`, "2026-12-03T02:30:15", "+01:00"},
		} {
			t.Run(v.args+" "+zone.config, func(t *testing.T) {
				code, out, complaints := asked(t, zone.config, map[string]string{v.path: v.answer}, strings.Fields(v.args)...)
				if code != exitOK || !strings.Contains(out, zone.time) || !strings.Contains(out, zone.offset) {
					t.Errorf("exit %d, %q, %q; want %s…%s", code, out, complaints, zone.time, zone.offset)
				}
			})
		}
		t.Run(v.args+" -json", func(t *testing.T) {
			if _, out, _ := asked(t, "", map[string]string{v.path: v.answer}, append(strings.Fields(v.args), "-json")...); !strings.Contains(out, strings.Trim(at, `"`)) {
				t.Errorf("programs read %q, want %s as it came", out, at)
			}
		})
	}
}
