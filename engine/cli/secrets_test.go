package cli_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"bot/engine/stub"
)

// The secrets of this test, each easy to recognise.
const (
	secretToken = "TOKEN-recognisable+7f3a"
	secretKey   = "KEY-recognisable+91c2-of-32-bytes" // signs callbacks
	secretAdmin = "ADMIN-recognisable+44d0"
)

// leaks are the forms in which the secrets could show.
func leaks() []string {
	var all []string
	for _, s := range []string{secretToken, secretKey, secretAdmin} {
		all = append(all, s, url.QueryEscape(s), base64.StdEncoding.EncodeToString([]byte(s)), hex.EncodeToString([]byte(s)), s[:len(s)-3])
	}
	return all
}

// noSecret searches an output for secrets.
func noSecret(t testing.TB, where, text string) {
	t.Helper()
	for _, leak := range leaks() {
		if strings.Contains(text, leak) {
			t.Errorf("%s shows %q:\n%.2000s", where, leak, text)
			return
		}
	}
}

// secretive is a configuration that holds a secret of each kind in each way.
const secretive = `
[log]
level = "debug"
[server]
listen = "127.0.0.1:0"
[admin]
listen = "127.0.0.1:0"
token_file = "admin.token"
[[account]]
name = "shop"
channel = "generic"
path = "/in"
base_url = "BASE"
token = "${SHOP_TOKEN}"
secret = "SIGNING"
[[skill]]
name = "echo"
match = "any"
reply = "{{.Text}}"
`

func signing() string { return "whsec_" + base64.StdEncoding.EncodeToString([]byte(secretKey)) }

// vault is a shell in which the secretive configuration stands.
func vault(t testing.TB, base string) *shell {
	t.Helper()
	s := newShell(t)
	s.env = []string{"SHOP_TOKEN=" + secretToken}
	s.write("admin.token", secretAdmin+"\n")
	s.write("bot.toml", strings.NewReplacer("BASE", base, "SIGNING", signing()).Replace(secretive))
	return s
}

func TestCheckShowsNoSecret(t *testing.T) {
	token, secret := `"${SHOP_TOKEN}"`, `"`+signing()+`"`
	for name, change := range map[string][2]string{
		"nothing is wrong":              {"", ""},
		"an unclosed token":             {"token = " + token, `token = "` + secretToken},
		"a bare token":                  {"token = " + token, `token = ` + secretToken},
		"a token with something after":  {"token = " + token, `token = "` + secretToken + `" x`},
		"a token of another type":       {"token = " + token, `token = ["` + secretToken + `"]`},
		"a token in a table":            {"token = " + token, `token = {value = "` + secretToken + `"}`},
		"a token twice":                 {"token = " + token, `token = "` + secretToken + "\"\ntoken = \"" + secretToken + `"`},
		"a token under a mistyped key":  {"token = " + token, `tokne = "` + secretToken + `"`},
		"a token with a bad escape":     {"token = " + token, `token = "` + secretToken + `\q"`},
		"a token with a line break":     {"token = " + token, `token = "` + secretToken + `\n"`},
		"a key that is not base64":      {"secret = " + secret, `secret = "whsec_` + secretKey + `!"`},
		"both ways to give a token":     {"token = " + token, `token = "` + secretToken + "\"\ntoken_file = \"admin.token\""},
		"a secret for a file's name":    {"token = " + token, `token_file = "none-such"`},
		"a bad value beside the secret": {`channel = "generic"`, `channel = "telegram"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := vault(t, "http://127.0.0.1:9")
			text, err := os.ReadFile(s.path("bot.toml"))
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(string(text), change[0], change[1], 1)
			if change[0] != "" && changed == string(text) {
				t.Fatal("nothing was changed")
			}
			s.write("bot.toml", changed)
			for _, args := range [][]string{{"check"}, {"check", "-json"}, {"chat"}, {"reload"}} {
				got := s.bot(args...)
				noSecret(t, fmt.Sprintf("bot %q (exit %d)", args, got.code), got.out+got.err)
			}
		})
	}
}

// sign makes the headers of a Standard Webhooks signature.
func sign(req *http.Request, key, id, body string) {
	at := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(key))
	io.WriteString(mac, id+"."+at+"."+body)
	req.Header.Set("webhook-id", id)
	req.Header.Set("webhook-timestamp", at)
	req.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

// tattler is a platform that fails in many ways and always repeats the token it
// was given.
func tattler(c stub.Call) *stub.Answer {
	told := fmt.Sprintf(`{"status":"error","message":"you sent %s"}`, c.Header.Get("Authorization"))
	text, _ := c.JSON()["content"].(string)
	status, err := strconv.Atoi(text)
	if err != nil {
		return &stub.Answer{Status: 200, Body: told} // a refusal in the body
	}
	return &stub.Answer{Status: status, Body: told, Header: map[string]string{"Location": "http://127.0.0.1:9/?token=" + secretToken}}
}

func TestARunningEngineShowsNoSecret(t *testing.T) {
	t.Parallel()
	platform := newScene(t, stub.Options{Script: tattler}, realEcho)
	s := vault(t, "http://"+platform.address+"/api")
	p := s.start("run")
	m := p.await(`"msg":"ready".*"callback":"([^"]+)","admin":"([^"]+)"`)
	callback, admin := "http://"+m[1]+"/in", "http://"+m[2]

	send := func(key, id, text string) {
		t.Helper()
		body := fmt.Sprintf(`{"msg_id":%q,"sender":"u-%s","content":%q}`, id, id, text)
		req, err := http.NewRequest("POST", callback, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+secretToken)
		if key != "" {
			sign(req, key, id, body)
		}
		noSecret(t, "the answer to a callback", fetch(t, req))
	}
	send("", "unsigned", "x")
	send("another key", "forged", "x")
	for i, text := range []string{"refused", "400", "302", "404"} {
		send(secretKey, fmt.Sprint("m", i), text)
	}
	ask := func(method, path, token, body string) string {
		t.Helper()
		req, err := http.NewRequest(method, admin+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		answer := fetch(t, req)
		noSecret(t, method+" "+path, answer)
		return answer
	}
	platform.until("the hopeless ones are dead", func() bool {
		return strings.Count(ask("GET", "/api/v1/dead", secretAdmin, ""), `"task_id"`) >= 4
	})
	for _, text := range []string{"500", "429", "403", "401"} { // after which nothing leaves any more
		send(secretKey, "m"+text, text)
	}
	platform.until("the account is held", func() bool {
		return strings.Contains(ask("GET", "/api/v1/status", secretAdmin, ""), `"held":{"shop":`)
	})
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/api/v1/status", "/api/v1/dead", "/api/v1/nothing"} {
		ask("GET", path, secretAdmin, "")
		ask("GET", path, secretAdmin[:len(secretAdmin)-1], "")
	}
	ask("POST", "/api/v1/commands", secretAdmin, `{"task_id":"t","account_id":"shop","action":"send_text","timestamp":1772600000,"params":{"to":"u","content":"400"}}`)
	ask("GET", "/api/v1/commands/t", secretAdmin, "")
	for _, args := range [][]string{{"dead", "list"}, {"dead", "list", "-json"}, {"dead", "replay", "-all"}, {"reload"}} {
		got := s.bot(args...)
		if got.code != 0 {
			t.Errorf("bot %q: exit %d: %s", args, got.code, got.err)
		}
		noSecret(t, fmt.Sprintf("bot %q", args), got.out+got.err)
	}

	// Reloads that are refused: a new admin token needs a restart, and the
	// other one is wrong in the very line of the secret.
	s.write("admin.token", secretAdmin+"-new")
	ask("POST", "/api/v1/reload", secretAdmin, "")
	p.await(`"msg":"reload refused".*admin\.token`)
	s.write("bot.toml", strings.Replace(secretive, "SIGNING", signing()+`" "`, 1))
	ask("POST", "/api/v1/reload", secretAdmin, "")
	p.await(`(?s)"msg":"reload refused".*"msg":"reload refused"`)
	if code := p.stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
	noSecret(t, "the log at level debug", p.printed())
	if !strings.Contains(p.printed(), `"level":"DEBUG"`) {
		t.Error("the log is not at level debug, so this test proves little")
	}
}

// fetch returns all of an answer, its headers too.
func fetch(t testing.TB, req *http.Request) string {
	t.Helper()
	client := &http.Client{Timeout: patience}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(resp.Status, resp.Header, string(body))
}
