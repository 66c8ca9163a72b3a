package trial_test

import (
	"context"
	"strings"
	"testing"

	"bot/engine"
	"bot/engine/trial"
)

func script(send, expect []string) engine.Script {
	return engine.Script{Skill: "bind", Where: "bot.toml:7", Send: send, Expect: expect}
}

func TestScripts(t *testing.T) {
	for _, tt := range []struct {
		name         string
		send, expect []string
		says         string // what the problem says; "" = there is none
	}{
		{"each reply holds what is expected", []string{"绑定", "12", "13800000000"}, []string{"手机号", "格式不对", "绑定成功：13800000000"}, ""},
		{"another reply", []string{"绑定", "12"}, []string{"手机号", "验证码"}, `after "12": expected "验证码", but the bot said "手机号格式不对"`},
		{"no reply", []string{"天气"}, []string{"晴"}, `after "天气": expected "晴", but the bot said nothing`},
		{"the first that differs is named", []string{"绑定", "12", "13"}, []string{"x", "y", "z"}, `after "绑定"`},

		{"none is expected and none comes", []string{"天气"}, []string{"-"}, ""},
		{"none is expected and one comes", []string{"绑定"}, []string{"-"}, `expected no reply, but the bot said "请输入手机号"`},
		{"an action is no reply", []string{"/event friend_request"}, []string{"-"}, ""},
		{"an action can be expected", []string{"/event friend_request"}, []string{"accept_friend scene="}, ""},
		{"an action that does not come", []string{"天气"}, []string{"accept_friend"}, "the bot said nothing"},

		{"a pattern that matches", []string{"领券"}, []string{`/^券 user \d{4}-\d\d-\d\d$/`}, ""},
		{"a pattern that does not", []string{"领券"}, []string{`/^\d+$/`}, `expected a match of /^\d+$/, but the bot said "券 user`},
		{"a pattern over several replies", []string{"/event friend_added"}, []string{`/(?s)欢迎.*关键字/`}, ""},
		{"a pattern that is none", []string{"领券"}, []string{`/(/`}, "bad expectation"},
		{"one slash is a text", []string{"//x"}, []string{"/"}, ""},
		{"two slashes are a text", []string{"///x"}, []string{"//"}, ""},

		{"silence of /as and /wait may be written", []string{"绑定", "/wait 1m", "/as b", "领券"}, []string{"手机号", "-", "-", "券 b"}, ""},
		{"or be left out", []string{"绑定", "/wait 1m", "/as b", "领券"}, []string{"手机号", "券 b"}, ""},
		{"but not only one of them", []string{"绑定", "/wait 1m", "/as b", "领券"}, []string{"手机号", "-", "券 b"}, "4 lines are sent and 3 replies expected"},
		{"what is said while waiting has its place where one is written", []string{"绑定", "/wait 11m", "13800000000"}, []string{"手机号", "已过期", "-"}, ""},
		{"and counts to the next line where none is", []string{"绑定", "/wait 11m", "领券"}, []string{"手机号", "/(?s)已过期.*券/"}, ""},
		{"so that silence is not claimed of it", []string{"绑定", "/wait 11m", "天气"}, []string{"手机号", "-"}, "expected no reply, but the bot said \"user 的会话已过期\""},
		{"an event is a line with a reply", []string{"/event friend_added", "领券"}, []string{"券"}, "2 lines are sent and 1 reply expected"},
		{"too many are expected", []string{"绑定"}, []string{"手机号", "x"}, "1 line is sent and 2 replies expected"},

		{"of several people the one who was not answered is named", []string{"绑定", "/as b", "12"}, []string{"手机号", "格式"}, `after "12" (b): expected "格式", but the bot said nothing (bot chat -explain says why)`},
		{"and where", []string{"/in g1", "hello", "/as b", "领券"}, []string{"hi", "券"}, `after "领券" (b in g1): expected "券"`},
		{"a reply that comes later", []string{"天气", "绑定", "领券"}, []string{"手机号", "x", "y"}, `but the bot said nothing (bot chat -explain says why) (it comes later, after "绑定")`},
		{"a reply that came before", []string{"领券", "绑定"}, []string{"券 user", "券 user"}, `but the bot said "请输入手机号" (it came before, after "领券")`},
		{"lines and replies part at a line", []string{"绑定", "12", "13800000000"}, []string{"手机号", "格式"}, `3 lines are sent and 2 replies expected; "13800000000" has none; write`},
		{"lines and replies part at a reply", []string{"绑定"}, []string{"手机号", "x"}, `expected; "x" answers no line; write one for each line ("-" where none comes)`},
		{"all silent lines are left out, or none", []string{"/as b", "绑定", "/wait 1m", "/in -", "12"}, []string{"手机号", "格式", "-"}, `(of those sent, 3 are silent as /wait and /as are: leave out all of these or none)`},
		{"several people and groups may have all their places", []string{"/as b", "/in g1", "hello", "/in -", "领券", "/as c", "/wait 1d", "领券"}, []string{"-", "-", "hi b", "-", "券 b", "-", "-", "券 c"}, ""},
		{"or none of them", []string{"/as b", "/in g1", "hello", "/in -", "领券", "/as c", "/wait 1d", "领券"}, []string{"hi b", "券 b", "券 c"}, ""},
		{"what is said to one while another speaks counts to the next line", []string{"绑定", "/as b", "/wait 11m", "领券"}, []string{"手机号", "/user 的会话已过期\n券 b/"}, ""},
		{"the state can be expected", []string{"绑定", "/state"}, []string{"手机号", "in skill bind, at phone"}, ""},
		{"and is about its own line only", []string{"绑定", "/state", "12"}, []string{"手机号", "bind"}, `expected "bind", but the bot said "手机号格式不对"`},
		{"a picture in a form is asked for again", []string{"绑定", "/image a.png"}, []string{"手机号", "只能看文字"}, ""},
		{"whoever is not meant is not answered", []string{"/in g1", "/nomention hello", "hello"}, []string{"-", "hi user"}, ""},

		{"a bad directive", []string{"绑定", "/wait soon"}, []string{"手机号", "-"}, `send[1] "/wait soon"`},
		{"a mistyped command", []string{"/evnt friend_added"}, []string{"-"}, `there is no command /evnt (did you mean /event?; a text that begins with / is sent as "//evnt friend_added")`},
		{"a command that there is not", []string{"/foo"}, []string{"-"}, `there is no command /foo (known: /as, /in, /nomention, /image, /file, /video, /voice, /sticker, /link, /location, /quote, /button, /event, /run, /wait, /state, /reset; a text that begins with / is sent as "//foo")`},
		{"an event that there is not", []string{"/event friend_add"}, []string{"-"}, "friend_added"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := trial.Run(t.Context(), options(t, shop), script(tt.send, tt.expect))
			if tt.says == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("says %v, want %q", err, tt.says)
			}
			if !strings.HasPrefix(err.Error(), `bot.toml:7: skill "bind": test: `) {
				t.Errorf("does not begin with its place: %v", err)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("takes more than one line: %v", err)
			}
		})
	}
}

func TestEachScriptBeginsAfresh(t *testing.T) {
	o := options(t, shop)
	for range 2 {
		if err := trial.Run(t.Context(), o, script([]string{"领券", "领券"}, []string{"券", "已经领过"})); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAScriptEndsWithItsContext(t *testing.T) {
	o := options(t, shop)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := trial.Run(ctx, o, script([]string{"领券"}, []string{"券"})); err == nil {
		t.Error("goes on")
	}
}
