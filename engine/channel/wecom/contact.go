package wecom

import (
	"context"
	"fmt"
	"strings"

	"bot/engine"
	"bot/engine/channel"
)

// greet sends the one welcome that a new contact's event permits. Nothing else
// can be sent to a contact.
func (s *appSender) greet(ctx context.Context, c *engine.Command) error {
	code, ok := strings.CutPrefix(c.Ticket.Token, welcomePrefix)
	if !ok {
		return permanent("a contact can only be written to as an answer to being added, while its welcome code lives")
	}
	if s.over(c) {
		return windowClosed(c, welcomeBrief)
	}
	body, err := s.greeting(ctx, c)
	if err != nil {
		return err
	}
	body["welcome_code"] = code
	if s.over(c) { // uploading took its time
		return windowClosed(c, welcomeBrief)
	}
	_, err = s.post(ctx, "externalcontact/send_welcome_msg", body, "")
	err = arrived(ctx, err, spentCode(codeUsed))
	switch codeOf(err) {
	case codeChatBegun:
		return nil
	case codeOther:
		if s.welcome.add(c.TaskID) > 1 {
			return nil // the other app's welcome stands
		}
	}
	return err
}

// welcomeBrief is why a welcome that comes too late is not sent at all. The
// ticket ends some seconds before the code, as the request takes time.
const welcomeBrief = "a welcome code lives 20 s, and contacts take nothing else"

// greeting is a text, or one attachment with or without a text beside it, and
// what the param "attachments" has besides, in the platform's own form.
func (s *appSender) greeting(ctx context.Context, c *engine.Command) (object, error) {
	body := object{}
	if err := within(limit{"text", c.Text, maxWelcome}); err != nil {
		return nil, err
	}
	if c.Text != "" {
		body["text"] = object{"content": c.Text}
	}
	all, _ := c.Params["attachments"].([]any)
	if c.Action != engine.SendText {
		one, err := s.attachment(ctx, c)
		if err != nil {
			return nil, err
		}
		all = append([]any{one}, all...)
	}
	switch {
	case len(all) > maxAttachments:
		return nil, permanent(fmt.Sprintf("a welcome has at most %d attachments", maxAttachments))
	case len(all) > 0:
		body["attachments"] = all
	case c.Text == "":
		return nil, permanent("an empty welcome cannot be sent")
	}
	return body, nil
}

func (s *appSender) attachment(ctx context.Context, c *engine.Command) (object, error) {
	title, url := channel.Param(c, "title"), channel.Param(c, "url")
	switch c.Action {
	case engine.SendImage, engine.SendVideo, engine.SendFile:
		kind := fileKinds[c.Action]
		id, err := s.media.of(ctx, c, "url", kind)
		return message(kind.name, object{"media_id": id}), err
	case engine.SendLink:
		_, description, err := titled(c)
		if err == nil {
			err = within(limit{"url", url, maxLink})
		}
		link := object{"title": title, "url": url}
		if description != "" {
			link["desc"] = description
		}
		if picture := channel.Param(c, "cover_url"); picture != "" {
			link["picurl"] = picture
		}
		return message("link", link), err
	case engine.SendMiniapp:
		if err := within(limit{"title", title, maxMiniTitle}); err != nil {
			return nil, err
		}
		id, err := s.media.of(ctx, c, "cover_url", anImage)
		app := object{"title": title, "pic_media_id": id, "appid": channel.Param(c, "appid"), "page": channel.Param(c, "page")}
		return message("miniprogram", app), err
	}
	return nil, permanent("a welcome cannot be what " + string(c.Action) + " says")
}

// external is the customer whom a command is about.
func external(c *engine.Command) (string, error) {
	switch at := placeOf(c.Conversation); at.kind {
	case toContact, toCustomer:
		return at.id, nil
	}
	return "", permanent(string(c.Action) + " is about a customer, whose id begins with wm or wo")
}

// remark sets what the member "user_id" calls the customer.
func (s *appSender) remark(ctx context.Context, c *engine.Command) (note string, err error) {
	body := object{"remark": channel.Param(c, "remark")}
	given(body, c, "description", "remark_company", "remark_mobiles")
	return "", s.changeContact(ctx, c, "externalcontact/remark", body)
}

// label adds and removes tags, by their ids.
func (s *appSender) label(ctx context.Context, c *engine.Command) (note string, err error) {
	body, add, remove := object{}, channel.Params(c, "add"), channel.Params(c, "remove")
	if len(add) > 0 {
		body["add_tag"] = add
	}
	if len(remove) > 0 {
		body["remove_tag"] = remove
	}
	if len(body) == 0 {
		return "", permanent("set_label needs the param add or remove")
	}
	return "", s.changeContact(ctx, c, "externalcontact/mark_tag", body)
}

func (s *appSender) changeContact(ctx context.Context, c *engine.Command, path string, body object) error {
	user, err := external(c)
	if err != nil {
		return err
	}
	body["external_userid"], body["userid"] = user, channel.Param(c, "user_id")
	select {
	case s.contacts <- struct{}{}:
		defer func() { <-s.contacts }()
	case <-ctx.Done():
		return new(channel.Call).Fail(channel.Transient, 0, "no turn in time: "+ctx.Err().Error())
	}
	_, err = s.post(ctx, path, body, "")
	return err
}
