package wecom

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/wecom/crypt"
)

// bot reads an AI bot's decrypted document and answers it.
func (r *receiver) bot(a *account, s crypt.Sealed, plain []byte, now time.Time) (channel.Receipt, error) {
	d, err := parse(plain)
	if err != nil {
		return channel.Receipt{}, unreadable("json", "the document is "+err.Error(), d)
	}
	if d.get("msgtype") == "stream" {
		id := streamID(d.get("stream", "id"))
		if id == "" {
			return channel.Receipt{}, unreadable("ids", "no stream.id", d)
		}
		return channel.Receipt{Answer: a.packet(s.Nonce, now, id, r.look(a.name, id, now))}, nil
	}
	e, detail := a.botEvent(d, now)
	if detail != "" {
		return channel.Receipt{}, unreadable("ids", detail, d)
	}
	e.Account, e.Raw = a.name, plain
	receipt := channel.Receipt{Events: []*engine.Event{e}, Answer: channel.Answer{Status: http.StatusOK}}
	switch {
	case e.Kind == engine.Message: // whose first arrival opens the stream, and a repeat finds it where it is
		id, _ := streamOf(e.Ticket.Token)
		receipt.Answer = a.packet(s.Nonce, now, id, r.look(a.name, id, now))
	case e.Kind == engine.EnterChat && a.welcome != "":
		receipt.Answer = a.greeting(s.Nonce, now)
	}
	return receipt, nil
}

// greeting welcomes who opened the chat. It can be said in this answer alone,
// which no skill can wait for.
func (a *account) greeting(nonce string, now time.Time) channel.Answer {
	type text struct {
		Content string `json:"content"`
	}
	return a.passive(nonce, now, struct {
		MsgType string `json:"msgtype"`
		Text    text   `json:"text"`
	}{"text", text{a.welcome}})
}

// packet is what a stream shows at one moment.
type packet struct {
	content string // the whole text, not what is new
	finish  bool
}

// packet answers with what the stream shows.
func (a *account) packet(nonce string, now time.Time, id streamID, p packet) channel.Answer {
	type stream struct {
		ID      streamID `json:"id"`
		Finish  bool     `json:"finish"`
		Content string   `json:"content"`
	}
	return a.passive(nonce, now, struct {
		MsgType string `json:"msgtype"`
		Stream  stream `json:"stream"`
	}{"stream", stream{id, p.finish, p.content}})
}

// passive makes the encrypted answer; it must carry the nonce of the request.
func (a *account) passive(nonce string, now time.Time, answer any) channel.Answer {
	msg, _ := json.Marshal(answer) // texts, which cannot fail
	return channel.Answer{
		Status: http.StatusOK, ContentType: "application/json",
		Body: a.secret.Seal(crypt.Random(), msg, now, nonce).JSON(),
	}
}

// botEvent reads a document; detail says what it lacks and is "" for a good one.
func (a *account) botEvent(d *node, now time.Time) (e *engine.Event, detail string) {
	id, from, msgType := d.get("msgid"), member(d.get("from", "userid")), d.get("msgtype")
	if id == "" || from == "" || msgType == "" || len(id) > maxID || len(from) > maxID {
		return nil, "no msgid, from.userid or msgtype of 1 to 512 bytes"
	}
	e = &engine.Event{
		Kind: engine.Message, Type: msgType, ID: id, Sender: from, Conversation: from, Time: unix(d.get("create_time")),
	}
	if chat := d.get("chatid"); d.get("chattype") == "group" {
		if chat == "" || len(chat) > maxID {
			return nil, "no chatid of 1 to 512 bytes, in a group"
		}
		e.Group, e.Conversation = true, chat
		e.Mention = engine.MentionMe // a bot is told nothing else there
	}
	if msgType == "event" {
		botNotice(e, d)
	} else {
		a.botMessage(e, d)
	}
	if len(e.Params) == 0 {
		e.Params = nil
	}
	permit(e, newStreamID(a.name, id), d.get("response_url"), now)
	return e, ""
}

// permit gives the event the ways in which it can be answered. Events open no
// stream: where they have a response_url, it is the only one.
func permit(e *engine.Event, id streamID, url string, now time.Time) {
	began := now.Unix()
	switch {
	case e.Kind == engine.Message:
		e.Tally = id.replies()
	case url != "":
		began = 0
	default:
		return
	}
	e.Ticket = engine.Ticket{Token: id.said(), Expires: now.Add(streamTicket)}
	e.Learned = id.learned(began, url, now)
}

// learned is what must be known of a stream when it is asked for or spoken
// into.
func (id streamID) learned(began int64, url string, now time.Time) []engine.Note {
	until := now.Add(streamKept)
	notes := []engine.Note{{Key: id.began(), Value: strconv.FormatInt(began, 10), Expires: until}}
	if url != "" {
		notes = append(notes, engine.Note{Key: id.url(), Value: url, Expires: until})
	}
	return notes
}

// botMessage reads what a user wrote to the bot.
func (a *account) botMessage(e *engine.Event, d *node) {
	switch e.Type {
	case "text":
		e.Text = d.raw("text", "content")
	case "voice":
		e.Text = d.raw("voice", "content") // the transcript; the sound is not told
	case "mixed":
		var texts []string
		for item := range d.at("mixed").all("msg_item") {
			if url := item.get("image", "url"); url != "" {
				e.Media = append(e.Media, engine.Media{Kind: "image", URL: url})
			}
			if text := item.raw("text", "content"); text != "" {
				texts = append(texts, text)
			}
		}
		e.Text = strings.Join(texts, "\n")
	case "image", "file", "video":
		e.Media = []engine.Media{{Kind: e.Type, URL: d.get(e.Type, "url"), Name: d.get(e.Type, "filename")}}
	}
	if e.Group && !a.named {
		e.Text = unmention(e.Text)
	}
	e.Params = botParams(d.at("quote"), "quote.")
}

// unmention takes the mention away that a message in a group begins with, of a
// bot whose name nobody has configured. Where it is, the engine itself does.
func unmention(text string) string {
	trimmed := strings.TrimSpace(text)
	if !strings.HasPrefix(trimmed, "@") {
		return text
	}
	if at := strings.IndexFunc(trimmed, unicode.IsSpace); at >= 0 {
		return strings.TrimSpace(trimmed[at:])
	}
	return ""
}
