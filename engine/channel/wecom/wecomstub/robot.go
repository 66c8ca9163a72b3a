package wecomstub

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"

	"bot/engine/stub"
)

// What a group robot takes.
const (
	robotMinute      = 20
	maxRobotMarkdown = 4096
	maxRobotImage    = 2 << 20
)

// sendRobot takes what a group robot says.
func (p *Platform) sendRobot(c *stub.Call, said object) stub.Answer {
	if !c.Authorized {
		return refusal(93000)
	}
	if p.robot.full(c.Query.Get("key"), robotMinute, p.now()) {
		return refusal(45009)
	}
	msgType := said.text("msgtype")
	about := said.inner(msgType)
	longest := map[string]int{"text": maxText, "markdown": maxRobotMarkdown, "markdown_v2": maxRobotMarkdown}
	switch text := about.text("content"); msgType {
	case "text", "markdown", "markdown_v2":
		if text == "" {
			return refusal(44004)
		}
		if len(text) > longest[msgType] {
			return refusal(45002)
		}
	case "image":
		if code := robotImage(about); code != 0 {
			return refusal(code)
		}
	case "file", "voice":
		if p.media.find(about.text("media_id"), p.now()) == nil {
			return refusal(40007)
		}
	case "news", "template_card":
		if len(about) == 0 {
			return refusal(40058)
		}
	default:
		return refusal(40008)
	}
	return success(nil)
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
func (p *Platform) uploadRobot(c *stub.Call, said object) stub.Answer {
	if !c.Authorized {
		return refusal(93000)
	}
	return p.upload(c, said)
}
