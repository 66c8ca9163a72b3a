package gewe

import (
	"encoding/json"
	"math"
	"net/url"
	"path"
	"strconv"
	"strings"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/wechat"
)

// to begins a message.
func to(c *engine.Command, path string, f fields) order {
	f["toWxid"] = c.Conversation
	return order{path: path, body: f}
}

// sendText mentions by ats, and shows each name in the text, without which
// phones show no mention. The name ends with U+2005, as clients write it.
func sendText(c *engine.Command) order {
	text, at := c.Text, []string(nil)
	if wechat.IsRoom(c.Conversation) {
		ids, names := channel.Mentions(c)
		var b strings.Builder
		for i, id := range ids {
			if id == "all" {
				id = wechat.Everybody
			}
			at = append(at, id)
			b.WriteString("@" + names[i] + "\u2005")
		}
		text = b.String() + text
	}
	f := fields{"content": text}
	if at != nil {
		f["ats"] = strings.Join(at, ",")
	}
	return to(c, "/message/postText", f)
}

func sendImage(c *engine.Command) order {
	return to(c, "/message/postImage", fields{"imgUrl": channel.Param(c, "url")})
}

// sendFile names the file by its address where nothing else does.
func sendFile(c *engine.Command) order {
	address, name := channel.Param(c, "url"), channel.Param(c, "name", "fileName")
	if name == "" {
		name = "file"
		if u, err := url.Parse(address); err == nil && path.Base(u.Path) != "/" && path.Base(u.Path) != "." {
			name = path.Base(u.Path)
		}
	}
	return to(c, "/message/postFile", fields{"fileUrl": address, "fileName": name})
}

// sendVoice sends SILK, and nothing else; the duration is in milliseconds here
// and in seconds for a video.
func sendVoice(c *engine.Command) order {
	seconds, ok := duration(c)
	if !ok {
		return order{problem: "duration is no number of seconds"}
	}
	return to(c, "/message/postVoice", fields{"voiceUrl": channel.Param(c, "url"), "voiceDuration": int(math.Round(seconds * 1000))})
}

func sendVideo(c *engine.Command) order {
	seconds, ok := duration(c)
	if !ok {
		return order{problem: "duration is no number of seconds"}
	}
	f := fields{
		"videoUrl": channel.Param(c, "url"), "thumbUrl": channel.Param(c, "cover_url"),
		"videoDuration": int(math.Ceil(seconds)),
	}
	if v := channel.Param(c, "thumbnailUrl"); v != "" { // the name of thumbUrl in some forks
		f["thumbnailUrl"] = v
	}
	return to(c, "/message/postVideo", f)
}

func duration(c *engine.Command) (seconds float64, ok bool) {
	seconds, err := strconv.ParseFloat(channel.Param(c, "duration"), 64)
	return seconds, err == nil && seconds > 0 && seconds < 24*60*60
}

func sendLink(c *engine.Command) order {
	return to(c, "/message/postLink", fields{
		"title": channel.Param(c, "title"), "desc": channel.Param(c, "description", "desc"),
		"linkUrl": channel.Param(c, "url"), "thumbUrl": channel.Param(c, "cover_url", "thumbUrl"),
	})
}

func sendContact(c *engine.Command) order {
	return to(c, "/message/postNameCard", fields{
		"nickName": channel.Param(c, "name"), "nameCardWxid": channel.Param(c, "user"),
	})
}

func sendEmoji(c *engine.Command) order {
	size, ok := number(channel.Param(c, "size"))
	if !ok {
		return order{problem: "size is no number of bytes"}
	}
	return to(c, "/message/postEmoji", fields{"emojiMd5": channel.Param(c, "md5"), "emojiSize": size})
}

// miniappFields go by the gateway's own names.
var miniappFields = []string{"miniAppId", "displayName", "pagePath", "coverImgUrl", "title", "userName"}

func sendMiniapp(c *engine.Command) order {
	return to(c, "/message/postMiniApp", own(c, miniappFields))
}

// own takes params that go by the gateway's own names.
func own(c *engine.Command, names []string) fields {
	f := make(fields, len(names))
	for _, name := range names {
		f[name] = channel.Param(c, name)
	}
	return f
}

// sendCard sends a raw <appmsg> node, which is how quotes are sent, too.
func sendCard(c *engine.Command) order {
	return to(c, "/message/postAppMsg", fields{"appmsg": channel.Param(c, "card")})
}

// forwards are the paths by the type of what is forwarded.
var forwards = map[string]string{
	"image": "/message/forwardImage", "video": "/message/forwardVideo", "file": "/message/forwardFile",
	"link": "/message/forwardUrl", "miniapp": "/message/forwardMiniApp",
}

// forward sends again what came, by its XML; the speaker's id before it would
// not be understood.
func forward(c *engine.Command) order {
	path, ok := forwards[channel.Param(c, "type")]
	if !ok {
		return order{problem: "only image, video, file, link and miniapp can be forwarded"}
	}
	xml := channel.Param(c, "content")
	if at := strings.IndexByte(xml, '<'); at > 0 {
		xml = xml[at:]
	}
	f := fields{"xml": xml}
	if cover := channel.Param(c, "cover_url", "coverImgUrl"); cover != "" {
		f["coverImgUrl"] = cover
	}
	return to(c, path, f)
}

// revokeFields are strings, digits though they hold.
var revokeFields = []string{"msgId", "newMsgId", "createTime"}

func revoke(c *engine.Command) order { return to(c, "/message/revokeMsg", own(c, revokeFields)) }

// number is digits as a JSON number, as they are.
func number(digits string) (json.Number, bool) {
	if digits == "" || len(digits) > 18 || strings.Trim(digits, "0123456789") != "" {
		return "", false
	}
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		digits = "0"
	}
	return json.Number(digits), true
}
