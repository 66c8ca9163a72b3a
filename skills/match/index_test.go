package match

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// one asks each rule for itself.
func oneByOne(rules []*Rule, t *Text, admit func(int) bool) (all []Found) {
	for i, r := range rules {
		if hit, ok := r.Match(t); ok && admit(i) {
			all = append(all, Found{i, hit})
		}
	}
	return all
}

func everyone(int) bool { return true }

// said draws what people may say: few characters, so that keywords are hit often.
func said() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom([]rune("aAbｂ1 领券優优惠。！\u200b👍🏽\n")), 0, 14, -1)
}

func drawKeywords(t *rapid.T, f Folding, label string, modes ...Mode) (all []Keyword) {
	for _, typed := range rapid.SliceOfN(said(), 0, 3).Draw(t, label) {
		if k, err := f.NewKeyword(typed, rapid.SampledFrom(modes).Draw(t, "mode")); err == nil {
			all = append(all, k)
		}
	}
	return all
}

func drawRule(t *rapid.T, f Folding) *Rule {
	r := &Rule{Bare: rapid.SampledFrom([]Mode{Any, Every}).Draw(t, "bare")}
	if rapid.Bool().Draw(t, "keywords") {
		r.Keywords = drawKeywords(t, f, "keywords", Exact, Prefix, Contains)
	}
	if rapid.Bool().Draw(t, "conditions") {
		r.All, r.Not = drawKeywords(t, f, "all", Contains), drawKeywords(t, f, "not", Contains)
	}
	if rapid.Bool().Draw(t, "patterns") {
		for _, expr := range rapid.SliceOfN(expression(), 0, 2).Draw(t, "exprs") {
			if re, err := f.NewPattern(expr); err == nil {
				r.Patterns = append(r.Patterns, re)
			}
		}
	}
	return r
}

// expression draws patterns of all that they may be made of.
func expression() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"a", "B", "券", "优惠", "優", "[领a]", "[^a]", "[a-z]", `\d`, `\w`, ".", "^", "$", `\b`, "(?i)", "(?i:ab)", "(?:a|券)", "(领|)", "1+", "a*", "b?", "(?:优惠){2}", "(a|b1)", "|", `\s`, "(?s:.)", "一-龥", "\u200b",
	})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 1, 5).Draw(t, "pieces"), "")
	})
}

func TestAnIndexFindsWhatEachRuleWould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := NewFolding(rapid.Bool().Draw(t, "traditional"))
		var rules []*Rule
		for range rapid.IntRange(0, 8).Draw(t, "rules") {
			rules = append(rules, drawRule(t, f))
		}
		closed := rapid.IntRange(0, 8).Draw(t, "closed")
		admit := func(rule int) bool { return rule != closed }
		text := said().Draw(t, "text")
		got, want := NewIndex(rules).Match(f.Read(text), admit), oneByOne(rules, f.Read(text), admit)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q\ngot  %+v\nwant %+v", text, got, want)
		}
	})
}

func FuzzIndex(f *testing.F) {
	f.Add("优惠券 领", "^查(订单|物流)\\d+$ (?i)vip", "我要优惠券，查订单12 VIP")
	f.Add("a ab abc", "a+b (?:x|)y", "xabcy")
	f.Add("k ſ", "(?i)k (?i)s", "\u212aſ")
	f.Fuzz(func(t *testing.T, keywords, exprs, text string) {
		var rules []*Rule
		for i, w := range strings.Fields(keywords) {
			if k, err := NewKeyword(w, []Mode{Contains, Prefix, Exact}[i%3]); err == nil {
				rules = append(rules, &Rule{Keywords: []Keyword{k}})
			}
		}
		for _, e := range strings.Fields(exprs) {
			if len(e) < 100 {
				if re, err := NewPattern(e); err == nil {
					rules = append(rules, &Rule{Patterns: []*regexp.Regexp{re}})
				}
			}
		}
		got, want := NewIndex(rules).Match(Read(text), everyone), oneByOne(rules, Read(text), everyone)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q\ngot  %+v\nwant %+v", text, got, want)
		}
	})
}

func TestWhatAPatternCannotMatchWithout(t *testing.T) {
	for expr, want := range map[string]string{
		`^查订单\s*(\w+)$`:       "查订单",
		`查(订单|物流)`:            "订单 物流",
		`(?:领|抢)券`:            "券",
		`[领抢]+\d`:             "领 抢",
		`(?i)vip`:             "VIP",
		`ab{2,}c`:             "a",
		`a?b*`:                "",
		`x|`:                  "",
		`\S+`:                 "",
		`(.+)多少钱(\d+)?`:       "多少钱",
		`退货|换货|\d{4}`:         "0 1 2 3 4 5 6 7 8 9 退货 换货",
		`[\x{4e00}-\x{9fff}]`: "",
	} {
		got := literals(regexp.MustCompile(expr))
		same := len(got) == len(strings.Fields(want))
		for _, w := range got {
			same = same && strings.Contains(" "+want+" ", " "+w+" ")
		}
		if !same {
			t.Errorf("%s requires %q, want %q", expr, got, want)
		}
	}
}

// Patterns of which the text holds nothing are not run: a thousand cost what the
// look for their words costs.
func BenchmarkPatterns(b *testing.B) {
	text := strings.Repeat("请问今天的优惠券在哪里领取", 5)
	for _, n := range []int{10, 1000} {
		rules := make([]*Rule, n)
		for i := range rules {
			rules[i] = &Rule{Patterns: []*regexp.Regexp{regexp.MustCompile(fmt.Sprintf(`^查询%d号\s*(\w+)$`, i))}}
		}
		x := NewIndex(rules)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x.Match(Read(text), everyone)
			}
		})
	}
}
