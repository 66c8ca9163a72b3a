package match

import (
	"slices"
	"strings"
	"testing"
)

// rule makes a rule of keywords in one mode.
func rule(t *testing.T, mode Mode, typed ...string) *Rule {
	t.Helper()
	r := &Rule{}
	for _, w := range typed {
		k, err := NewKeyword(w, mode)
		if err != nil {
			t.Fatal(err)
		}
		r.Keywords = append(r.Keywords, k)
	}
	return r
}

func patterns(t *testing.T, exprs ...string) *Rule {
	t.Helper()
	r := &Rule{}
	for _, e := range exprs {
		re, err := NewPattern(e)
		if err != nil {
			t.Fatal(err)
		}
		r.Patterns = append(r.Patterns, re)
	}
	return r
}

func TestPatternsWithoutLookAround(t *testing.T) {
	for expr, want := range map[string]string{
		`(?=a)b`: "(look-ahead is not supported)", `a(?!b)`: "(look-ahead is not supported)",
		`(?<=a)b`: "(look-behind is not supported)", `(?<!a)b`: "(look-behind is not supported)",
	} {
		if _, err := NewPattern(expr); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("NewPattern(%s) = %v, want … %s", expr, err, want)
		}
	}
	if _, err := Compile(`a(`); err == nil || strings.Contains(err.Error(), "not supported") {
		t.Errorf("Compile(a() = %v", err)
	}
	if _, err := Compile(`.*`); err != nil {
		t.Errorf("a pattern of an answer may match nothing: %v", err)
	}
}

func TestKeywordMatches(t *testing.T) {
	for _, tt := range []struct {
		name    string
		mode    Mode
		keyword string
		text    string
		want    bool
	}{
		{"exact: itself", Exact, "0627", "0627", true},
		{"exact: full width", Exact, "0627", "０６２７", true},
		{"exact: half of it full width", Exact, "0627", "06２７", true},
		{"exact: a space behind", Exact, "0627", "0627 ", true},
		{"exact: a full stop behind", Exact, "0627", "0627。", true},
		{"exact: a zero-width space inside", Exact, "0627", "06\u200b27", true},
		{"exact: the keyword typed in full width", Exact, "０６２７", "0627", true},
		{"exact: the keyword typed with punctuation", Exact, "你好！", "你好", true},
		{"exact: more text", Exact, "好", "你好", false},
		{"exact: the bare letter is not the language", Exact, "C#", "c", false},
		{"exact: several words, spaces run together", Exact, "hello world", "Hello   World!", true},

		{"prefix: itself", Prefix, "查", "查", true},
		{"prefix: at the beginning", Prefix, "查", "查订单", true},
		{"prefix: after a mark", Prefix, "查", "“查订单", true},
		{"prefix: in the middle", Prefix, "查", "我查", false},

		{"contains: in the middle", Contains, "券", "我要领券吗", true},
		{"contains: across width and case", Contains, "vip卡", "办ＶＩＰ卡", true},
		{"contains: an emoji", Contains, "👍", "好的👍🏽", true},
		{"contains: an emoji in another skin tone", Contains, "👍🏽", "好的👍🏿", true},
		{"contains: an emoji without the keyword's skin tone", Contains, "👍🏽", "好的👍", true},
		{"contains: an emoji without the keyword's selector", Contains, "❤\ufe0f", "❤你", true},
		{"contains: a keycap digit", Contains, "选1", "选1\ufe0f\u20e3", true},
		{"exact: a keycap digit", Exact, "1", "1\ufe0f\u20e3", true},
		{"exact: a full-width letter and sign", Exact, "c#", "Ｃ＃", true},
		{"exact: flags at the edge", Exact, "你好", "你好🇨🇳", true},
		{"contains: not there", Contains, "券", "你好", false},
		{"contains: regex signs mean themselves", Contains, "a+b(1)", "看 a+b(1) 吗", true},
		{"contains: regex signs are no pattern", Contains, "a+b(1)", "aab1", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hit, ok := rule(t, tt.mode, tt.keyword).Match(Read(tt.text))
			if ok != tt.want {
				t.Fatalf("%s %q on %q = %v, want %v", tt.mode, tt.keyword, tt.text, ok, tt.want)
			}
			if ok && !slices.Equal(hit.Match, []string{tt.keyword}) {
				t.Errorf("Match = %q, want the keyword as typed, %q", hit.Match, tt.keyword)
			}
		})
	}
}

func TestPatternMatches(t *testing.T) {
	for _, tt := range []struct {
		name, pattern, text string
		want                []string
	}{
		{"whole match, then groups", `^查订单\s*(\w+)$`, "查订单 A12", []string{"查订单 A12", "A12"}},
		{"full width text", `^查订单\s*(\w+)$`, "查订单　Ａ１２。", []string{"查订单 A12", "A12"}},
		{"the case counts", `^order$`, "Order", nil},
		{"unless the pattern says otherwise", `(?i)^order$`, "Order!", []string{"Order"}},
		{"a group that took no part", `^(a)|^(b)`, "b", []string{"b", "", "b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hit, ok := patterns(t, tt.pattern).Match(Read(tt.text))
			if ok != (tt.want != nil) || !slices.Equal(hit.Match, tt.want) {
				t.Errorf("%q on %q = %q, %v; want %q", tt.pattern, tt.text, hit.Match, ok, tt.want)
			}
		})
	}
}

func TestStrongestHitOfARule(t *testing.T) {
	r := rule(t, Contains, "券", "优惠券", "领")
	r.Patterns = patterns(t, `优惠`).Patterns
	for _, tt := range []struct{ name, text, by string }{
		{"a pattern before what is merely contained", "领优惠券", "优惠"},
		{"the longest keyword", "券领", "券"},
		{"the only one there", "领", "领"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if hit, _ := r.Match(Read(tt.text)); hit.By != tt.by {
				t.Errorf("%q is matched by %q, want %q", tt.text, hit.By, tt.by)
			}
		})
	}
	if hit, _ := rule(t, Contains, "券", "优惠券").Match(Read("优惠券")); hit.By != "优惠券" || hit.Length != 3 {
		t.Errorf("by %q of length %d, want the longer keyword", hit.By, hit.Length)
	}
}

func TestBareRules(t *testing.T) {
	any, every := &Rule{Bare: Any}, &Rule{Bare: Every}
	if hit, ok := any.Match(Read("Hi！")); !ok || hit.Mode != Any || !slices.Equal(hit.Match, []string{"Hi！"}) {
		t.Errorf("any: %+v, %v; want the whole text as the match", hit, ok)
	}
	if hit, ok := every.Match(Read("")); !ok || hit.Mode != Every || hit.Match != nil {
		t.Errorf("every: %+v, %v; want no match", hit, ok)
	}
	if any.Groups() != 1 || every.Groups() != 0 {
		t.Errorf("groups %d and %d, want 1 and 0", any.Groups(), every.Groups())
	}
	if every.Hits(Read("x")) {
		t.Error("a rule of no words hits a word")
	}
}

func TestOfAVeryLongTextTheBeginningCounts(t *testing.T) {
	pad := strings.Repeat("好", looked)
	r := rule(t, Contains, "券")
	if !r.Hits(Read("券" + pad)) {
		t.Error("a keyword at the beginning is not found")
	}
	if r.Hits(Read(pad + "券")) {
		t.Error("a keyword behind the limit is found")
	}
	if hit, _ := (&Rule{Bare: Any}).Match(Read(pad)); hit.Match[0] != pad {
		t.Error("the match of any is not the whole text")
	}
}

func TestGroups(t *testing.T) {
	r := patterns(t, `a(b)`, `c(d)(e)`)
	if got := r.Groups(); got != 3 {
		t.Errorf("Groups() = %d, want 3: the whole match and two groups", got)
	}
	if got := rule(t, Exact, "a", "b").Groups(); got != 1 {
		t.Errorf("Groups() of keywords = %d, want 1", got)
	}
}

func TestCompare(t *testing.T) {
	inOrder := []Hit{
		{Mode: Exact, Length: 2}, {Mode: Prefix, Length: 5}, {Mode: Prefix, Length: 2}, {Mode: Regex},
		{Mode: Contains, Length: 4}, {Mode: Contains, Length: 1}, {Mode: Every}, {Mode: Any},
	}
	for i, a := range inOrder {
		for j, b := range inOrder {
			if got := Compare(a, b); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("Compare(%+v, %+v) = %d", a, b, got)
			}
		}
	}
}

func TestKeywordsThatMatchEverythingAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name, typed string
		mode        Mode
		want        string
	}{
		{"empty", "", Contains, "match everything"},
		{"a space", " ", Prefix, "match everything"},
		{"nothing that can be seen", "\u200b\ufe0f", Contains, "match everything"},
		{"exact: punctuation alone", "！？", Exact, "nothing is left"},
		{"prefix: an emoji alone", "👍", Prefix, "nothing is left"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewKeyword(tt.typed, tt.mode)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("NewKeyword(%q, %s) = %v, want %q", tt.typed, tt.mode, err, tt.want)
			}
		})
	}
}

func TestPatternsThatAreRefused(t *testing.T) {
	for _, tt := range []struct{ name, expr, want string }{
		{"matches everything", `.*`, "empty string"},
		{"optional as a whole", `(券)?`, "empty string"},
		{"empty", ``, "empty string"},
		{"does not compile", `a(`, "missing closing"},
		{"looks back, which RE2 cannot", `(?<=a)b`, "bad pattern"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewPattern(tt.expr)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("NewPattern(%q) = %v, want %q", tt.expr, err, tt.want)
			}
		})
	}
}

func TestParseMode(t *testing.T) {
	for _, name := range Modes() {
		if m, ok := ParseMode(name); !ok || m.String() != name {
			t.Errorf("ParseMode(%q) = %s, %v", name, m, ok)
		}
	}
	if _, ok := ParseMode("every"); ok {
		t.Error(`"every" is not for operators`)
	}
}

// A keyword always finds itself, in any mode.
func FuzzKeyword(f *testing.F) {
	for _, s := range []string{"领券", "０６２７", "C#", "a+b(1)", "👍", "ß", "\u00a8a", "\xff"} {
		f.Add(s, "我要")
	}
	f.Fuzz(func(t *testing.T, typed, before string) {
		for _, mode := range []Mode{Exact, Prefix, Contains} {
			k, err := NewKeyword(typed, mode)
			if err != nil {
				continue
			}
			r := Rule{Keywords: []Keyword{k}}
			if !r.Hits(Read(typed)) {
				t.Errorf("%s %q does not match itself", mode, typed)
			}
			r.Match(Read(before + typed)) // must not panic
		}
	})
}
