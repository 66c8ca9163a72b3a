package webcall

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"bot/engine/fetch"
)

// everywhere has a value in each place of a request.
const everywhere = `
method = "POST"
url = "SERVER/orders/{{index .Match 1 | urlquery}}/lines?q={{.Text | urlquery}}&fixed=1"
headers = {X-Said = "a {{.Text}} z", X-Fixed = "1"}
json = {said = "{{.Text}}", list = ["{{.Text}}", 7, true], deep = {"{{key}}" = "<{{.Text}}>"}}
`

// sent is what a server saw of a request.
type sent struct {
	path, query, host, header, fixed, body string
	headers                                int
}

func record(into *[]sent) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		*into = append(*into, sent{
			path: r.URL.EscapedPath(), query: r.URL.RawQuery, host: r.Host, header: r.Header.Get("X-Said"),
			fixed: r.Header.Get("X-Fixed"), body: string(b), headers: len(r.Header),
		})
		_, _ = io.WriteString(w, "{}")
	}
}

var hostile = []string{
	"A12", "", " ", ".", "..", "../admin", "a/../../b", `..\admin`, "%2e%2e", "%2e%2e%2fadmin", "..%2fadmin", "./x", "a/b",
	"x?admin=1", "x&admin=1", "x=1&y=2", "x#frag", "x;y=1", "x+y z", "100%", "%zz", "\r\nX-Evil: 1", "a\nb", "\x00", "\x7f",
	"@evil.example.com", "//evil.example.com/", "http://evil.example.com/", ":80", "用户", "é", "\u2028", "\ufeff", "\xff\xfe",
	`"`, `","admin":true,"x":"`, `\`, `\"`, "</said><admin>", "]]>", "<!--", "&amp;", "{{.User}}", "\x02", "\x03", "\x02x\x03y",
	strings.Repeat("长", 2000), "'", "`", "${HOME}", "$(id)",
}

// shape checks that a request has the shape that the table gives it, whatever was said.
func shape(t *testing.T, s sent, text string) {
	t.Helper()
	if n := strings.Count(s.path, "/"); n != 3 || !strings.HasPrefix(s.path, "/orders/") || !strings.HasSuffix(s.path, "/lines") {
		t.Errorf("%q: the path is %s", text, s.path)
	}
	if strings.Count(s.query, "&") != 1 || strings.Count(s.query, "=") != 2 || !strings.HasPrefix(s.query, "q=") || !strings.HasSuffix(s.query, "&fixed=1") {
		t.Errorf("%q: the query is %s", text, s.query)
	}
	if !strings.HasPrefix(s.header, "a ") || !strings.HasSuffix(s.header, " z") || s.fixed != "1" || s.headers != 7 {
		t.Errorf("%q: the headers are %q, %q, %d of them", text, s.header, s.fixed, s.headers)
	}
	var body struct {
		Said string
		List []any
		Deep map[string]string
	}
	d := json.NewDecoder(strings.NewReader(s.body))
	d.DisallowUnknownFields()
	if err := d.Decode(&body); err != nil || body.Said != strings.ToValidUTF8(text, "\uFFFD") || len(body.List) != 3 || body.Deep["{{key}}"] != "<"+body.Said+">" {
		t.Errorf("%q: the body is %s (%v)", text, s.body, err)
	}
}

// refused tells the texts with which no call is made: nothing, or a step in the path.
func refused(text string) bool {
	if text == "" {
		return true
	}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '/' || r == '\\' }) {
		if part == "." || part == ".." {
			return true
		}
	}
	return false
}

func TestNoValueLeavesItsPlace(t *testing.T) {
	var seen []sent
	s := service(t, everywhere, record(&seen))
	for _, text := range hostile {
		seen = nil
		r := call(t, s, text)
		switch {
		case len(text) > 5000: // more than servers take
			if r.Why == "" || len(seen) > 0 {
				t.Errorf("%.20q: called %d times: %+v", text, len(seen), r)
			}
		case refused(text):
			if !strings.Contains(r.Why, "part of the path") || len(seen) > 0 {
				t.Errorf("%q: called %d times: %+v", text, len(seen), r)
			}
		case len(seen) != 1:
			t.Errorf("%q: called %d times: %+v", text, len(seen), r)
		default:
			shape(t, seen[0], text)
		}
	}
}

func FuzzNoValueLeavesItsPlace(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	var seen []sent
	s := service(f, everywhere, record(&seen))
	f.Fuzz(func(t *testing.T, text string) {
		seen = nil
		if call(t, s, text); len(seen) == 0 {
			if !refused(text) && len(text) < 1000 {
				t.Errorf("%q: not called", text)
			}
			return
		}
		shape(t, seen[0], text)
	})
}

func TestAddresses(t *testing.T) {
	for _, tt := range []struct{ name, url, text, want string }{
		{"a path", "/o/{{.Text}}", "a b/c", "/o/a%20b%2Fc"},
		{"an operator who escapes by hand gets no double escape", "/o/{{.Text | urlquery}}?q={{.Text | urlquery}}", "a b&c", "/o/a%20b&c?q=a+b%26c"},
		{"within a segment", "/o/x-{{.Text}}.json", "..", ""},
		{"a value between letters of a segment", "/o/x{{.Text}}y", "1/2", "/o/x1%2F2y"},
		{"what a condition writes is the operator's", "/o{{if .Text}}/{{.Text}}/x?y=1{{end}}", "a", "/o/a/x?y=1"},
		{"the name of a parameter", "/o?{{.Text}}=1", "a=b&c", "/o?a%3Db%26c=1"},
		{"an empty parameter is let be", "/o?q={{.Text}}", "", "/o?q="},
		{"two values of one segment", "/o/{{.Text}}{{.Text}}", ".", ""},
		{"two values, dots from both sides", "/o/.{{.Text}}", ".", ""},
		{"what is written in Chinese", "/订单/{{.Text}} x?名=一 二", "a", "/%E8%AE%A2%E5%8D%95/a%20x?%E5%90%8D=%E4%B8%80%20%E4%BA%8C"},
		{"no path at all", "?q={{.Text}}", "a", "/?q=a"},
		{"a question mark twice", "/o?a=?{{.Text}}", "?", "/o?a=?%3F"},
		{"the port of the host stays", "/{{.Text}}", "@evil.example.com:80", "/@evil.example.com:80"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			s := service(t, "url = '''SERVER"+tt.url+"'''", func(_ http.ResponseWriter, r *http.Request) { got = r.RequestURI })
			r := call(t, s, tt.text)
			if got != tt.want || (tt.want == "") != (r.Why != "") {
				t.Errorf("called %q (%+v), want %q", got, r, tt.want)
			}
		})
	}
}

func TestAHostThatIsATemplate(t *testing.T) {
	for _, tt := range []struct {
		name, toml, text, want string
	}{
		{"one of the list", `url = "https://{{.Text}}.example.com/x"`, "Shop-1", "https://shop-1.example.com/x"},
		{"one by its whole name", `url = "https://{{.Text}}/x"`, "erp.example.org", "https://erp.example.org/x"},
		{"the top of the list's names is not below it", `url = "https://{{.Text}}/x"`, "example.com", ""},
		{"another one", `url = "https://{{.Text}}/x"`, "evil.example.net", ""},
		{"one that ends alike", `url = "https://{{.Text}}/x"`, "evilexample.com", ""},
		{"a path", `url = "https://{{.Text}}.example.com/x"`, "evil.net/", ""},
		{"a user", `url = "https://{{.Text}}.example.com/x"`, "a@b", ""},
		{"a query", `url = "https://{{.Text}}.example.com/x"`, "evil.net?", ""},
		{"a port", `url = "https://shop.example.com:{{.Text}}/x"`, "22", ""},
		{"an address in numbers", `url = "https://{{.Text}}/x"`, "127.0.0.1", ""},
		{"nothing", `url = "https://{{.Text}}/x"`, "", ""},
		{"nothing before the rest", `url = "https://{{.Text}}.example.com/x"`, "", ""},
		{"a condition between two", `url = "https://{{if .Text}}a{{else}}b{{end}}.example.com/x"`, "y", "https://a.example.com/x"},
		{"full-width letters", `url = "https://{{.Text}}.example.com/x"`, "ｅｖｉｌ", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, d := read(t, tt.toml+"\nallow = [\"*.example.com\", \"erp.example.org\"]", fetch.NewClient)
			if err := d.Err(); err != nil {
				t.Fatal(err)
			}
			got := ""
			u, err := s.address.fill(said(tt.text))
			if err == nil {
				got = u.String()
			}
			if got != tt.want {
				t.Errorf("got %q (%v), want %q", got, err, tt.want)
			}
		})
	}
}

func TestBodies(t *testing.T) {
	for _, tt := range []struct{ name, toml, text, kind, want string }{
		{"json", `json = {a = "{{.Text}}", n = 1, f = 1.5, yes = true, l = ["{{.Text}}"]}`, "\"<&>\n", "application/json", `{"a":"\"<&>\n","f":1.5,"l":["\"<&>\n"],"n":1,"yes":true}`},
		{"json that is a list", `json = ["{{.Text}}"]`, "x", "application/json", `["x"]`},
		{"a form", `form = {a = "{{.Text}}", b = "1"}`, "x&b=2", "application/x-www-form-urlencoded", "a=x%26b%3D2&b=1"},
		{"a text", `body = "said: {{.Text}}"`, "<x>\n", "text/plain; charset=utf-8", "said: <x>\n"},
		{"a text that begins with a value", `body = "{{.Text}}"`, "{", "text/plain; charset=utf-8", "{"},
		{"JSON without values", `body = '{"a":1}'`, "x", "application/json", `{"a":1}`},
		{"XML", `body = '<a b="{{.Text}}">{{.Text | html}}</a>'`, `"<b>&`, "application/xml; charset=utf-8", `<a b="&#34;&lt;b&gt;&amp;">&#34;&lt;b&gt;&amp;</a>`},
		{"XML by its header", "body = 'x{{.Text}}'\nheaders = {content-type = \"text/xml\"}", "<", "text/xml", "x&lt;"},
		{"a method that sends nothing", `method = "DELETE"`, "x", "", ""},
		{"an empty post", `method = "POST"`, "x", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var body, kind, length string
			s := service(t, "url = 'SERVER/x'\n"+tt.toml, func(_ http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				body, kind, length = string(b), r.Header.Get("Content-Type"), r.Header.Get("Transfer-Encoding")
				if r.Header.Get("Idempotency-Key") != "key" || len(r.TransferEncoding) > 0 {
					t.Errorf("the key is %q, the encoding %q", r.Header.Get("Idempotency-Key"), r.TransferEncoding)
				}
			})
			if r := call(t, s, tt.text); body != tt.want || kind != tt.kind || length != "" || !r.OK() {
				t.Errorf("sent %q as %q (%+v)", body, kind, r)
			}
		})
	}
}

// A document stays one, whatever is said.
func FuzzXML(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	s, d := read(f, "url = 'https://erp.example.com/x'\nbody = '<a b=\"{{.Text}}\"><![CDATA[{{.Text}}]]><c>{{.Text}}</c></a>'", fetch.NewClient)
	if err := d.Err(); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out, err := s.payload.fill(said(text))
		if err != nil {
			return
		}
		var doc struct {
			B     string `xml:"b,attr"`
			C     string `xml:"c"`
			Other []any  `xml:",any"`
		}
		if err := xml.Unmarshal([]byte(out), &doc); err != nil || len(doc.Other) > 0 || doc.B != doc.C || utf8.ValidString(text) && !strings.ContainsFunc(text, odd) && doc.C != text {
			t.Errorf("%q: %s (%v)", text, out, err)
		}
	})
}

// odd are characters that XML has no place for.
func odd(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}
