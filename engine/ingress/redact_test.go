package ingress

import (
	"log/slog"
	"strings"
	"testing"
)

func TestALoggedBodyShowsNoSecrets(t *testing.T) {
	const known = `kn0wn/"x"&Secret`
	for _, tt := range []struct{ name, body, want string }{
		{"an address test of GeWe", `{"testMsg":"验证回调地址是否可用","token":"GEWESECRET"}`, `{"testMsg":"验证回调地址是否可用","token":***}`},
		{"what tells nothing stays", `{"msg":"hello","id":5,"max_tokens":500,"monkey":"x"}`, `{"msg":"hello","id":5,"max_tokens":500,"monkey":"x"}`},
		{"names of every case", `{"X-GEWE-TOKEN" : "a", "AccessToken":"b", "Authorization":"Bearer c", "encodingAESKey":"d"}`,
			`{"X-GEWE-TOKEN" : ***, "AccessToken":***, "Authorization":***, "encodingAESKey":***}`},
		{"a quote in the value", `{"password":"a\"b\\","id":1}`, `{"password":***,"id":1}`},
		{"a number and a list", `{"secret": 12345, "cookie":["a","b"],"id":1}`, `{"secret": ***, "cookie":***,"id":1}`},
		{"JSON in JSON", `{"data":"{\"token\":\"abc\",\"id\":\"1\"}"}`, `{"data":"{\"token\":***,\"id\":\"1\"}"}`},
		{"an address in JSON", `{"url":"https://x/?id=1&access_token=abc&z=2"}`, `{"url":"https://x/?id=1&access_token=***&z=2"}`},
		{"an escaped address in JSON", `{"url":"https://x/?id=1\u0026access_token=abc\u0026z=2"}`, `{"url":"https://x/?id=1\u0026access_token=***\u0026z=2"}`},
		{"an encoded address", `u=https%3A%2F%2Fx%3Ftoken%3Dabc&id=1`, `u=https%3A%2F%2Fx%3Ftoken%3D***&id=1`},
		{"an element of XML", `<xml><Token>abc</Token><Id>1</Id></xml>`, `<xml><Token>***</Token><Id>1</Id></xml>`},
		{"CDATA", `<xml><Token><![CDATA[a<b]]></Token><Id>1</Id></xml>`, `<xml><Token>***</Token><Id>1</Id></xml>`},
		{"an attribute", `<img aeskey="abc" len="5"/>`, `<img aeskey=*** len="5"/>`},
		{"an attribute in JSON", `{"xml":"<img aeskey=\"abc\" len=\"5\"/>"}`, `{"xml":"<img aeskey=*** len=\"5\"/>"}`},
		{"XML escaped in JSON", `{"xml":"\u003ctoken\u003eabc\u003c/token\u003e"}`, `{"xml":"\u003ctoken\u003e***\u003c/token\u003e"}`},
		{"a form", `id=1&token=abc&name=x`, `id=1&token=***&name=x`},
		{"the first field of a form", `api_key=abc&name=x`, `api_key=***&name=x`},
		{"a form of parts", "--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nabc\r\n--b--", "--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n***\r\n--b--"},
		{"a known secret under any name", `{"note":"it is ` + `kn0wn/\"x\"\u0026Secret` + `"}`, `{"note":"it is ***"}`},
		{"a known secret of plain text", "it is " + known + ", is it not", "it is ***, is it not"},
		{"a known secret in an address", `next=kn0wn%2F%22x%22%26Secret&id=1`, `next=***&id=1`},
		{"a known one that begins with another", `knownlonger known`, `*** ***`},
		{"cut off in a known secret", "it is " + known[:9], "it is ***"},
		{"cut off in a value of JSON", `{"id":1,"token":"GEWESEC`, `{"id":1,"token":***`},
		{"cut off after a backslash", `{"token":"GEWE\`, `{"token":***`},
		{"cut off in JSON in JSON", `{"data":"{\"token\":\"GEWESEC`, `{"data":"{\"token\":***`},
		{"cut off in XML", `<xml><Token>abc`, `<xml><Token>***`},
		{"cut off in CDATA", `<xml><Token><![CDATA[abc`, `<xml><Token>***`},
		{"cut off in a form", `id=1&token=ab`, `id=1&token=***`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRedactor([]string{known, "", "known", "knownlonger"})
			if got := r.redact(tt.body, maxLoggedBody); got != tt.want {
				t.Errorf("shows\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// What is shown ends on a character, and nothing of a secret stands at its end.
func TestALongBodyIsCut(t *testing.T) {
	const secret = "0123456789"
	for _, tt := range []struct{ name, body string }{
		{"a secret across the end of what is shown", strings.Repeat("a", 97) + secret + strings.Repeat("b", 500)},
		{"a secret across the end of what is looked at", strings.Repeat(secret, 19) + "bbbb" + secret + strings.Repeat("b", 500)},
		{"a value that does not end", `{"token":"` + strings.Repeat("0123", 500)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := newRedactor([]string{secret}).redact(tt.body, 100)
			if strings.Contains(got, "0123") || len(got) > 100+len("…") || !strings.HasSuffix(got, "…") {
				t.Errorf("shows %s", got)
			}
		})
	}
}

func TestDebugShowsNoSecretOfTheRoute(t *testing.T) {
	var log strings.Builder
	d := newDoor(t, Options{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}, words{})
	route := shop(words{})
	route.Secrets = []string{"hush"}
	if err := d.SetRoutes([]Route{route}); err != nil {
		t.Fatal(err)
	}
	d.post(`refuse hush {"token":"GEWESECRET"}`)
	if line := log.String(); strings.Contains(line, "hush") || strings.Contains(line, "GEWESECRET") || !strings.Contains(line, "refuse ***") {
		t.Errorf("line %s", line)
	}
}
