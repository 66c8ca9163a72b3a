package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"time"

	"bot/engine"
)

// Tags of an event's fields. They are on disk: never give one a new meaning.
const (
	evAccount = iota + 1
	evKind
	evType
	evID
	evReceiver
	evConversation
	evSender
	evSenderName
	evSelf
	evGroup
	evMention
	evText
	evActor
	evMember // repeated
	evMedia  // repeated, fields within
	evParam  // repeated, fields within
	evTicketToken
	evTicketExpires
	evTime
	evRaw
	evTextAt // where the text stands in Raw: offset (4), length (4); in place of evText, after evRaw
	evFact
	evIfKnown
	evMemberName // repeated
	evLearned    // repeated, fields within
	evTally
	evIdentity
	evIfNoted
	evNotedAs
	evMute
	evTicketLimit
	evDegraded
)

// minQuote is the length from which a text that stands in the raw body as it
// is, as most do, is not stored twice.
const minQuote = 32

// Tags within a media reference and within a parameter.
const (
	mediaKind = iota + 1
	mediaURL
	mediaName
	mediaSize
)
const (
	paramKey = iota + 1
	paramValue
)

// Tags within a note.
const (
	noteKey = iota + 1
	noteValue
	noteExpires
)

const receivedAt = bodyAt

// EncodeEvent returns the record of an event. Equal events make equal records.
func EncodeEvent(e *engine.Event) []byte {
	return AppendEvent(make([]byte, 0, 192+len(e.Text)+len(e.Raw)), e) // room for a text that is not in the body
}

// AppendEvent appends the record of an event to b, for whoever writes many. The event's
// body must not lie in b's spare room.
func AppendEvent(b []byte, e *engine.Event) []byte {
	at := len(b)
	b = append(b, make([]byte, receivedAt+8)...)
	b[at] = recordFormat
	b = appendString(b, evAccount, e.Account)
	b = appendString(b, evKind, string(e.Kind))
	b = appendString(b, evType, e.Type)
	b = appendString(b, evID, e.ID)
	b = appendString(b, evReceiver, e.Receiver)
	b = appendString(b, evConversation, e.Conversation)
	b = appendString(b, evSender, e.Sender)
	b = appendString(b, evSenderName, e.SenderName)
	b = appendBool(b, evSelf, e.Self)
	b = appendBool(b, evGroup, e.Group)
	b = appendString(b, evMention, string(e.Mention))
	quoted := -1
	if minQuote <= len(e.Text) && len(e.Text) <= len(e.Raw) {
		grown := append(b, e.Text...) // what comes next is written over it
		b, quoted = grown[:len(b)], bytes.Index(e.Raw, grown[len(b):])
	}
	if quoted < 0 {
		b = appendString(b, evText, e.Text)
	}
	b = appendString(b, evActor, e.Actor)
	for _, m := range e.Members {
		b = appendNested(b, evMember, []byte(m))
	}
	for _, m := range e.Media {
		b = appendNested(b, evMedia, encodeMedia(m))
	}
	for _, m := range e.MemberNames {
		b = appendNested(b, evMemberName, []byte(m))
	}
	for _, n := range e.Learned {
		b = appendNested(b, evLearned, EncodeNote(n))
	}
	b = appendString(b, evFact, e.Fact)
	b = appendString(b, evIfKnown, string(e.IfKnown))
	b = appendString(b, evTally, e.Tally)
	b = appendString(b, evIdentity, e.Identity)
	b = appendString(b, evIfNoted, e.IfNoted)
	b = appendString(b, evNotedAs, string(e.NotedAs))
	b = appendString(b, evMute, e.Mute)
	b = appendString(b, evDegraded, e.Degraded)
	b = appendInt(b, evTicketLimit, int64(e.Ticket.Limit))
	if len(e.Params) > 0 { // sorting allocates even nothing
		for _, k := range slices.Sorted(maps.Keys(e.Params)) {
			v := appendString(appendString(nil, paramKey, k), paramValue, e.Params[k])
			b = appendNested(b, evParam, v)
		}
	}
	b = appendString(b, evTicketToken, e.Ticket.Token)
	b = appendTime(b, evTicketExpires, e.Ticket.Expires)
	b = appendTime(b, evTime, e.Time)
	b = appendBytes(b, evRaw, e.Raw)
	if quoted >= 0 {
		b = append(binary.AppendUvarint(b, evTextAt), 8)
		b = binary.BigEndian.AppendUint32(b, uint32(quoted))
		b = binary.BigEndian.AppendUint32(b, uint32(len(e.Text)))
	}
	StampEvent(b[at:], e.Received)
	return b
}

// StampEvent sets the receipt time of an event's record in place.
func StampEvent(rec []byte, received time.Time) {
	binary.BigEndian.PutUint64(rec[receivedAt:], uint64(nanos(received)))
	seal(rec)
}

// ReceivedOf reads the receipt time without reading, or checking, the rest.
func ReceivedOf(rec []byte) (time.Time, error) {
	if len(rec) < receivedAt+8 || rec[0] != recordFormat {
		return time.Time{}, fmt.Errorf("%w: no receipt time", ErrRecord)
	}
	return timeOf(int64(binary.BigEndian.Uint64(rec[receivedAt:]))), nil
}

// DecodeEvent reads a record that EncodeEvent made; the event shares nothing
// with it. Times come back in UTC, empty lists and maps as nil. Whatever rec
// holds, it answers with ErrRecord at worst.
func DecodeEvent(rec []byte) (*engine.Event, error) {
	body, err := unseal(rec)
	if err != nil {
		return nil, err
	}
	if len(body) < 8 {
		return nil, fmt.Errorf("%w: no receipt time", ErrRecord)
	}
	e := &engine.Event{Received: timeOf(int64(binary.BigEndian.Uint64(body)))}
	f := fields{rest: body[8:]}
	for f.next() {
		readEventField(&f, e)
	}
	if f.err != nil {
		return nil, f.err
	}
	return e, nil
}

func readEventField(f *fields, e *engine.Event) {
	if s := textField(e, f.tag); s != nil {
		*s = f.string()
		return
	}
	switch f.tag {
	case evSelf:
		e.Self = f.bool()
	case evGroup:
		e.Group = f.bool()
	case evMember:
		e.Members = append(e.Members, f.string())
	case evMedia:
		e.Media = append(e.Media, decodeMedia(f))
	case evParam:
		k, v := decodeParam(f)
		if e.Params == nil {
			e.Params = make(map[string]string)
		}
		e.Params[k] = v
	case evTicketExpires:
		e.Ticket.Expires = f.time()
	case evTime:
		e.Time = f.time()
	case evRaw:
		e.Raw = f.bytes()
	case evMemberName:
		e.MemberNames = append(e.MemberNames, f.string())
	case evLearned:
		n, err := DecodeNote(f.val)
		if err != nil {
			f.fail("bad note")
		}
		e.Learned = append(e.Learned, n)
	case evTicketLimit:
		e.Ticket.Limit = int(f.int())
	case evTextAt:
		e.Text = quote(f, e.Raw)
	}
}

// textField is where a field that is one text belongs; nil for all others.
func textField(e *engine.Event, tag uint64) *string {
	switch tag {
	case evAccount:
		return &e.Account
	case evKind:
		return (*string)(&e.Kind)
	case evType:
		return &e.Type
	case evID:
		return &e.ID
	case evReceiver:
		return &e.Receiver
	case evConversation:
		return &e.Conversation
	case evSender:
		return &e.Sender
	case evSenderName:
		return &e.SenderName
	case evMention:
		return (*string)(&e.Mention)
	case evText:
		return &e.Text
	case evActor:
		return &e.Actor
	case evFact:
		return &e.Fact
	case evIfKnown:
		return (*string)(&e.IfKnown)
	case evTally:
		return &e.Tally
	case evMute:
		return &e.Mute
	case evDegraded:
		return &e.Degraded
	case evIfNoted:
		return &e.IfNoted
	case evNotedAs:
		return (*string)(&e.NotedAs)
	case evIdentity:
		return &e.Identity
	case evTicketToken:
		return &e.Ticket.Token
	}
	return nil
}

// quote reads a text out of the raw body.
func quote(f *fields, raw []byte) string {
	if len(f.val) == 8 {
		at, n := uint64(binary.BigEndian.Uint32(f.val)), uint64(binary.BigEndian.Uint32(f.val[4:]))
		if at+n <= uint64(len(raw)) {
			return string(raw[at : at+n])
		}
	}
	f.fail("text is not in the body")
	return ""
}

// appendNested writes a field even when it is empty: an empty member counts.
func appendNested(b []byte, tag uint64, v []byte) []byte {
	b = binary.AppendUvarint(b, tag)
	b = binary.AppendUvarint(b, uint64(len(v)))
	return append(b, v...)
}

func encodeMedia(m engine.Media) []byte {
	b := appendString(nil, mediaKind, m.Kind)
	b = appendString(b, mediaURL, m.URL)
	b = appendString(b, mediaName, m.Name)
	return appendInt(b, mediaSize, m.Size)
}

func decodeMedia(outer *fields) engine.Media {
	var m engine.Media
	f := fields{rest: outer.val}
	for f.next() {
		switch f.tag {
		case mediaKind:
			m.Kind = f.string()
		case mediaURL:
			m.URL = f.string()
		case mediaName:
			m.Name = f.string()
		case mediaSize:
			m.Size = f.int()
		}
	}
	if f.err != nil {
		outer.fail("bad media")
	}
	return m
}

func decodeParam(outer *fields) (key, value string) {
	f := fields{rest: outer.val}
	for f.next() {
		switch f.tag {
		case paramKey:
			key = f.string()
		case paramValue:
			value = f.string()
		}
	}
	if f.err != nil {
		outer.fail("bad parameter")
	}
	return key, value
}
