package gewe

import (
	"strconv"
	"strings"

	"bot/engine"
	"bot/engine/channel/wechat"
)

// message is what somebody said, of one of the types that all platforms share.
// Pairs are its params, by name and value.
func (in *inbound) message(typ, said string, pairs ...string) *engine.Event {
	e := in.said(engine.Message)
	e.Type, e.Text, e.Params = typ, said, params(pairs...)
	e.Mention = in.mention(said)
	return e
}

// saidText takes the speaker's name from the notification, which is "name : text"
// or the name and the phrase of a mention.
func saidText(in *inbound) *engine.Event {
	e := in.message("text", in.content)
	for _, rest := range []string{" : " + in.content, pushMe, "在群聊中" + pushAll} {
		if name, ok := strings.CutSuffix(in.push, rest); ok {
			e.SenderName = name
			break
		}
	}
	return e
}

// The files below are had by a call (downloadImage and so on) that takes the
// XML as it came; so does forwarding. It is the param content.

func saidImage(in *inbound) *engine.Event {
	img := wechat.Parse(in.content).Child("img")
	return in.file("image", "", img.Attr("length"))
}

func saidVoice(in *inbound) *engine.Event {
	voice := wechat.Parse(in.content).Child("voicemsg")
	return in.file("voice", "", voice.Attr("length"))
}

func saidVideo(in *inbound) *engine.Event {
	video := wechat.Parse(in.content).Child("videomsg")
	return in.file("video", "", video.Attr("length"))
}

func (in *inbound) file(typ, name, size string) *engine.Event {
	e := in.message(typ, "", "content", in.content, "filename", name)
	n, err := strconv.ParseInt(size, 10, 64)
	if err != nil || n < 0 {
		n = 0 // not told
	}
	e.Media = []engine.Media{{Kind: typ, Name: name, Size: n}}
	return e
}

func saidCard(in *inbound) *engine.Event {
	card := wechat.Parse(in.content)
	return in.message("card", "", "user", card.Attr("username"), "name", card.Attr("nickname"))
}

func saidEmoji(in *inbound) *engine.Event {
	emoji := wechat.Parse(in.content).Child("emoji")
	return in.message("emoji", "", "md5", emoji.Attr("md5"), "size", emoji.Attr("len"))
}

func saidLocation(in *inbound) *engine.Event {
	place := wechat.Parse(in.content).Child("location")
	return in.message("location", "", "latitude", place.Attr("x"), "longitude", place.Attr("y"),
		"title", place.Attr("poiname"), "address", place.Attr("label"))
}
