package wecom

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"io"

	"bot/engine"
	"bot/engine/channel"
)

// robotSender speaks through a group robot's webhook, whose key is all it
// needs. It has one group, whatever conversation a command names; the platform
// gives its messages no ids and does not know a repeat.
type robotSender struct {
	*platform
	key   string
	fetch media
}

func newRobotSender(p *platform, a *channel.Account, h *channel.Host) *robotSender {
	s := &robotSender{platform: p, key: a.Key}
	s.fetch = media{
		fetch: h.Fetch, memory: h.Memory, now: h.Now, account: a.Name, owner: fingerprint("robot", a.Key),
		upload: s.upload,
	}
	return s
}

var robotDeeds = deeds[*robotSender]{
	engine.SendText:     {nil, (*robotSender).speak},
	engine.SendMarkdown: {nil, (*robotSender).speak},
	engine.SendImage:    {[]string{"url"}, (*robotSender).speak},
	engine.SendFile:     {nil, (*robotSender).speak},
	engine.SendVoice:    {nil, (*robotSender).speak},
	engine.SendLink:     {[]string{"title", "url"}, (*robotSender).speak},
	engine.SendCard:     {nil, (*robotSender).speak},
}

// Needs implements channel.Sender.
func (s *robotSender) Needs(a engine.Action) (params []string, can bool) { return robotDeeds.needs(a) }

// Send implements channel.Sender.
func (s *robotSender) Send(ctx context.Context, c *engine.Command) (note string, err error) {
	return robotDeeds.run(s, ctx, c)
}

func (s *robotSender) speak(ctx context.Context, c *engine.Command) (note string, err error) {
	err = s.deliver(ctx, c)
	if lost(err) && s.fetch.forget(ctx, c.TaskID) {
		err = s.deliver(ctx, c)
	}
	return "", err
}

func (s *robotSender) deliver(ctx context.Context, c *engine.Command) error {
	body, err := s.contents(ctx, c)
	if err != nil {
		return err
	}
	encoded, err := encode(body)
	if err != nil {
		return err
	}
	_, err = s.do(ctx, s.webhook("webhook/send", encoded))
	return err
}

func (s *robotSender) webhook(path string, body []byte) *request {
	return &request{path: path, query: map[string][]string{"key": {s.key}}, body: body}
}

func (s *robotSender) contents(ctx context.Context, c *engine.Command) (object, error) {
	switch c.Action {
	case engine.SendText:
		text, err := spoken(c, maxText)
		said := object{"content": text}
		if ids := mentioned(c); len(ids) > 0 {
			said["mentioned_list"] = ids
		}
		if numbers := channel.Params(c, "at_mobiles"); len(numbers) > 0 {
			said["mentioned_mobile_list"] = numbers
		}
		return message("text", said), err
	case engine.SendMarkdown:
		kind := "markdown"
		if channel.Param(c, "version") == "2" {
			kind = "markdown_v2"
		}
		text, err := spoken(c, maxRobotMarkdown)
		return message(kind, object{"content": text}), err
	case engine.SendImage:
		return s.image(ctx, c)
	case engine.SendFile, engine.SendVoice:
		kind := fileKinds[c.Action]
		id, err := s.fetch.of(ctx, c, "url", kind)
		return message(kind.name, object{"media_id": id}), err
	case engine.SendLink:
		title, description, err := titled(c)
		article := object{"title": title, "description": description, "url": channel.Param(c, "url"), "picurl": channel.Param(c, "cover_url")}
		return message("news", object{"articles": []object{article}}), err
	default:
		card, err := cardOf(c)
		return message("template_card", card), err
	}
}

// image sends the bytes themselves, with the MD5 that the platform checks them
// by.
func (s *robotSender) image(ctx context.Context, c *engine.Command) (object, error) {
	f, err := fetchFile(ctx, s.fetch.fetch, channel.Param(c, "url"), aSmallImage.max)
	if err != nil {
		return nil, err
	}
	defer f.close()
	b, err := io.ReadAll(f.bytes())
	if err != nil {
		return nil, new(channel.Call).Fail(channel.Transient, 0, "read the fetched picture: "+err.Error())
	}
	sum := md5.Sum(b)
	return message("image", object{"base64": base64.StdEncoding.EncodeToString(b), "md5": hex.EncodeToString(sum[:])}), nil
}

// upload hands a file to the platform; its id is good for this robot alone.
func (s *robotSender) upload(ctx context.Context, kind string, f *file) (mediaID string, err error) {
	return uploadAs(f, func(mime string) ([]byte, error) {
		q := s.webhook("webhook/upload_media", nil)
		q.query.Set("type", kind)
		q.file, q.witness, q.harmless = f.form(mime), "media_id", true
		return s.do(ctx, q)
	})
}
