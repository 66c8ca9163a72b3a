package wecom

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// kfPrefix begins the ticket of an event in customer service that may be
// answered with its code.
const kfPrefix = "kf_event/"

// tellCustomer sends in customer service: as the answer to an event that
// permits one, else within the 48 hours and five messages after the customer's
// last. That the platform takes a message does not mean that it arrives; what
// does not is told by an event (msg_send_fail).
func (s *appSender) tellCustomer(ctx context.Context, c *engine.Command, to place) (note string, err error) {
	if to.openKfID == "" || to.id == "" {
		return "", permanent("customer service needs <open_kfid>/<external_userid> as its conversation")
	}
	body, err := s.kfContents(ctx, c)
	if err != nil {
		return "", err
	}
	// Our own id makes a repeat known as such.
	id := short(c.TaskID)
	body["msgid"] = id
	path, code := "kf/send_msg", s.kfCode(c, body["msgtype"])
	switch {
	case code == "":
		body["touser"], body["open_kfid"] = to.id, to.openKfID
	case s.over(c):
		return "", windowClosed(c, kfBrief)
	default:
		path, body["code"] = "kf/send_msg_on_event", code
	}
	answer, err := s.post(ctx, path, body, "msgid")
	if err = arrived(ctx, err, sentBefore); err != nil {
		return "", err
	}
	if path == "kf/send_msg_on_event" {
		s.kfUsed(ctx, c)
	}
	if given := told(answer, "msgid"); given != "" {
		id = given
	}
	return channel.Note(map[string]string{"msgid": id}), nil
}

// sentBefore tells whether the platform refused a message for the id or the
// code that an earlier attempt has used. Which errcode the first one has is not
// documented, but that it names the field.
func sentBefore(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && (r.code == codeUsed || r.send.Class == channel.Permanent && strings.Contains(strings.ToLower(r.send.Note), "msgid"))
}

// kfCode is the code that the command answers its event with, "" where it must
// go as any message: the code is for one text or menu.
func (s *appSender) kfCode(c *engine.Command, msgType any) string {
	code, ok := strings.CutPrefix(c.Ticket.Token, kfPrefix)
	if !ok || msgType != "text" && msgType != "msgmenu" {
		return ""
	}
	if by := s.memory.Recall(s.account, kfUsedKey(c)); by != "" && by != short(c.TaskID) {
		return ""
	}
	return code
}

// kfBrief is why what was to answer an event with its code is not sent without.
const kfBrief = "the event's code has expired, and without one the customer must have written first"

// kfCoded are the types of messages that a code is for, by their actions.
var kfCoded = map[engine.Action]string{engine.SendText: "text", engine.SendCard: "msgmenu"}

// kfUsedKept is for how long after its end it is known who used a code: the
// others go the ordinary way, however late they are.
const kfUsedKept = 24 * time.Hour

func kfUsedKey(c *engine.Command) string { return "kf_used/" + short(c.Ticket.Token) }

// kfUsed leaves the event's other answers to the ordinary way.
func (s *appSender) kfUsed(ctx context.Context, c *engine.Command) {
	// Without the note the next answer is refused by the platform, and says so.
	_ = s.memory.Remember(ctx, s.account, engine.Note{Key: kfUsedKey(c), Value: short(c.TaskID), Expires: c.Ticket.Expires.Add(kfUsedKept)})
}

func (s *appSender) kfContents(ctx context.Context, c *engine.Command) (object, error) {
	switch c.Action {
	case engine.SendText:
		text, err := spoken(c, maxText)
		return message("text", object{"content": text}), err
	case engine.SendImage, engine.SendFile, engine.SendVoice, engine.SendVideo:
		kind := fileKinds[c.Action]
		if kind == anImage {
			kind = aSmallImage
		}
		id, err := s.media.of(ctx, c, "url", kind)
		return message(kind.name, object{"media_id": id}), err
	case engine.SendLink:
		title, description, err := titled(c)
		if err != nil {
			return nil, err
		}
		id, err := s.thumb(ctx, c)
		return message("link", object{"title": title, "desc": description, "url": channel.Param(c, "url"), "thumb_media_id": id}), err
	case engine.SendMiniapp:
		title := channel.Param(c, "title")
		if err := within(limit{"title", title, maxMiniTitle}); err != nil {
			return nil, err
		}
		id, err := s.thumb(ctx, c)
		app := object{"appid": channel.Param(c, "appid"), "title": title, "pagepath": channel.Param(c, "page"), "thumb_media_id": id}
		return message("miniprogram", app), err
	case engine.SendLocation:
		return location(c)
	case engine.SendCard:
		card, err := cardOf(c) // a menu, there
		return message("msgmenu", card), err
	}
	return nil, permanent("customers cannot be sent what " + string(c.Action) + " says")
}

// location wants numbers; a param may be one in quotes.
func location(c *engine.Command) (object, error) {
	at := object{"name": channel.Param(c, "title"), "address": channel.Param(c, "address")}
	for _, name := range []string{"latitude", "longitude"} {
		degrees, err := strconv.ParseFloat(channel.Param(c, name), 64)
		if err != nil || math.Abs(degrees) > 180 {
			return nil, permanent(name + " must be a number of degrees")
		}
		at[name] = degrees
	}
	return message("location", at), nil
}

// thumb is the picture that customer service wants beside a link.
func (s *appSender) thumb(ctx context.Context, c *engine.Command) (string, error) {
	if id := channel.Param(c, "thumb_media_id"); id != "" {
		return id, nil
	}
	return s.media.of(ctx, c, "cover_url", aSmallImage)
}

// The states of a session that it can be handed over to.
const (
	kfWaiting = 2 // in the pool, until somebody takes it
	kfServed  = 3 // by a person
)

// handOver gives the session to the servicer "user", or to the pool. What the
// platform gives in return permits one text more to the customer.
func (s *appSender) handOver(ctx context.Context, c *engine.Command) (note string, err error) {
	to := placeOf(c.Conversation)
	if to.kind != toCustomer {
		return "", permanent("only sessions of customer service can be handed over")
	}
	body := object{"open_kfid": to.openKfID, "external_userid": to.id, "service_state": kfWaiting}
	if user := channel.Param(c, "user"); user != "" {
		body["service_state"], body["servicer_userid"] = kfServed, user
	}
	answer, err := s.post(ctx, "kf/service_state/trans", body, "msg_code")
	if err = arrived(ctx, err, spentCode(codeTransition)); err != nil {
		return "", err
	}
	return channel.Note(map[string]string{"msg_code": told(answer, "msg_code")}), nil
}
