package wordfilter

import (
	"slices"
	"strings"
	"testing"
)

// filter lists words, each to be replaced.
func filter(t testing.TB, listed []string, except ...string) *Filter {
	t.Helper()
	o := Options{Mask: '*'}
	for i, w := range listed {
		o.Words = append(o.Words, Word{w, Replace, Place{"words.txt", i + 1}})
	}
	for i, w := range except {
		o.Except = append(o.Except, Word{Text: w, Place: Place{"bot.toml", i + 1}})
	}
	f, problems := New(o)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return f
}

func clean(f *Filter, text string) string { return f.Cover(text, f.Find(text)) }

func TestWordsAreCoveredWhereTheyAreHidden(t *testing.T) {
	f := filter(t, []string{"微信", "weixin", "WeChat", "加v信", "ad", "18+", "C++", "wei xin", "🍃", "👍🏿", "百家乐", "办证 刻章", "café", "赌"})
	for _, tt := range []struct{ name, text, want string }{
		{"as it is", "加微信吧", "加**吧"},
		{"a space between", "微 信", "***"},
		{"a wide space", "微　信", "***"},
		{"a dot between", "微.信", "***"},
		{"signs, the same again and again", "微------信", "********"},
		{"signs of several kinds", "微(-_-)信", "*******"},
		{"an emoji between", "微💬信", "***"},
		{"a line break between", "微\r\n信", "****"},
		{"zero-width characters between", "微\u200b\u2060信", "**"},
		{"a variation selector", "微\ufe0f信\ufe0f。", "**。"},
		{"sixteen signs between", "微" + strings.Repeat(".", 16) + "信", strings.Repeat("*", 18)},
		{"a compatible form", "⼀微信", "⼀**"},
		{"several", "微信，微 信，weixin", "**，***，******"},
		{"parts of words", "细微信息", "细**息"},

		{"capitals", "WEIXIN weChat", "****** ******"},
		{"full width", "ｗｅｉｘｉｎ ＷｅＣｈａｔ", "****** ******"},
		{"letters in circles", "ⓦⓔⓘⓧⓘⓝ", "******"},
		{"mathematical letters", "𝐰𝐞𝐢𝐱𝐢𝐧", "******"},
		{"accents of tone", "wēixìn", "******"},
		{"accents by themselves", "w\u0304eixi\u0300n\u0336 ok", "****** ok"},
		{"struck through", "w\u0336e\u0336i\u0336x\u0336i\u0336n\u0336", "******"},
		{"an accent that the word has", "cafe CAFÉ", "**** ****"},
		{"zero-width in a latin word", "we\u200bi\u200dxin", "******"},
		{"soft hyphens", "wei\u00adxin", "******"},
		{"letters that stand alone", "W e C h a t", "***********"},
		{"letters with dots", "加w.e.i.x.i.n聊", "加***********聊"},
		{"letters with repeated fillers", "w--e--i--x--i--n", "****************"},
		{"each gap another", "w-e i.x_i*n", "***********"},
		{"letters alone beside words", "say w e i x i n now", "say *********** now"},
		{"a part of a word", "readme", "re**me"},
		{"scripts mixed", "加V信 加 v.信", "*** *****"},

		{"signs of its own", "满18+岁 C++ c++", "满***岁 *** ***"},
		{"a space of its own, as often as it likes", "Wei   Xin", "*********"},
		{"an emoji", "吸🍃吗", "吸*吗"},
		{"an emoji in another tone", "👍🏻 👍", "* *"},
		{"spaces in a Chinese entry do not count", "办证，刻章 办证刻章", "***** ****"},
		{"one character", "赌一把", "*一把"},
		{"what is not text", "\xff微\xfe信\xff", "\xff***\xff"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := clean(f, tt.text); got != tt.want {
				t.Errorf("%q becomes %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestWhatIsHarmlessStays(t *testing.T) {
	f := filter(t, []string{"微信", "weixin", "wechat", "ad", "18+", "C++", "wei xin", "百家乐", "하"}, "read", "细微，信", "ad astra")
	for _, tt := range []struct{ name, text string }{
		{"nothing", ""},
		{"another word", "你好，请问几点开门？"},
		{"the characters in another order", "信微"},
		{"a character between", "微短信"},
		{"seventeen signs between", "微" + strings.Repeat(".", 17) + "信"},
		{"a part", "百家"},
		{"a gap within a latin word", "we ixin, wei-xin? we chat"},
		{"letters alone at the end of a word", "saw e i x i n"},
		{"letters alone at the beginning of one", "w e i x i next"},
		{"letters in a list", "vitamin A, D and E"},
		{"its signs missing", "18 C+ C"},
		{"its space missing, in pieces", "we i xin"},
		{"an exception", "read me"},
		{"an exception with capitals and wide letters", "ＲEAD"},
		{"an exception hidden alike", "r e a d"},
		{"an exception through a gap", "细微，信不信由你"},
		{"an exception with a space", "Ad  Astra"},
		{"a part of a syllable", "한"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if hits := f.Find(tt.text); hits != nil {
				t.Errorf("in %q: %+v", tt.text, hits)
			}
			if got := clean(f, tt.text); got != tt.text {
				t.Errorf("%q becomes %q", tt.text, got)
			}
		})
	}
}

func TestTheLongestDecides(t *testing.T) {
	f := filter(t, []string{"ass", "first class actor"}, "class", "pass")
	for text, want := range map[string]string{
		"class":                   "class",
		"class ass":               "class ***",
		"classass":                "class***",
		"passass":                 "pass***",
		"a first class actor":     "a *****************", // a word that contains the exception
		"a first class act":       "a first class act",
		"glass":                   "gl***",
		"c.l.a.s.s":               "c.l.a.s.s",
		"c\u200blas\u200bs a.s.s": "c\u200blas\u200bs *****",
	} {
		if got := clean(f, text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestHitsSayWhereTheyAreAndWhy(t *testing.T) {
	f, _ := New(Options{Mask: '█', Words: []Word{
		{"微信", Replace, Place{"a.txt", 1}}, {"加微信", Alert, Place{"a.txt", 2}}, {"信", Refuse, Place{"b.txt", 7}},
	}})
	text := "请加　微\u200b信！"
	hits := f.Find(text)
	want := []Hit{
		{3, 18, Alert, Place{"a.txt", 2}}, {9, 18, Replace, Place{"a.txt", 1}}, {15, 18, Refuse, Place{"b.txt", 7}},
	}
	if !slices.Equal(hits, want) {
		t.Errorf("%+v", hits)
	}
	if got := f.Cover(text, hits); got != "请加　██！" {
		t.Errorf("%q: only what is to be replaced is covered", got)
	}
}

func TestNoFilterFindsNothing(t *testing.T) {
	var none *Filter
	empty, problems := New(Options{})
	for _, f := range []*Filter{none, empty} {
		if got := f.Find("微信"); got != nil || len(problems) != 0 {
			t.Errorf("%v, %v", got, problems)
		}
	}
}

func TestWhatIsWrongWithAList(t *testing.T) {
	f, problems := New(Options{
		Mask: '*',
		Words: []Word{
			{"微信", Replace, Place{"a.txt", 1}}, {"\u200b\ufe0f ", Replace, Place{"a.txt", 2}}, {"微 信", Refuse, Place{"a.txt", 3}},
			{"ＱＱ", Replace, Place{"a.txt", 4}}, {"qq", Replace, Place{"a.txt", 5}}, {"x", Alert, Place{"a.txt", 6}},
		},
		Except: []Word{{Text: "\u200b"}, {Text: "QQ"}, {Text: "微笑"}, {Text: "微信支付"}, {Text: "微.信.支.付"}},
	})
	want := []Problem{
		{Index: 1, Text: `there is nothing to be seen in "\u200b\ufe0f "`},
		{Index: 2, Warning: true, Text: `"微 信" is listed already, at a.txt:1`},
		{Index: 4, Warning: true, Text: `"qq" is listed already, at a.txt:4`},
		{Index: 5, Warning: true, Text: `"x" is one character, which many harmless texts have`},
		{Except: true, Index: 0, Text: `there is nothing to be seen in "\u200b"`},
		{Except: true, Index: 1, Text: `"QQ" is a listed word itself, at a.txt:4`},
		{Except: true, Index: 4, Warning: true, Text: `"微.信.支.付" stands there already`},
		{Except: true, Index: 2, Warning: true, Text: `"微笑" contains no listed word`},
	}
	if !slices.Equal(problems, want) {
		t.Errorf("\ngot  %+v\nwant %+v", problems, want)
	}
	// What is left works, and the first of several counts.
	if hits := f.Find("微信 微信支付"); len(hits) != 1 || hits[0].Action != Replace {
		t.Errorf("%+v", hits)
	}
}

func TestActionsHaveNames(t *testing.T) {
	for _, a := range []Action{Alert, Replace, Refuse} {
		if got, ok := ParseAction(a.String()); !ok || got != a {
			t.Errorf("%v reads as %v", a, got)
		}
	}
	if _, ok := ParseAction("block"); ok {
		t.Error("block is an action")
	}
}
