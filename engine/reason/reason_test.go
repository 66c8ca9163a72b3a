package reason

import (
	"strings"
	"testing"
)

func TestEveryReasonOfTheEngineIsThereInChineseAndNoOther(t *testing.T) {
	said := make(map[string]bool)
	for _, r := range reasonsOf(t, "../..") {
		if chinese[r.key] == "" && !said[r.key] {
			t.Errorf("%s: nobody says in Chinese\t%s", r.at, r.key)
		}
		said[r.key] = true
	}
	for en, zh := range chinese {
		if !said[en] {
			t.Errorf("nobody says in English: %q", en)
		}
		if strings.Count(en, hole) != strings.Count(zh, hole) {
			t.Errorf("%q takes other things than %q", zh, en)
		}
	}
}

func TestReasonsInChinese(t *testing.T) {
	for _, c := range []struct{ name, en, zh string }{
		{"a dead command", "gave up after 3 attempts, the last: transient, status 503: busy", "尝试 3 次后放弃，最后一次：暂时失败，状态码 503：busy"},
		{"a platform's own words stay", "permanent, status 400: errcode 45009: 接口调用超过限制; see: docs", "被平台拒绝，状态码 400：errcode 45009: 接口调用超过限制; see: docs"},
		{"a command that waits", "account held: paused: by console since 2026-12-01T09:00:00+08:00; due 2026-12-01 10:00 Asia/Shanghai; before that: unreachable: dial tcp: refused",
			"账号暂不发送：已停止：由 console 停止，从 2026-12-01T09:00:00+08:00 起；到 2026-12-01 10:00 Asia/Shanghai 才发；此前：连不上平台：dial tcp: refused"},
		{"a quota", "quota: 500 pushes a day (push_per_day) are used up; goes on 2026-12-02 00:00 Asia/Shanghai",
			"配额：每天 500 条推送（push_per_day）已用完；2026-12-02 00:00 Asia/Shanghai 继续"},
		{"one of several skills came near", `none of 3 skills answers; the nearest, "coupon" (bot.toml:12:1): it works in groups only`,
			`3 个技能都不回答；最接近的是 "coupon"（bot.toml:12:1）：它只在群里有效`},
		{"the line responsible", "not_test_user: only test_users are served (bot.toml:9:1)", "不是测试用户：只服务 test_users (bot.toml:9:1)"},
		{"two holes side by side", `risk_mute:flood: the risk row "flood" says mute (bot.toml:3:1)`, `risk_mute:flood: 风控规则 "flood" 要求 mute (bot.toml:3:1)`},
		{"a name that looks like two clauses", `the conversation is with "a: b; c"`, `会话由 "a: b; c" 负责`},
		{"a sentence within a sentence", `keyword "hi" (contains), beaten by "shop": its priority is 2 to 1`, `关键词 "hi"（contains），让位于 "shop"：优先级 2 对 1`},
		{"both kinds of rule", `contains ["a" "b"] or regex ["c; d"]; in the hours "day"`, `包含 ["a" "b"]，或正则 ["c; d"]；在时段 "day" 之内`},
		{"quotes that do not end", `permanent: a 5" screen; no`, `被平台拒绝：a 5" screen; no`},
		{"words of nobody here", "dial tcp 127.0.0.1:9090: connect: connection refused", "dial tcp 127.0.0.1:9090: connect: connection refused"},
		{"nothing", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := In("zh", c.en); got != c.zh {
				t.Errorf("%s\nwant %s", got, c.zh)
			}
			if got := In("en", c.en); got != c.en {
				t.Errorf("in English: %s", got)
			}
		})
	}
}

func FuzzInChinese(f *testing.F) {
	f.Add(`a "b`)
	f.Add(`the risk row "\" says `)
	f.Add("; : ")
	f.Fuzz(func(_ *testing.T, text string) { In("zh", text) })
}
