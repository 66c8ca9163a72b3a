package sandbox

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

var at = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

func TestWhatIsTypedBecomesAnEvent(t *testing.T) {
	for name, c := range map[string]struct {
		line Line
		want engine.Event
	}{
		"in private": {Line{As: "u1", Text: " hi "}, engine.Event{Kind: engine.Message, Type: "text", Conversation: "u1", Text: " hi "}},
		"in a group": {Line{As: "u1", In: "g", Text: "hi"}, engine.Event{Kind: engine.Message, Type: "text", Conversation: "g", Group: true, Text: "hi"}},
		"to the bot": {Line{As: "u1", In: "g", Text: "@bot hi"}, engine.Event{Kind: engine.Message, Type: "text", Conversation: "g", Group: true, Mention: engine.MentionMe, Text: "hi"}},
		"an event":   {Line{As: "u1", Kind: engine.FriendAdded}, engine.Event{Kind: engine.FriendAdded, Conversation: "u1"}},
	} {
		c.line.Account = "demo"
		e, note, err := Event(c.line, "id", at)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := engine.Event{Kind: e.Kind, Type: e.Type, Conversation: e.Conversation, Group: e.Group, Mention: e.Mention, Text: e.Text}
		if got.Key() != c.want.Key() || got.Type != c.want.Type || got.Conversation != c.want.Conversation || got.Group != c.want.Group || got.Mention != c.want.Mention || got.Text != c.want.Text {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
		if e.ID != "id" || e.Account != "demo" || e.Sender != "u1" || !strings.HasPrefix(note.Key, Prefix(e.Conversation)) {
			t.Errorf("%s: %+v, note %q", name, e, note.Key)
		}
	}
}

func TestALineThatSaysNothingOrTooMuchIsRefused(t *testing.T) {
	for name, l := range map[string]Line{
		"nobody": {Text: "hi"}, "nothing": {As: "u1", Text: " "}, "a long name": {As: strings.Repeat("x", 129), Text: "hi"},
		"a long text": {As: "u1", Text: strings.Repeat("x", maxText+1)}, "a long group": {As: "u1", In: strings.Repeat("x", 129), Text: "hi"},
	} {
		if _, _, err := Event(l, "id", at); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
}

// notebook keeps notes in memory.
type notebook struct {
	notes []engine.Note
	err   error
}

func (n *notebook) Recall(string, string) string { return "" }

func (n *notebook) Remember(_ context.Context, _ string, notes ...engine.Note) error {
	n.notes = append(n.notes, notes...)
	return n.err
}

func TestWhatIsSentIsShown(t *testing.T) {
	var n notebook
	s, err := Adapter.Sender(channel.Account{Name: "demo"}, channel.Host{Memory: &n, Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []engine.Command{
		{Conversation: "u/1", Action: engine.SendText, Text: "你好"},
		{Conversation: "u/1", Action: engine.SendImage, Params: map[string]any{"url": "https://example.com/a.png"}},
	} {
		if _, err := s.Send(t.Context(), &c); err != nil {
			t.Fatal(err)
		}
	}
	got := Read(append(n.notes, engine.Note{Value: "no JSON"}))
	if len(got) != 2 || got[0].Text != "你好" || got[0].Who != "" || got[1].Params["url"] != "https://example.com/a.png" || !got[0].Time.Equal(at) {
		t.Errorf("%+v", got)
	}
	if !strings.HasPrefix(n.notes[0].Key, "sandbox/u%2F1/") || !n.notes[0].Expires.Equal(at.Add(Keeps)) {
		t.Errorf("%+v", n.notes[0])
	}
	for _, action := range engine.Actions() {
		if _, can := s.Needs(action); !can {
			t.Errorf("it cannot %s", action)
		}
	}
}

func TestAFailureToKeepItIsTriedAgainAndTooMuchIsNot(t *testing.T) {
	n := notebook{err: errors.New("full")}
	s, err := Adapter.Sender(channel.Account{Name: "demo"}, channel.Host{Memory: &n, Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]channel.Class{"hi": channel.Transient, strings.Repeat("x", 40<<10): channel.Permanent} {
		_, err := s.Send(t.Context(), &engine.Command{Conversation: "u", Action: engine.SendText, Text: text})
		var failure *channel.SendError
		if !errors.As(err, &failure) || failure.Class != want {
			t.Errorf("%d bytes: %v, want %s", len(text), err, want)
		}
	}
}
