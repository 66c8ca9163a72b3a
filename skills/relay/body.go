package relay

import (
	"slices"
	"strings"

	"bot/engine"
)

// body is what of a message is carried.
type body struct {
	said  string         // in words of the sender's own
	word  string         // that stands for what is neither words nor media
	media []engine.Media // each gets its own word where it cannot be sent
}

// spoken are the types of message whose text is all there is to them.
var spoken = []string{"text", "quote", "mixed"}

// read takes out of a message what can be carried.
func read(e *engine.Event) body {
	b := body{said: e.Text, media: e.Media}
	if len(e.Media) == 0 && !slices.Contains(spoken, e.Type) {
		b.word = joined(label(e.Type), e.Params["title"], e.Params["url"])
	}
	return b
}

// chinese are the words that stand for what cannot be sent.
var chinese = map[string]string{
	"image": "图片", "voice": "语音", "video": "视频", "file": "文件", "link": "链接", "emoji": "表情",
	"location": "位置", "miniapp": "小程序", "card": "名片", "chat_record": "聊天记录", "red_packet": "红包", "transfer": "转账",
}

// label stands for a message of a type in both languages: [图片 image].
func label(typ string) string {
	if word := chinese[typ]; word != "" {
		return "[" + word + " " + typ + "]"
	}
	return "[消息 " + strings.TrimSpace("message "+typ) + "]"
}

// joined puts a space between what is not empty.
func joined(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" })
	return strings.Join(parts, " ")
}

// sends are the actions that send a medium by its address.
var sends = map[string]engine.Action{
	"image": engine.SendImage, "voice": engine.SendVoice, "video": engine.SendVideo, "file": engine.SendFile,
}

func medium(a engine.Action, m engine.Media) engine.Command {
	params := map[string]any{"url": m.URL}
	if a == engine.SendFile && m.Name != "" {
		params["name"] = m.Name
	}
	return engine.Command{Action: a, Params: params}
}
