package wecom

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"bot/engine"
	"bot/engine/channel"
)

// botSender answers what an AI bot was asked. An answer is not sent: it is
// written where the platform's next poll finds it (stream.go). What comes too
// late for that, or does not fit in, goes to the response_url, which is good
// for one message. Nothing can be said to a bot's users unasked.
type botSender struct {
	*platform
	memory  channel.Memory
	account string

	mu    sync.Mutex // held while a stream's note is read and written
	shown shown
}

func newBotSender(p *platform, a *channel.Account, h *channel.Host) *botSender {
	return &botSender{platform: p, memory: h.Memory, account: a.Name}
}

var botDeeds = deeds[*botSender]{
	engine.SendText:     {nil, (*botSender).say},
	engine.SendMarkdown: {nil, (*botSender).say},
	engine.SendCard:     {nil, (*botSender).card},
}

// Needs implements channel.Sender.
func (s *botSender) Needs(a engine.Action) (params []string, can bool) { return botDeeds.needs(a) }

// botAnswers is why a bot has nothing to say once the hour is over.
const botAnswers = "an AI bot answers within an hour and cannot push"

// TooLate implements channel.Latecomer.
func (s *botSender) TooLate(*engine.Command) string { return botAnswers }

// Send implements channel.Sender.
func (s *botSender) Send(ctx context.Context, c *engine.Command) (note string, err error) {
	return botDeeds.run(s, ctx, c)
}

// say adds the text to the stream, or pushes it.
func (s *botSender) say(ctx context.Context, c *engine.Command) (note string, err error) {
	id, err := s.asked(c)
	if err != nil {
		return "", err
	}
	text, err := spoken(c, maxStream)
	if err != nil {
		return "", s.lose(ctx, id, c, err)
	}
	if added, err := s.add(ctx, id, c, text); added || err != nil {
		return "", err
	}
	return "", s.push(ctx, id, c, message("markdown", object{"content": text}))
}

// card goes through the response_url, which takes cards in single chats.
func (s *botSender) card(ctx context.Context, c *engine.Command) (note string, err error) {
	id, err := s.asked(c)
	if err != nil {
		return "", err
	}
	card, err := cardOf(c)
	if err != nil {
		return "", s.lose(ctx, id, c, err)
	}
	return "", s.push(ctx, id, c, message("template_card", card))
}

// asked is the stream that the command answers in.
func (s *botSender) asked(c *engine.Command) (streamID, error) {
	id, ok := streamOf(c.Ticket.Token)
	switch {
	case !ok:
		return "", permanent("an AI bot cannot push: it only answers, within an hour")
	case s.over(c):
		return "", windowClosed(c, botAnswers)
	}
	return id, nil
}

// record is the note of a stream (said). Lost are the commands that it counts
// although nothing of them was said: the stream must not wait for them.
type record struct {
	said
	Lost []string `json:"lost,omitempty"`
}

func (r *record) lacks(task string) bool { return slices.Contains(r.Lost, task) }
func (r *record) seen(task string) bool  { return slices.Contains(r.Seen, task) }

// add appends the text to the stream if that is still shown and has room; it is
// true for what was added by an earlier attempt, too.
func (s *botSender) add(ctx context.Context, id streamID, c *engine.Command, text string) (added bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, task := s.record(id), short(c.TaskID)
	if r.seen(task) {
		return true, nil
	}
	content := shownText(text)
	if r.Content != "" {
		content = r.Content + "\n\n" + content
	}
	if len(content) > maxStream || !s.shows(id, &r) {
		return false, nil
	}
	r.Content = content
	return true, s.count(ctx, id, &r, task)
}

// shows tells whether what is added to the stream now will be polled: it was
// begun, is not over, and not finished.
func (s *botSender) shows(id streamID, r *record) bool {
	began, err := strconv.ParseInt(s.memory.Recall(s.account, id.began()), 10, 64)
	if err != nil || s.now().Sub(time.Unix(began, 0)) >= streamCloses {
		return false
	}
	want, err := strconv.Atoi(s.memory.Recall(s.account, id.replies()))
	return err != nil || r.Sent < want
}

func (s *botSender) record(id streamID) (r record) {
	if note := s.memory.Recall(s.account, id.said()); note == "" || json.Unmarshal([]byte(note), &r) != nil {
		return record{}
	}
	return r
}

// count writes the note with one command more, said or lost.
func (s *botSender) count(ctx context.Context, id streamID, r *record, task string) error {
	if !r.lacks(task) {
		r.Sent++
	}
	r.Seen = append(r.Seen, task)
	return s.keep(ctx, id, r)
}

func (s *botSender) keep(ctx context.Context, id streamID, r *record) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // sixfold, where a note has room for threefold
	if err := e.Encode(r); err != nil {
		return permanent("encode the stream: " + err.Error())
	}
	err := s.memory.Remember(ctx, s.account, engine.Note{Key: id.said(), Value: b.String(), Expires: s.now().Add(streamKept)})
	if err != nil {
		return new(channel.Call).Fail(channel.Transient, 0, "remember the answer: "+err.Error())
	}
	return nil
}

// lose counts a command that will never be said, and returns why.
func (s *botSender) lose(ctx context.Context, id streamID, c *engine.Command, why error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, task := s.record(id), short(c.TaskID)
	if !r.lacks(task) && !r.seen(task) {
		r.Sent++
		r.Lost = append(r.Lost, task)
		// Without the note the stream ends at its time instead of now.
		_ = s.keep(ctx, id, &r)
	}
	return why
}

// finish counts a command that was said elsewhere.
func (s *botSender) finish(ctx context.Context, id streamID, c *engine.Command) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, task := s.record(id), short(c.TaskID); !r.seen(task) {
		// Without the note the stream ends at its time, and a repeat is refused.
		_ = s.count(ctx, id, &r, task)
	}
}

// shownText is free of the control characters that text cannot show and JSON
// writes sixfold.
func shownText(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}
