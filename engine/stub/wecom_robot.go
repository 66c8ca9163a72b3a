package stub

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
)

// What a group robot takes.
const (
	robotMinute      = 20
	maxRobotMarkdown = 4096
	maxRobotImage    = 2 << 20
)

// sendRobot takes what a group robot says.
func (w *wecom) sendRobot(c *Call, said object) Answer {
	key := c.Query.Get("key")
	if key == "" || w.account.Key != "" && key != w.account.Key {
		return c.refuse(93000)
	}
	if w.robot.full(key, robotMinute, w.now()) {
		return c.refuse(45009)
	}
	msgType := said.text("msgtype")
	about := said.inner(msgType)
	longest := map[string]int{"text": maxWecomText, "markdown": maxRobotMarkdown, "markdown_v2": maxRobotMarkdown}
	switch text := about.text("content"); msgType {
	case "text", "markdown", "markdown_v2":
		if text == "" {
			return c.refuse(44004)
		}
		if len(text) > longest[msgType] {
			return c.refuse(45002)
		}
	case "image":
		if code := robotImage(about); code != 0 {
			return c.refuse(code)
		}
	case "file", "voice":
		if w.media.find(about.text("media_id"), w.now()) == nil {
			return c.refuse(40007)
		}
	case "news", "template_card":
		if len(about) == 0 {
			return c.refuse(40058)
		}
	default:
		return c.refuse(40008)
	}
	return wecomAnswer(nil)
}

// robotImage checks a picture against its sum, which is of the bytes before
// base64.
func robotImage(about object) (errcode int) {
	b, err := base64.StdEncoding.DecodeString(about.text("base64"))
	sum := md5.Sum(b)
	switch {
	case err != nil, len(b) == 0, hex.EncodeToString(sum[:]) != about.text("md5"):
		return 40058
	case len(b) > maxRobotImage:
		return 45001
	}
	return 0
}

// uploadRobot is upload for the robot alone.
func (w *wecom) uploadRobot(c *Call, said object) Answer {
	if key := c.Query.Get("key"); key == "" || w.account.Key != "" && key != w.account.Key {
		return c.refuse(93000)
	}
	return w.upload(c, said)
}
