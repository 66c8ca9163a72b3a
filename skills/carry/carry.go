// Package carry takes what somebody said in one conversation into another: the
// words, and pictures and files where they can be sent on.
package carry

import (
	"slices"
	"strings"

	"bot/engine"
	"bot/skills/kind"
)

// Body is what of a message is carried.
type Body struct {
	Said  string         // in words of the sender's own
	Media []engine.Media // each gets its own word where it cannot be sent
	word  string         // that stands for what is neither words nor media
}

// spoken are the types of message whose text is all there is to them.
var spoken = []string{"text", "quote", "mixed"}

// Read takes out of a message what can be carried.
func Read(e *engine.Event) Body {
	b := Body{Said: e.Text, Media: e.Media}
	if len(e.Media) == 0 && !slices.Contains(spoken, e.Type) {
		b.word = joined(label(e.Type), e.Params["title"], e.Params["url"])
	}
	return b
}

// Commands say it once: the prefix and what is said, then what can be sent by its
// address, as far as can says that the platform there does. Texts are of at most
// limit bytes. They are none where there is nothing to carry.
func (b Body) Commands(prefix string, limit int, can func(engine.Action) bool) []engine.Command {
	text, media := joined(b.word, b.Said), []engine.Command(nil)
	for _, m := range b.Media {
		if a, ok := sends[m.Kind]; ok && m.URL != "" && can(a) {
			media = append(media, medium(a, m))
			continue
		}
		text = joined(text, label(m.Kind), m.Name, m.URL)
	}
	if text == "" && len(media) == 0 {
		return nil
	}
	return append(kind.Texts(prefix+text, limit), media...)
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
