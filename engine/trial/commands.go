package trial

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"bot/engine/nearest"
)

// command is what a line can begin with.
type command struct {
	name, args string
	help       string
	// silent lines say nothing to the bot: a test may leave them out of what it
	// expects.
	silent bool
	do     func(t *Trial, ctx context.Context, arg string) (Reply, error)
}

// commands are all of them, in the order in which people read them.
func commands() []command {
	return []command{
		{"/as", "USER", "somebody else speaks from here on / 换个人说话", true, (*Trial).as},
		{"/in", "GROUP", "in that group from here on, mentioning the bot; /in - is private again / 进群说话，/in - 回到私聊", true, (*Trial).in},
		{"/nomention", "TEXT", "a text in the group that does not mention the bot / 群里不 @ 机器人", false, (*Trial).nomention},
		{"/image", "NAME", "send a picture, by name or address: /image 菜单.png / 发图片", false, file("image")},
		{"/file", "NAME", "send a file: /file 报价.pdf / 发文件", false, file("file")},
		{"/video", "NAME", "send a video / 发视频", false, file("video")},
		{"/voice", "[NAME] [TEXT]", "send a voice message; TEXT: what the platform heard in it / 发语音", false, (*Trial).voice},
		{"/sticker", "[NAME]", "send a sticker / 发表情", false, (*Trial).sticker},
		{"/link", "URL TITLE", "send a link / 发链接", false, (*Trial).link},
		{"/location", "PLACE [LAT,LON]", "send a place / 发位置", false, (*Trial).location},
		{"/quote", "TEXT", "say something in answer to an earlier message / 引用回复", false, (*Trial).quote},
		{"/button", "KEY", "press a button on a card or in a menu / 点按钮", false, (*Trial).button},
		{"/event", "KIND [FIELD=…] [TEXT]", "something happens: /event member_joined members=u1,u2 actor=u3 / 发生事件", false, (*Trial).happen},
		{"/run", "SCHEDULE", "what a [[schedule]] does when its time comes: /run 早报 / 定时任务到点", false, (*Trial).run},
		{"/wait", "11m", "time passes / 时间过去", true, (*Trial).wait},
		{"/state", "", "where the one who speaks stands / 看进行到哪一步", true, (*Trial).look},
		{"/reset", "", "forget everything and begin anew; the clock goes on / 重新开始", true, (*Trial).reset},
	}
}

// Commands are the words that a line can begin with, such as "/wait".
func Commands() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// Help explains the commands, one line for each.
func Help() string {
	var b strings.Builder
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-28s %s\n", strings.TrimSpace(c.name+" "+c.args), c.help)
	}
	return b.String()
}

// Silent tells whether a line by itself says nothing to the bot.
func Silent(line string) bool {
	verb, _ := cut(line)
	c, ok := find(verb)
	return ok && c.silent
}

func find(verb string) (command, bool) {
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == verb })
	if i < 0 {
		return command{}, false
	}
	return all[i], true
}

// cut takes the first word off a line. Spaces may be of any width, since
// Chinese keyboards write wide ones.
func cut(line string) (word, rest string) {
	i := strings.IndexFunc(line, unicode.IsSpace)
	if i < 0 {
		return line, ""
	}
	return line[:i], strings.TrimSpace(line[i:])
}

// unknown refuses a line that begins as a command does and is none.
func unknown(verb, line string) error {
	return fmt.Errorf("there is no command %s (%s; a text that begins with / is sent as %q)", verb, guess(verb), "/"+line)
}

func guess(verb string) string {
	known := Commands()
	if meant := nearest.Name(verb, known); meant != "" {
		return "did you mean " + meant + "?"
	}
	for _, name := range known { // "/wait11m"
		if rest, ok := strings.CutPrefix(verb, name); ok {
			return "did you mean " + name + " " + rest + "?"
		}
	}
	return "known: " + strings.Join(known, ", ")
}

// wide tells which command was typed with the slash of a Chinese keyboard, ""
// where the line is a text.
func wide(line string) string {
	rest, ok := strings.CutPrefix(line, "／")
	if !ok {
		return ""
	}
	verb, _ := cut("/" + rest)
	if c, ok := find(verb); ok {
		return c.name
	}
	return ""
}
