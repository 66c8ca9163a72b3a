package qiwe

import (
	"errors"
	"net/url"
	"strings"

	"bot/engine"
	"bot/engine/channel"
)

// to begins the params of a message, with those of the command's own that are
// named and there.
func to(c *engine.Command, passed ...string) map[string]any {
	m := map[string]any{"toId": c.Conversation}
	pass(m, c, passed...)
	return m
}

// pass hands params on as they are.
func pass(m map[string]any, c *engine.Command, names ...string) {
	for _, name := range names {
		if v, ok := c.Params[name]; ok {
			m[name] = v
		}
	}
}

// sendText is a plain text, or one of pieces where it mentions members. The
// clients write the name of whoever is mentioned themselves.
func sendText(c *engine.Command, _ *upload) (string, map[string]any, error) {
	m := to(c, "reply", "isNoNeedRead")
	ids, _ := channel.Mentions(c)
	if len(ids) == 0 {
		m["content"] = c.Text
		return "/msg/sendText", m, nil
	}
	delete(m, "isNoNeedRead")
	type piece struct {
		Subtype int    `json:"subtype"` // 0 text, 1 mention
		Text    string `json:"text"`
	}
	var content []piece
	for _, id := range ids {
		if id == "all" {
			id = everybody
		}
		content = append(content, piece{1, id}, piece{0, " "})
	}
	content[len(content)-1].Text += c.Text
	m["content"] = content
	return "/msg/sendHyperText", m, nil
}

func sendImage(c *engine.Command, f *upload) (string, map[string]any, error) {
	m := to(c)
	f.fill(m)
	m["fileMd5"], m["filename"] = string(f.FileMd5), filename(c)
	if f.FileKey != "" {
		m["fileKey"] = string(f.FileKey)
	}
	return "/msg/sendImage", m, nil
}

func sendGif(c *engine.Command, f *upload) (string, map[string]any, error) {
	m := to(c)
	f.fill(m)
	m["fileMd5"], m["imgUrl"] = string(f.FileMd5), string(f.CloudURL)
	return "/msg/sendGif", m, nil
}

func sendFile(c *engine.Command, f *upload) (string, map[string]any, error) {
	m := to(c)
	f.fill(m)
	m["filename"] = filename(c)
	return "/msg/sendFile", m, nil
}

func sendVoice(c *engine.Command, f *upload) (string, map[string]any, error) {
	m := to(c)
	f.fill(m)
	m["voiceTime"] = seconds(c)
	return "/msg/sendVoice", m, nil
}

func sendVideo(c *engine.Command, f *upload) (string, map[string]any, error) {
	cover := channel.Param(c, "cover_url")
	if cover == "" && strings.Contains(string(f.FileID), "*") {
		return "", nil, errors.New("needs the param cover_url, since the platform stores this video where it makes no picture of it")
	}
	m := to(c)
	f.fill(m)
	m["fileMd5"], m["filename"], m["duration"] = string(f.FileMd5), filename(c), seconds(c)
	if f.FileThumbSize != "" {
		m["coverImageSize"] = f.FileThumbSize.number()
	}
	if cover != "" {
		m["previewImgUrl"] = cover
	}
	return "/msg/sendVideo", m, nil
}

func sendLink(c *engine.Command, _ *upload) (string, map[string]any, error) {
	m := to(c)
	m["title"], m["desc"] = channel.Param(c, "title"), channel.Param(c, "description")
	m["linkUrl"], m["iconUrl"] = channel.Param(c, "url"), plain(channel.Param(c, "cover_url"))
	return "/msg/sendLink", m, nil
}

// plain escapes what is not ASCII in an address's path: the clients show their
// own icon where the given one has such a letter.
func plain(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.String()
}

func sendMiniapp(c *engine.Command, _ *upload) (string, map[string]any, error) {
	return "/msg/sendWeapp", to(c, "appId", "username", "pagePath", "title", "desc", "appName", "iconUrl", "thumbUrl"), nil
}

// sendContact: what else the platform wants to know of a card is not documented.
func sendContact(c *engine.Command, _ *upload) (string, map[string]any, error) {
	m := to(c, "avatarUrl", "corpId", "corpName", "realName")
	m["shared_id"] = channel.Param(c, "user")
	if name := channel.Param(c, "name"); name != "" {
		m["nickname"] = name
	}
	return "/msg/sendPersonalCard", m, nil
}

func sendLocation(c *engine.Command, _ *upload) (string, map[string]any, error) {
	m := to(c, "zoom")
	m["title"], m["address"] = channel.Param(c, "title"), channel.Param(c, "address")
	for _, name := range []string{"latitude", "longitude"} {
		m[name] = number(c, name)
	}
	return "/msg/sendLocation", m, nil
}

func revoke(c *engine.Command, _ *upload) (string, map[string]any, error) {
	m := map[string]any{"chatId": c.Conversation, "msgServerId": number(c, "msgServerId")}
	return "/msg/revokeMsg", m, nil
}

// number is a param as a number, with the digits it was written with.
func number(c *engine.Command, name string) any {
	return scalar(channel.Param(c, name)).number()
}

// seconds is a file's length, 0 where nobody says.
func seconds(c *engine.Command) any {
	if channel.Param(c, "duration") == "" {
		return 0
	}
	return number(c, "duration")
}
