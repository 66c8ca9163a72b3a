package wecom

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// botRig is a bot that was asked something at noon; replies commands answer.
func botRig(t *testing.T, replies int) *rig {
	r := newRig(t, botAccount)
	r.remember(t, streamID("s1").learned(noon.Unix(), r.URL+"/cgi-bin/aibot/response?response_code=RC1", noon)...)
	r.remember(t, engine.Note{Key: streamID("s1").replies(), Value: strconv.Itoa(replies)})
	used := false
	r.on("aibot/response", func(*heard) string {
		if used {
			return refuses(60140, "response code invalid")
		}
		used = true
		return allOK
	})
	return r
}

func (r *rig) remember(t *testing.T, notes ...engine.Note) {
	t.Helper()
	if err := r.memory.Remember(t.Context(), r.account.Name, notes...); err != nil {
		t.Fatal(err)
	}
}

// polls is what the platform is shown.
func (r *rig) polls() packet {
	receiver := &receiver{memory: r.memory, waiting: newWaiting()}
	return receiver.look(r.account.Name, "s1", r.clock.now())
}

func (r *rig) wantPoll(t *testing.T, content string, finish bool) {
	t.Helper()
	if got := r.polls(); got.content != content || got.finish != finish {
		t.Errorf("a poll shows %.60q, finished %v, want %.60q, %v", got.content, got.finish, content, finish)
	}
}

func answers(task, text string) engine.Command {
	c := says(task, "lina", text)
	c.Ticket = engine.Ticket{Token: "stream/s1", Expires: noon.Add(time.Hour)}
	return c
}

func TestAnAnswerIsWrittenWhereThePollFindsIt(t *testing.T) {
	r := botRig(t, 2)
	s := r.sender(t)
	r.wantPoll(t, "", false)
	sent(t, s, answers("t-1", "一 <think>\x00"))
	sent(t, s, answers("t-1", "一 <think>\x00")) // repeated, as after a crash
	r.wantPoll(t, "一 <think>", false)
	c := answers("t-2", "**b**")
	c.Action = engine.SendMarkdown
	sent(t, r.sender(t), c)
	r.wantPoll(t, "一 <think>\n\n**b**", true)
	if len(r.calls) != 0 {
		t.Errorf("%d requests were made", len(r.calls))
	}
}

func TestWhatTheStreamDoesNotTakeGoesToTheResponseURL(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(r *rig, s channel.Sender)
		text    string
	}{
		"too late":      {func(r *rig, _ channel.Sender) { r.clock.pass(streamCloses) }, "late"},
		"after the end": {func(r *rig, s channel.Sender) { sent(t, s, answers("t-0", "first")) }, "second"},
		"no room": {func(r *rig, s channel.Sender) {
			r.remember(t, replies(2))
			sent(t, s, answers("t-0", strings.Repeat("a", 20000)))
		}, strings.Repeat("b", 479)},
		"an event, not a query": {func(r *rig, _ channel.Sender) {
			r.remember(t, streamID("s1").learned(0, r.URL+"/cgi-bin/aibot/response?response_code=RC2", noon)...)
		}, "updated"},
	} {
		t.Run(name, func(t *testing.T) {
			r := botRig(t, 1)
			s := r.sender(t)
			c.prepare(r, s)
			sent(t, s, answers("t-1", c.text))
			r.wantBody(t, "aibot/response", `{"markdown":{"content":"`+c.text+`"},"msgtype":"markdown"}`)
			if !r.polls().finish {
				t.Error("the stream waits for what was said elsewhere")
			}
			sent(t, s, answers("t-1", c.text)) // repeated, as after a crash
			failed(t, s, answers("t-2", "more"), channel.Permanent)
			wantCalls(t, r.fakeCom, "aibot/response", 1)
		})
	}
}

func replies(n int) engine.Note {
	return engine.Note{Key: streamID("s1").replies(), Value: strconv.Itoa(n)}
}

func TestTheStreamIsFullAtItsLastByte(t *testing.T) {
	r := botRig(t, 2)
	s := r.sender(t)
	sent(t, s, answers("t-1", strings.Repeat(`"`, 20000)))
	sent(t, s, answers("t-2", strings.Repeat(`\`, 478)))
	r.wantPoll(t, strings.Repeat(`"`, 20000)+"\n\n"+strings.Repeat(`\`, 478), true)
	if note := r.memory.Recall(r.account.Name, streamID("s1").said()); len(note) > 64<<10 {
		t.Errorf("a note of %d bytes", len(note))
	}
}

func TestCardsOfABot(t *testing.T) {
	r := botRig(t, 1)
	c := answers("t-1", "")
	c.Action, c.Params = engine.SendCard, map[string]any{"card": map[string]any{"card_type": "text_notice"}}
	sent(t, r.sender(t), c)
	r.wantBody(t, "aibot/response", `{"msgtype":"template_card","template_card":{"card_type":"text_notice"}}`)
	r.wantPoll(t, "", true)
	sent(t, r.sender(t), c) // repeated, as after a crash
	wantCalls(t, r.fakeCom, "aibot/response", 1)
}

func TestABotSaysNothingUnasked(t *testing.T) {
	r := botRig(t, 1)
	s := r.sender(t)
	e := failed(t, s, says("t-1", "lina", "a"), channel.Permanent)
	if !strings.Contains(e.Note, "cannot push") {
		t.Errorf("noted %q", e.Note)
	}
	r.clock.pass(time.Hour)
	failed(t, s, answers("t-1", "a"), channel.Permanent)
	failed(t, s, does("t-2", "lina", engine.SendImage, map[string]any{"media_id": "M"}), channel.Permanent)
}

// What will never be said must not keep the stream open.
func TestTheStreamDoesNotWaitForWhatIsLost(t *testing.T) {
	r := botRig(t, 3)
	s := r.sender(t)
	failed(t, s, answers("t-1", strings.Repeat("a", maxStream+1)), channel.Permanent)
	failed(t, s, answers("t-1", strings.Repeat("a", maxStream+1)), channel.Permanent)
	card := answers("t-2", "")
	card.Action = engine.SendCard
	failed(t, s, card, channel.Permanent)
	r.wantPoll(t, "", false)
	sent(t, s, answers("t-3", "the rest"))
	r.wantPoll(t, "the rest", true)

	// A dead letter that is replayed has only the response_url left.
	sent(t, s, answers("t-1", "short now"))
	wantCalls(t, r.fakeCom, "aibot/response", 1)
}

func TestAResponseInDoubt(t *testing.T) {
	r := botRig(t, 1)
	s := r.sender(t)
	r.clock.pass(streamCloses)
	failed(t, hangsUp(r, "aibot/response", s), answers("t-1", "late"), channel.Unsure)
	sentAfterDoubt(t, r.sender(t), answers("t-1", "late"))
	failed(t, s, answers("t-2", "later"), channel.Permanent)
	wantCalls(t, r.fakeCom, "aibot/response", 2)
}

func TestAResponseThatFails(t *testing.T) {
	for _, c := range []struct {
		answer string
		want   channel.Class
		spent  bool
	}{
		{refuses(60140, "RC1 is invalid"), channel.Permanent, true},
		{refuses(-1, "busy"), channel.Transient, false},
		{refuses(40058, "bad card"), channel.Permanent, false},
		{"<html>", channel.Unsure, false},
	} {
		r := botRig(t, 1)
		r.clock.pass(streamCloses)
		r.says("aibot/response", c.answer)
		if e := failed(t, r.sender(t), answers("t-1", "late"), c.want); strings.Contains(e.Note, "RC1") {
			t.Errorf("the note has the response_code: %s", e.Note)
		}
		if spent := r.memory.Recall(r.account.Name, streamID("s1").url()) == ""; spent != c.spent {
			t.Errorf("%s: spent %v", c.answer, spent)
		}
	}
}

// Answers are for the platform alone.
func TestAResponseURLThatLeadsElsewhere(t *testing.T) {
	for _, address := range []string{
		"https://evil.example.com/cgi-bin/aibot/response?response_code=1", "http://qyapi.weixin.qq.com/cgi-bin/aibot/response?response_code=1",
		"https://qyapi.weixin.qq.com/cgi-bin/other?response_code=1", "https://qyapi.weixin.qq.com:8443/cgi-bin/aibot/response",
		"https://u:p@qyapi.weixin.qq.com/cgi-bin/aibot/response", "://", "$base/cgi-bin/message/send",
	} {
		r := botRig(t, 1)
		r.clock.pass(streamCloses)
		r.remember(t, engine.Note{Key: streamID("s1").url(), Value: strings.Replace(address, "$base", r.URL, 1)})
		failed(t, r.sender(t), answers("t-1", "late"), channel.Permanent)
		if len(r.calls) != 0 {
			t.Errorf("posted to %s", address)
		}
	}
	s := &botSender{platform: &platform{base: mustParse(t, "http://relay.example.com/wecom/")}}
	for _, address := range []string{BaseURL + responsePath + "?response_code=1", "http://relay.example.com/wecom/cgi-bin/aibot/response?response_code=1"} {
		if _, err := s.trusted(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestAGrowingTextIsShownAtMostEvery800Milliseconds(t *testing.T) {
	r := botRig(t, 1)
	s := r.sender(t)
	show := func(text string) { s.(channel.Shower).Show(answers("", "").Ticket, text) }
	show("o")
	r.clock.pass(700 * time.Millisecond)
	show("on")
	r.wantPoll(t, "o", false)
	r.clock.pass(100 * time.Millisecond)
	show("one")
	r.wantPoll(t, "one", false)
	r.clock.pass(time.Second)
	show(strings.Repeat("界", 7000))
	if got := r.polls().content; got != strings.Repeat("界", 6826) {
		t.Errorf("%d bytes are shown", len(got))
	}
	sent(t, s, answers("t-1", "one two"))
	r.wantPoll(t, "one two", true)

	s.(channel.Shower).Show(engine.Ticket{Token: "welcome/x"}, "a")
	r.clock.pass(time.Hour)
	show("too late")
	if r.memory.Recall(r.account.Name, streamID("s1").progress()) != "" {
		t.Error("a text is shown after the end")
	}
}

func TestShownStreamsAreForgotten(t *testing.T) {
	var s shown
	now := noon
	for i := range 10_000 {
		now = now.Add(time.Second)
		s.due(streamID(fmt.Sprint(i)), now)
	}
	if n := len(s.at); n > int(streamEnds/time.Second)+2 {
		t.Errorf("%d streams are remembered", n)
	}
}

// forgetful has no disk.
type forgetful struct{ channel.Memory }

func (forgetful) Remember(context.Context, string, ...engine.Note) error {
	return errors.New("disk full")
}

func TestAnAnswerThatCannotBeWrittenIsTriedAgain(t *testing.T) {
	r := botRig(t, 1)
	r.host.Memory = forgetful{r.memory}
	failed(t, r.sender(t), answers("t-1", "a"), channel.Transient)
}

func TestATokenThatCannotBeNotedServesAllTheSame(t *testing.T) {
	r := appRig(t)
	r.host.Memory = forgetful{r.memory}
	s := r.sender(t)
	sent(t, s, says("t-1", "lina", "a"))
	sent(t, s, says("t-2", "lina", "b"))
	if n := r.tokensIssued(); n != 1 {
		t.Errorf("%d tokens were fetched, want 1", n)
	}
}
