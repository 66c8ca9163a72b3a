package wechat

import (
	"strings"

	"bot/engine"
)

// Sentence reads a grey line of a group. Names that people gave themselves stand
// in it, so that little of a line can be trusted but how it begins.
func Sentence(line, self string) Told {
	switch {
	case strings.HasPrefix(line, "你被") && strings.Contains(line, "移出群聊"):
		return Told{Kind: engine.BotRemoved}
	case strings.HasPrefix(line, "你将") && strings.Contains(line, "移出"):
		return Told{Kind: engine.MemberRemoved, Actor: self} // the line has names and no ids
	case strings.HasPrefix(line, "你已成为新群主"):
		return Told{Kind: engine.GroupOwnerChanged, Members: []string{self}}
	}
	who, name, renamed := strings.Cut(line, "修改群名为")
	if !renamed {
		return Told{}
	}
	told := Told{Kind: engine.GroupRenamed, Text: strings.Trim(name, `“”"`)}
	if who == "你" {
		told.Actor = self
	}
	return told
}

// Greeting tells the two lines that stand at the beginning of a new friend's
// chat, and the friend's name where the line has it. In a group they mean
// nothing, since anything may be a group's name there.
func Greeting(line string) (name string, ok bool) {
	if strings.HasPrefix(line, "以上是打招呼的内容") {
		return "", true
	}
	name, ok = strings.CutPrefix(line, "你已添加了")
	if ok {
		name, _, ok = strings.Cut(name, "现在可以开始聊天了")
	}
	if !ok {
		return "", false
	}
	return strings.TrimRight(name, "，,"), true
}
