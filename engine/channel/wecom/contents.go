package wecom

import (
	"context"
	"encoding/json"
	"strings"

	"bot/engine"
	"bot/engine/channel"
)

// contents is a message as members and groups of an app get it: the member
// "msgtype", and the member that this names.
func (s *appSender) contents(ctx context.Context, c *engine.Command) (object, error) {
	switch c.Action {
	case engine.SendText:
		text, err := spoken(c, maxText)
		return message("text", object{"content": text}), err
	case engine.SendMarkdown:
		text, err := spoken(c, maxText)
		return message("markdown", object{"content": text}), err
	case engine.SendVideo:
		return s.video(ctx, c)
	case engine.SendImage, engine.SendFile, engine.SendVoice:
		kind := fileKinds[c.Action]
		id, err := s.media.of(ctx, c, "url", kind)
		return message(kind.name, object{"media_id": id}), err
	case engine.SendLink:
		return link(c)
	case engine.SendMiniapp:
		notice := object{}
		given(notice, c, "appid", "page", "title", "description", "emphasis_first_item", "content_item")
		return message("miniprogram_notice", notice), nil
	case engine.SendCard:
		card, err := cardOf(c)
		return message("template_card", card), err
	}
	return nil, permanent("members and groups cannot be sent what " + string(c.Action) + " says")
}

// message has its content under the name of its type.
func message(kind string, content any) object { return object{"msgtype": kind, kind: content} }

// titled bounds what stands beside a link, a file or a video.
func titled(c *engine.Command) (title, description string, err error) {
	title, description = channel.Param(c, "title"), channel.Param(c, "description")
	return title, description, within(limit{"title", title, maxTitle}, limit{"description", description, maxDescription})
}

func (s *appSender) video(ctx context.Context, c *engine.Command) (object, error) {
	title, description, err := titled(c)
	if err != nil {
		return nil, err
	}
	id, err := s.media.of(ctx, c, "url", aVideo)
	video := object{"media_id": id}
	if title != "" {
		video["title"] = title
	}
	if description != "" {
		video["description"] = description
	}
	return message("video", video), err
}

// link is a text card, or with a picture a piece of news.
func link(c *engine.Command) (object, error) {
	title, description, err := titled(c)
	url := channel.Param(c, "url")
	if picture := channel.Param(c, "cover_url"); picture != "" {
		article := object{"title": title, "description": description, "url": url, "picurl": picture}
		return message("news", object{"articles": []object{article}}), err
	}
	card := object{"title": title, "description": description, "url": url}
	given(card, c, "btntxt")
	return message("textcard", card), err
}

// cardOf is the param "card": an object in the platform's own form, or the JSON
// of one. (It is no need of the action's, since channel.Lacking reads texts.)
func cardOf(c *engine.Command) (any, error) {
	switch card := c.Params["card"].(type) {
	case map[string]any:
		return card, nil
	case string:
		var o object
		if json.Unmarshal([]byte(card), &o) == nil && o != nil {
			return json.RawMessage(card), nil
		}
	}
	return nil, permanent(string(c.Action) + " needs the param card: an object in WeCom's form")
}

// mentioned are the ids that a text calls, as groups and robots want them.
func mentioned(c *engine.Command) []string {
	ids, _ := channel.Mentions(c)
	for i, id := range ids {
		if strings.EqualFold(id, "all") {
			ids[i] = "@all"
		}
	}
	return ids
}
