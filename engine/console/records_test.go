package console

import "testing"

func TestWhatTheEngineWroteDownIsSaidInChinese(t *testing.T) {
	zh, en := words{"zh"}, words{"en"}
	for _, c := range []struct {
		name, text string
		say        func(words, string) string
		want       string
	}{
		{"recipients of a file", "file", words.Whom, "名单文件"},
		{"an audience of the configuration has a name", "vip", words.Whom, "vip"},
		{"who made it", "command line", words.By, "命令行"},
		{"a schedule made it", "schedule morning", words.By, "定时任务 morning"},
		{"somebody made it", "wang", words.By, "wang"},
		{"how a keyword matched", `keyword "领券" (contains)`, words.Reason, `关键词 "领券"（包含）`},
		{"what called something off", "called off what waited: message", words.Reason, "撤销了等待中的：消息"},
		{"a kind that has no text", "called off what waited: odd", words.Reason, "撤销了等待中的：odd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.say(zh, c.text); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if got := c.say(en, c.text); got != c.text {
				t.Errorf("in English %q, want %q", got, c.text)
			}
		})
	}
}

func TestFlowsAreDrawnInChinese(t *testing.T) {
	const drawn = `form "ask" (bot.toml:27): contains ["问卷"]
  begin
    → a
  a: any answer is right
    any answer → b
    1, 2 → (confirm)
    any other answer → done
    skipped (跳过, 无) → done
  done
  from every question
    取消 → cancelled
    退出 → left, other skills answer
    bad answer number 3 to 5 → too many
    10m without an answer → expired
`
	const want = `form "ask" (bot.toml:27): 包含 ["问卷"]
  开始
    → a
  a: any answer is right
    任何回答 → b
    1, 2 → （确认）
    其他回答 → 完成
    跳过（跳过, 无） → 完成
  完成
  在每个问题
    取消 → 取消
    退出 → 退出，由其他技能回答
    第 3–5 次答错 → 错误次数过多
    10m 没有回答 → 过期
`
	if got := (words{"zh"}).Flow(drawn); got != want {
		t.Errorf("draws\n%s\nwant\n%s", got, want)
	}
	if got := (words{"en"}).Flow(drawn); got != drawn {
		t.Errorf("in English\n%s", got)
	}
}
