package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"bot/engine"
)

// Tags of a command's fields. They are on disk: never give one a new meaning.
const (
	cmdTaskID = iota + 1
	cmdTraceID
	cmdAccount
	cmdConversation
	cmdAction
	cmdText
	cmdParams // JSON
	cmdLane
	cmdCreated
	cmdNotBefore
	cmdDeadline
	cmdTicketToken
	cmdTicketExpires
	cmdOrigin
	cmdSkill
	cmdSubmitted
	cmdUnless
)

// EncodeCommand returns the record of a command. It fails when Params hold
// what JSON cannot say.
func EncodeCommand(c *engine.Command) ([]byte, error) {
	b := make([]byte, bodyAt, 160+len(c.Text))
	b[0] = recordFormat
	b = appendString(b, cmdTaskID, c.TaskID) // first: TaskIDIn stops there
	b = appendString(b, cmdTraceID, c.TraceID)
	b = appendString(b, cmdAccount, c.Account)
	b = appendString(b, cmdConversation, c.Conversation)
	b = appendString(b, cmdAction, string(c.Action))
	b = appendString(b, cmdText, c.Text)
	if len(c.Params) > 0 {
		params, err := json.Marshal(c.Params)
		if err != nil {
			return nil, fmt.Errorf("encode parameters of command %s: %w", c.TaskID, err)
		}
		b = appendBytes(b, cmdParams, params)
	}
	b = appendInt(b, cmdLane, int64(c.Lane))
	b = appendTime(b, cmdCreated, c.Created)
	b = appendTime(b, cmdNotBefore, c.NotBefore)
	b = appendTime(b, cmdDeadline, c.Deadline)
	b = appendString(b, cmdTicketToken, c.Ticket.Token)
	b = appendTime(b, cmdTicketExpires, c.Ticket.Expires)
	b = appendString(b, cmdOrigin, c.Origin)
	b = appendString(b, cmdSkill, c.Skill)
	b = appendBool(b, cmdSubmitted, c.Submitted)
	b = appendString(b, cmdUnless, c.Unless)
	seal(b)
	return b, nil
}

// Stored returns a command as reading its record rec gives it, and takes the
// short way where that needs no reading. It shares nothing that may change
// with c.
func Stored(c *engine.Command, rec []byte) (*engine.Command, error) {
	if len(c.Params) > 0 {
		return DecodeCommand(rec)
	}
	own := *c
	own.Params = nil
	for _, t := range []*time.Time{&own.Created, &own.NotBefore, &own.Deadline, &own.Ticket.Expires} {
		if !t.IsZero() {
			*t = timeOf(nanos(*t))
		}
	}
	return &own, nil
}

// DecodeCommand reads a record that EncodeCommand made; the command shares
// nothing with it. Times come back in UTC and numbers among Params as
// json.Number, so that 64-bit ids keep all their digits. Whatever rec holds,
// it answers with ErrRecord at worst.
func DecodeCommand(rec []byte) (*engine.Command, error) {
	body, err := unseal(rec)
	if err != nil {
		return nil, err
	}
	c := &engine.Command{}
	f := fields{rest: body}
	for f.next() {
		readCommandField(&f, c)
	}
	if f.err != nil {
		return nil, f.err
	}
	return c, nil
}

// TaskIDIn reads the task id of a command's record without reading, or
// checking, the rest.
func TaskIDIn(rec []byte) (string, error) {
	if len(rec) < bodyAt || rec[0] != recordFormat {
		return "", fmt.Errorf("%w: no task id", ErrRecord)
	}
	f := fields{rest: rec[bodyAt:]}
	if f.next() && f.tag == cmdTaskID {
		return f.string(), nil
	}
	return "", f.err
}

func readCommandField(f *fields, c *engine.Command) {
	switch f.tag {
	case cmdTaskID:
		c.TaskID = f.string()
	case cmdTraceID:
		c.TraceID = f.string()
	case cmdAccount:
		c.Account = f.string()
	case cmdConversation:
		c.Conversation = f.string()
	case cmdAction:
		c.Action = engine.Action(f.string())
	case cmdText:
		c.Text = f.string()
	case cmdParams:
		c.Params = decodeParams(f)
	case cmdLane:
		c.Lane = decodeLane(f)
	case cmdCreated:
		c.Created = f.time()
	case cmdNotBefore:
		c.NotBefore = f.time()
	case cmdDeadline:
		c.Deadline = f.time()
	case cmdTicketToken:
		c.Ticket.Token = f.string()
	case cmdTicketExpires:
		c.Ticket.Expires = f.time()
	case cmdOrigin:
		c.Origin = f.string()
	case cmdSkill:
		c.Skill = f.string()
	case cmdSubmitted:
		c.Submitted = f.bool()
	case cmdUnless:
		c.Unless = f.string()
	}
}

func decodeLane(f *fields) engine.Lane {
	n := f.int()
	if n < 0 || n >= engine.Lanes {
		f.fail("bad lane")
		return 0
	}
	return engine.Lane(n)
}

func decodeParams(f *fields) map[string]any {
	d := json.NewDecoder(bytes.NewReader(f.val))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		f.fail("bad parameters")
		return nil
	}
	return m
}
