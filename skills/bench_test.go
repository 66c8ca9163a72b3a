package skills_test

import (
	"fmt"
	"strings"
	"testing"

	"bot/skills"
	"bot/skills/skilltest"
)

// keywordRules makes n skills of two Chinese keywords each, none of which is in
// the texts of the benchmarks, and one that is.
func keywordRules(n int) string {
	tables := make([]string, n, n+1)
	for i := range tables {
		a, b := rune(0x4e00+i*7%3000), rune(0x4e00+i*13%2900)
		tables[i] = fmt.Sprintf(`s%d: keywords = ["%c%c甲%d", "%c乙%c"]`, i, a, b, i, b, a)
	}
	return replies(append(tables, `coupon: keywords = ["优惠券"]`)...)
}

func benchmarkRules(b *testing.B, n int) {
	set := build(b, keywordRules(n))
	e := skilltest.NewChat(b, set).Message(strings.Repeat("请问今天的优惠券在哪里领取", 5))
	b.ReportAllocs()
	for b.Loop() {
		if len(set.Rules(e)) != 1 {
			b.Fatal("the coupon is lost")
		}
	}
}

// One message of 200 bytes put before few rules and before many: many are to cost
// at most twice what few do.
func BenchmarkRules10(b *testing.B)    { benchmarkRules(b, 10) }
func BenchmarkRules10000(b *testing.B) { benchmarkRules(b, 10_000) }

// BenchmarkBuild10000 is what a reload takes for as many, apart from reading TOML.
func BenchmarkBuild10000(b *testing.B) {
	sections := skilltest.Parse(b, keywordRules(10_000)).Sections
	b.ReportAllocs()
	for b.Loop() {
		if _, err := skills.Build(sections, skills.Options{Accounts: []string{"shop"}}); err != nil {
			b.Fatal(err)
		}
	}
}
