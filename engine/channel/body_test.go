package channel

import (
	"strings"
	"testing"
)

func TestDigest(t *testing.T) {
	const body = `{"a":9007199254740993,"data":{"wId":"w1","x":[1,{"y":"<"}]}}`
	for _, tt := range []struct {
		name, other string
		without     []string
		same        bool
	}{
		{"the same", body, nil, true},
		{"in another order and with spaces", `{ "data": {"x":[1,{"y":"<"}],"wId":"w1"}, "a":9007199254740993 }`, nil, true},
		{"numbers that floats would merge", strings.Replace(body, "993", "992", 1), nil, false},
		{"another instance", strings.Replace(body, "w1", "w2", 1), nil, false},
		{"another instance, which does not count", strings.Replace(body, "w1", "w2", 1), []string{"data.wId"}, true},
		{"in other letters", strings.Replace(body, `"wId":"w1"`, `"wid":"w2"`, 1), []string{"DATA.WID"}, true},
		{"a member of that name elsewhere", strings.Replace(body, `"a":`, `"wId":`, 1), []string{"data.wId"}, false},
		{"a path through what is no object", body, []string{"a.b", "data.x.y", "none"}, true},
		{"two lists", strings.Replace(body, "[1,", "[2,", 1), nil, false},
	} {
		got := Digest([]byte(body), tt.without...) == Digest([]byte(tt.other), tt.without...)
		if got != tt.same {
			t.Errorf("%s: the same %v, want %v", tt.name, got, tt.same)
		}
	}
	for _, s := range []string{"", "null", "[1]", "[1] ", "{", "no JSON"} {
		if d := Digest([]byte(s), "a"); len(d) != len("sha256:")+64 || d == Digest([]byte(s+" ")) {
			t.Errorf("%q: %s", s, d)
		}
	}
}

func TestLean(t *testing.T) {
	bulk := strings.Repeat("A", maxRaw)
	for _, tt := range []struct{ name, body, want string }{
		{"a small body, as it is", `{ "img":"x" }`, `{ "img":"x" }`},
		{"a picture on top", `{"id":9007199254740993,"img":"` + bulk + `"}`, `{"id":9007199254740993}`},
		{"a picture further down", `{"Data":{"ImgBuf":{"buffer":"` + bulk + `","len":1},"x":"<a&b>"}}`, `{"Data":{"ImgBuf":{"len":1},"x":"<a&b>"}}`},
		{"no picture", `{ "text":"` + bulk + `" }`, `{ "text":"` + bulk + `" }`},
		{"something else in its place", `{ "data":{"text":"` + bulk + `"} }`, `{ "data":{"text":"` + bulk + `"} }`},
		{"no JSON", bulk + "{", bulk + "{"},
		{"a path through what is no object", `{"data":"` + bulk + `"}`, `{"data":"` + bulk + `"}`},
	} {
		raw := []byte(tt.body)
		got := Lean(raw, "img", "data.imgbuf.buffer")
		if string(got) != tt.want {
			t.Errorf("%s: %.80s… of %d bytes", tt.name, got, len(got))
		}
		raw[0] = '#'
		if string(got) != tt.want {
			t.Errorf("%s: it is no copy", tt.name)
		}
	}
}
