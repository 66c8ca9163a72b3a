package cli_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"bot/engine/trial"
)

func TestChatAnswersAPipe(t *testing.T) {
	for _, tt := range []struct {
		name  string
		args  []string
		input string
		want  string // the whole of stdout; its beginning where that ends with a space
	}{
		{"line by line", nil, "绑定\n12\n13800000000\n123456\n", "bot> 请输入手机号\nbot> 手机号格式不对，请重新输入\nbot> 请输入验证码\nbot> 绑定成功：13800000000\n"},
		{"the last line may lack its end", nil, "绑定", "bot> 请输入手机号\n"},
		{"line ends of Windows", nil, "绑定\r\n12\r\n", "bot> 请输入手机号\nbot> 手机号格式不对，请重新输入\n"},
		{"empty lines are nothing", nil, "\n \n绑定\n", "bot> 请输入手机号\n"},
		{"nothing at all", nil, "", ""},
		{"after /quit nothing is read", nil, "/quit\n绑定\n", ""},
		{"events and actions", nil, "/event friend_request\n", "act> accept_friend scene=trial\n"},
		{"a reply of several lines is one reply", nil, "/event friend_added\n", "bot> 您好，欢迎！\n     回复“领券”领取优惠券，回复“绑定”绑定手机号，回复“营业时间”查看门店时间。\nnow> send_text of skill reminder waits for 5m0s\n"},
		{"time", nil, "绑定\n/wait 11m\n", "bot> 请输入手机号\nbot> 会话已过期，请重新发送“绑定”\n"},
		{"people", nil, "领券\n/as u2\n领券\n", "bot> 您的优惠券：https://example.com/c/user\nbot> 您的优惠券：https://example.com/c/u2\n"},
		{"-as", []string{"-as", "alice"}, "领券\n", "bot> 您的优惠券：https://example.com/c/alice\n"},
		{"-in a group the private skills are silent", []string{"-in", "g1"}, "领券\n", ""},
		{"-account", []string{"-account", "shop"}, "领券\n", "bot> 您的优惠券：https://example.com/c/user\n"},
		{"a mistyped directive", nil, "/evnt friend_added\n", "err> there is no command /evnt (did you mean /event?; a text that begins with / is sent as \"//evnt friend_added\")\n"},
		{"a mistyped command of chat alone", nil, "/hepl\n/qiut\n/wait\n", "err> there is no command /hepl (did you mean /help?)\nerr> there is no command /qiut (did you mean /quit?)\nerr> /wait: \"\" is not a duration (like \"1.5s\", \"10m\", \"72h\", \"30d\")\n"},
		{"where somebody stands", nil, "/state\n绑定\n/wait 1m\n/state\n/reset\n/state\n", "now> user: in no skill\nbot> 请输入手机号\nnow> user: in skill bind, at phone, until "},
		{"a command of the trial that is near one of chat's", nil, "/ste\n", "err> there is no command /ste (did you mean /state?; "},
		{"groups and back", nil, "/in g1\n领券\n/in -\n领券\n", "bot> 您的优惠券：https://example.com/c/user\n"},
		{"files", nil, "绑定\n/image 菜单.png\n", "bot> 请输入手机号\nbot> "},
		{"help as a text", nil, "//help\nhelp\n", "bot> 没有听懂。可以回复：领券、绑定、营业时间\nbot> 没有听懂。可以回复：领券、绑定、营业时间\n"},
		{"a directive that is wrong", nil, "/wait soon\n绑定\n", "err> /wait: \"soon\" is not a duration (like \"1.5s\", \"10m\", \"72h\", \"30d\")\nbot> 请输入手机号\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newShell(t)
			s.bot("init")
			got := s.typed(tt.input, append([]string{"chat"}, tt.args...)...)
			if got.code != 0 || got.out != tt.want && !(strings.HasSuffix(tt.want, " ") && strings.HasPrefix(got.out, tt.want)) {
				t.Errorf("exit %d, prints\n%s\nwant\n%s", got.code, got.out, tt.want)
			}
		})
	}
}

func TestChatHelps(t *testing.T) {
	s := newShell(t)
	s.bot("init")
	got := s.typed("/help\n", "chat")
	got.wants(t, 0, "/event KIND", "/quit")
	for _, word := range append(trial.Commands(), "/quit") {
		if !strings.Contains(got.out, word) {
			t.Errorf("/help does not name %s", word)
		}
	}
	s.write("bot.toml", plain+hello)
	s.typed("再见\n", "chat").wants(t, 0, "", "(no reply; with -explain the skills say why)")
}

func TestChatExplains(t *testing.T) {
	s := newShell(t)
	s.write("bot.toml", plain+hello)
	got := s.typed("你好\n再见\n", "chat", "-explain")
	got.wants(t, 0, "why> + hello (bot.toml:11): keyword \"你好\" (contains)", "/help")
	if !strings.Contains(got.out, "why> - hello (bot.toml:11): no keyword or pattern fits") {
		t.Errorf("prints %s", got.out)
	}
}

func TestChatRefuses(t *testing.T) {
	s := newShell(t)
	s.write("bot.toml", plain+hello)
	s.bot("chat", "-account", "shpo").wants(t, 1, "", `there is no account "shpo" in bot.toml (did you mean "shop"?)`)
	s.typed("你好\n"+strings.Repeat("x", 1<<20+1), "chat").wants(t, 1, "bot> 您好\n", "read a line: ")
	s.write("bot.toml", plain+"[[skill]]\nname = \"x\"\n")
	s.bot("chat").wants(t, 1, "", "bot.toml:10:")
}

func TestChatNeedsNoAccountAndNoStore(t *testing.T) {
	s := newShell(t)
	s.write("bot.toml", hello)
	s.typed("你好\n", "chat").wants(t, 0, "bot> 您好\n", "/help")
	files, err := os.ReadDir(s.dir)
	if err != nil || len(files) != 1 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

func TestChatEndsWhenItIsInterrupted(t *testing.T) {
	s := newShell(t)
	s.write("bot.toml", plain+hello)
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "chat")
	cmd.Dir, cmd.Env = s.dir, s.env
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close() // stays open: a terminal does not end
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(patience, func() { cmd.Process.Kill() }).Stop()
	io.WriteString(input, "你好\n")
	if line, err := bufio.NewReader(output).ReadString('\n'); err != nil || line != "bot> 您好\n" {
		t.Fatalf("answers %q, %v", line, err)
	}
	cmd.Process.Signal(syscall.SIGINT)
	if err := cmd.Wait(); err != nil {
		t.Errorf("ends with %v", err)
	}
}
