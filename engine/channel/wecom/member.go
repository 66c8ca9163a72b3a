package wecom

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"bot/engine"
	"bot/engine/channel"
)

// The beginnings of the conversations that are many members at once.
const (
	partyPrefix = "party/"
	tagPrefix   = "tag/"
)

// audience is how message/send names those it is for.
type audience struct {
	field, missed string // in the request; in the answer, of those that are not reached
	max           int    // how many there may be
}

var audiences = map[placeKind]audience{
	toMember: {"touser", "invaliduser", 1000},
	toParty:  {"toparty", "invalidparty", 100},
	toTag:    {"totag", "invalidtag", 100},
}

// tellMembers sends to one member, to several ("a|b"), to everybody ("@all"), or
// to departments or tags.
func (s *appSender) tellMembers(ctx context.Context, c *engine.Command, to place) (note string, err error) {
	who := audiences[to.kind]
	switch n := len(idsOf(to.id)); {
	case n == 0:
		return "", permanent("there is nobody to send to")
	case n > who.max:
		return "", permanent(fmt.Sprintf("%d recipients, and WeCom takes %d at once", n, who.max))
	}
	body, err := s.contents(ctx, c)
	if err != nil {
		return "", err
	}
	body[who.field], body["agentid"] = to.id, s.agentID
	body["enable_duplicate_check"], body["duplicate_check_interval"] = 1, duplicateInterval(c.TaskID)
	given(body, c, "safe", "enable_id_trans")
	answer, err := s.post(ctx, "message/send", body, "msgid")
	if err != nil {
		return "", err
	}
	return delivered(to, answer)
}

// duplicateInterval is for how many seconds the platform drops a request that
// equals an earlier one: long enough for the attempts at one command, short
// enough for people who are told the same twice. It varies with the command, so
// that two commands with equal texts are no equal requests, should the platform
// compare all of it.
func duplicateInterval(taskID string) int {
	sum, _ := hex.DecodeString(short(taskID)) // which is hexadecimal
	return 120 + int(binary.BigEndian.Uint16(sum)%120)
}

// delivered reads what became of the recipients. Some of them may be missing
// for good, which is told in the note; whoever got the message must not get it
// again.
func delivered(to place, answer []byte) (note string, err error) {
	var a struct {
		MsgID          string `json:"msgid"`
		ResponseCode   string `json:"response_code"`
		InvalidUser    string `json:"invaliduser"`
		InvalidParty   string `json:"invalidparty"`
		InvalidTag     string `json:"invalidtag"`
		UnlicensedUser string `json:"unlicenseduser"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return "", new(channel.Call).Fail(channel.Unsure, http.StatusOK, "unreadable answer from message/send: "+err.Error())
	}
	all := map[string]string{
		"msgid": a.MsgID, "response_code": a.ResponseCode, "invaliduser": a.InvalidUser,
		"invalidparty": a.InvalidParty, "invalidtag": a.InvalidTag, "unlicenseduser": a.UnlicensedUser,
	}
	missed := idsOf(all[audiences[to.kind].missed])
	if to.kind == toMember {
		missed = append(missed, idsOf(a.UnlicensedUser)...)
	}
	if len(missed) > 0 && !slices.ContainsFunc(idsOf(to.id), func(id string) bool { return !slices.Contains(missed, id) }) {
		return "", new(channel.Call).Fail(channel.Permanent, http.StatusOK,
			"no recipient can be reached: unknown, outside the visible range or without a licence: "+strings.Join(missed, "|"))
	}
	if note = channel.Note(all); note == "" { // hundreds are missing
		note = channel.Note(map[string]string{"msgid": a.MsgID, "response_code": a.ResponseCode})
	}
	return note, nil
}

// idsOf splits a list of recipients. Members' ids do not differ by case.
func idsOf(list string) []string {
	return strings.FieldsFunc(strings.ToLower(list), func(r rune) bool { return r == '|' })
}

// recall takes back what message/send delivered, within 24 hours.
func (s *appSender) recall(ctx context.Context, c *engine.Command) (note string, err error) {
	if _, members := audiences[placeOf(c.Conversation).kind]; !members {
		return "", permanent("only what was sent to members can be taken back")
	}
	_, err = s.post(ctx, "message/recall", object{"msgid": channel.Param(c, "msgid")}, "")
	return "", err
}

// updateCard changes a card that was pressed, once and within 72 hours: to
// "card", or to a button that says "button" and can be pressed no more.
func (s *appSender) updateCard(ctx context.Context, c *engine.Command) (note string, err error) {
	if placeOf(c.Conversation).kind != toMember {
		return "", permanent("only cards of members can be updated")
	}
	body := object{"userids": strings.Split(c.Conversation, "|"), "agentid": s.agentID, "response_code": channel.Param(c, "response_code")}
	if button := channel.Param(c, "button"); button != "" {
		body["button"] = object{"replace_name": button}
	} else if body["template_card"], err = cardOf(c); err != nil {
		return "", permanent("update_card needs the param button or card")
	}
	_, err = s.post(ctx, "message/update_template_card", body, "")
	return "", arrived(ctx, err, spentCode(codeResponse))
}
