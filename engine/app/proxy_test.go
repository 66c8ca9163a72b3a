package app_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bot/engine"
	"bot/engine/app"
	"bot/engine/channel"
	"bot/engine/config"
	"bot/skills"
)

// An account's requests go by way of its proxy, those of another go straight;
// the key is one of every platform that requests go to.
func TestAnAccountMayHaveAProxy(t *testing.T) {
	platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"errcode":0,"errmsg":"ok","access_token":"t","expires_in":7200,"status":"success","ret":200,"code":"1000"}`)
	}))
	defer platform.Close()
	var tunnels []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth()
		tunnels = append(tunnels, r.Method+" "+r.RequestURI+" "+user+":"+password)
		w.WriteHeader(http.StatusForbidden)
	}))
	defer proxy.Close()
	through := `proxy = "` + strings.Replace(proxy.URL, "http://", "http://bot:s3cret@", 1) + "\"\n"
	toml := strings.ReplaceAll(`
[[account]]
name = "straight"
channel = "generic"
base_url = "PLATFORM"
[[account]]
name = "generic"
channel = "generic"
base_url = "PLATFORM"
PROXY[[account]]
name = "robot"
channel = "wecom"
form = "robot"
key = "k"
base_url = "PLATFORM"
PROXY[[account]]
name = "gewe"
channel = "gewe"
token = "t"
app_id = "wx_1"
self = "wxid_1"
base_url = "PLATFORM"
PROXY[[account]]
name = "wkteam"
channel = "wkteam"
token = "t"
w_id = "1"
self = "wxid_1"
base_url = "PLATFORM"
PROXY[[account]]
name = "qiwe"
channel = "qiwe"
token = "t"
guid = "g"
base_url = "PLATFORM"
PROXY`, "PLATFORM", platform.URL)
	load := func() (*config.Config, error) {
		return config.Parse("/bot.toml", []byte(strings.ReplaceAll(toml, "PROXY", through)), func(string) (string, bool) { return "", false }, app.Channels())
	}
	build := func([]engine.Section, app.Accounts) (app.Skills, error) { return skills.Build(nil, skills.Options{}) }
	plan, err := app.Prepare(load, build, channel.NewClient())
	if err != nil {
		t.Fatal(err)
	}
	send := func(account string) error {
		_, err := plan.Sender(account).Send(t.Context(), &engine.Command{TaskID: "t-1", Account: account, Conversation: "u1", Action: engine.SendText, Text: "hello"})
		return err
	}
	if err := send("straight"); err != nil || len(tunnels) > 0 {
		t.Errorf("%v, and the proxy was asked %q", err, tunnels)
	}
	for _, account := range []string{"generic", "robot", "gewe", "wkteam", "qiwe"} {
		tunnels = nil
		err := send(account)
		e, ok := err.(*channel.SendError)
		if !ok || e.Class != channel.Unreachable || !strings.Contains(e.Note, "(403)") || strings.Contains(e.Note, "s3cret") {
			t.Errorf("%s: got %v, want it unreachable through the proxy", account, err)
		}
		if want := "CONNECT " + strings.TrimPrefix(platform.URL, "http://") + " bot:s3cret"; len(tunnels) != 1 || tunnels[0] != want {
			t.Errorf("%s: the proxy was asked %q, want %q", account, tunnels, want)
		}
	}
}
