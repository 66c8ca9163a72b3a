package risk

import (
	"testing"
	"unicode/utf8"
)

func read(s string) *text {
	t := new(text)
	t.of(s)
	return t
}

func TestWhatIsALink(t *testing.T) {
	for s, want := range map[string]bool{
		"https://example.test/a?b":       true,
		"看这里：HTTP://x":                   true,
		"weixin://dl/business":           true,
		"www.example.unheardof":          true,
		"taobao.com":                     true,
		"打开taobao.com就行":                 true,
		"ＴａｏＢａｏ．ｃｏｍ":                     true,
		"taobao。com":                     true,
		"taobao｡com":                     true,
		"tao\u200bbao.\u200dc\u2060om":   true,
		"a.b.example.cn/path":            true,
		"t.me/joinchat":                  true,
		"u.nu/x":                         true,
		"10.1.2.3:8080":                  true,
		"http://10.1.2.3":                true,
		"shop.example.xyz。":              true,
		"(example.com)":                  true,
		"":                               false,
		"你好。请问几点开门？":                     false,
		"1.5 元/斤，2.0/3.5":                false,
		"版本 1.2.3.4":                     false,
		"name@example.com":               false,
		"a.b@mail.example.com":           false,
		"report.docx 和 main.go":          false,
		"ok.so what":                     false,
		"and/or":                         false,
		"...com":                         false,
		".com":                           false,
		"3:4://5":                        false,
		"price:1.com-2":                  false,
		"Dr.Wang said hi.cometh the day": false,
		"a..com":                         false,
		"ＷＷＷ．x":                          true,
		"éa.com":                         true,
	} {
		if got := read(s).hasLink(); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

func TestWordsAreFoundWhereTheyAreHidden(t *testing.T) {
	w, blank := newLexicon([]string{"加微信", "VX", "  ", "赌博", "...", "%%%"})
	if len(blank) != 1 || blank[0] != 2 {
		t.Errorf("blank %v", blank)
	}
	for s, want := range map[string]bool{
		"加微信":             true,
		"加 微 信":           true,
		"加.微~信":           true,
		"加\u200b微\u200b信": true,
		"加💰微💰信":           true,
		"加\n微\n信":         true,
		"ｖＸ123":           true,
		"Vx: abc":         true,
		"v x":             false, // ASCII words are not put together: "TV xbox" is two
		"微信加好友":           false,
		"赌":               false,
		"…":               true, // three dots by NFKC
		"100%%%":          true,
		"":                false,
	} {
		if got := w.in(read(s)); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

func TestWhatMakesTwoTextsTheSame(t *testing.T) {
	for _, pair := range [][2]string{{"买一送一", "买一 送一！！"}, {"Hello", "ＨＥＬＬＯ~"}, {"👍", "👍\ufe0f"}} {
		if a, b := string(read(pair[0]).essence()), string(read(pair[1]).essence()); a != b || a == "" {
			t.Errorf("%q is %q, %q is %q", pair[0], a, pair[1], b)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a.b", "://", "www.", "\xff.\xfe", "1.2.3.4:", "加.微信。com/", "@a.com"} {
		f.Add(s)
	}
	w, _ := newLexicon([]string{"微信", "vx"})
	f.Fuzz(func(t *testing.T, s string) {
		x := read(s)
		linked, worded := x.hasLink(), w.in(x)
		if utf8.ValidString(s) && !utf8.Valid(x.fold()) {
			t.Errorf("%q folds to %q", s, x.fold())
		}
		if again := read(s); again.hasLink() != linked || w.in(again) != worded {
			t.Errorf("%q is read in two ways", s)
		}
		if linked && len(s) < maxText && !read("看 "+s).hasLink() {
			t.Errorf("%q is no link behind a word", s)
		}
	})
}
