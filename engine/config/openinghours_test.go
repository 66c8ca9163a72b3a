package config

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func parseLines(toml string) (*Config, []string) {
	c, err := Parse("/bot.toml", []byte(toml), func(string) (string, bool) { return "", false }, nil)
	var lines []string
	for _, p := range ProblemsIn(err) {
		lines = append(lines, p.Error())
	}
	return c, lines
}

func TestHoursAreReadByTheirNames(t *testing.T) {
	c, problems := parseLines("[hours]\nshop = [\"mon-fri 09:00-18:00\", \"closed 2026-10-01\"]\n\"客服\" = [\"daily 08:00-22:00\"]\n[match]\nfold_traditional = true")
	if problems != nil {
		t.Fatal(problems)
	}
	monday := time.Date(2026, 3, 2, 20, 0, 0, 0, time.UTC)
	if c.Hours["shop"].Open(monday) || !c.Hours["客服"].Open(monday) {
		t.Error("on Monday at eight in the evening the shop is closed and somebody answers")
	}
	if !c.Match.FoldTraditional {
		t.Error("match.fold_traditional is lost")
	}
}

func TestHoursProblems(t *testing.T) {
	for _, tt := range []struct {
		name, toml string
		want       []string
	}{
		{"a day that is none", "shop = [\"mon-fri 09:00-18:00\", \"sut 10:00-16:00\"]", []string{
			`bot.toml:2:32: hours.shop 2: "sut 10:00-16:00": there is no day "sut" (did you mean`}},
		{"one line without its list", "shop = \"mon-fri 09:00-18:00\"", []string{
			`bot.toml:2:8: hours.shop: expected a list, found the string "mon-fri 09:00-18:00"`}},
		{"a number", "shop = [9]", []string{
			`bot.toml:2:9: hours.shop 1: expected opening hours, found the integer 9 (write it like "mon-fri 09:00-18:00")`}},
		{"no lines", "shop = []", []string{
			`bot.toml:2:8: hours.shop is empty (like ["mon-fri 09:00-18:00"])`}},
		{"never open", "shop = [\"closed 2026-10-01\"]", []string{
			`bot.toml:2:8: hours.shop is never open`}},
		{"a name that a skill could not write", "\"!shop\" = [\"daily 09:00-18:00\"]", []string{
			`bot.toml:1:2: hours: "!shop" is no name for hours (letters, digits, - and _)`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, got := parseLines("[hours]\n" + tt.toml)
			if !slices.EqualFunc(got, tt.want, strings.HasPrefix) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
