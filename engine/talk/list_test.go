package talk

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"bot/engine"
)

var nine = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

func heard(account, conversation, name, text string, at time.Time) *engine.Event {
	return &engine.Event{
		Account: account, Kind: engine.Message, Type: "text", ID: "m", Conversation: conversation, Sender: conversation,
		SenderName: name, Text: text, Received: at,
	}
}

// names are the conversations found, in their order.
func names(l *List, account, search string) string {
	rows, _ := l.Find(account, search, 0, 100)
	var all []string
	for _, r := range rows {
		all = append(all, r.Account+"/"+r.Conversation)
	}
	return strings.Join(all, " ")
}

func TestTheLatelyActiveStandFirst(t *testing.T) {
	var l List
	l.Heard(heard("shop", "u1", "王芳", "hi", nine))
	l.Heard(heard("shop", "u2", "Bob", "hi", nine.Add(time.Second)))
	l.Heard(heard("kf", "u1", "", "hi", nine.Add(2*time.Second)))
	l.Said(&engine.Command{Account: "shop", Conversation: "u1", Action: engine.SendText, Text: "hello"}, nine.Add(time.Minute))
	for _, c := range []struct{ what, account, search, want string }{
		{"all", "", "", "shop/u1 kf/u1 shop/u2"},
		{"of one account", "shop", "", "shop/u1 shop/u2"},
		{"by an id", "", "U2", "shop/u2"},
		{"by a name, which an answer does not forget", "", "王", "shop/u1"},
		{"by nothing that is there", "", "x", ""},
	} {
		if got := names(&l, c.account, c.search); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	rows, more := l.Find("", "", 1, 1)
	if len(rows) != 1 || rows[0].Account != "kf" || !more {
		t.Errorf("the second page is %+v, more %v", rows, more)
	}
	if rows, more := l.Find("", "", 99, 1); len(rows) != 0 || more {
		t.Errorf("beyond the last: %+v, more %v", rows, more)
	}
	if rows, _ := l.Find("", "王", 0, 1); !rows[0].Out || rows[0].Text != "hello" || !rows[0].Time.Equal(nine.Add(time.Minute)) {
		t.Errorf("the answer is shown as %+v", rows[0])
	}
}

func TestWhatIsNoConversationIsNotListed(t *testing.T) {
	var l List
	for _, k := range []engine.Kind{engine.Offline, engine.Confirmed, engine.Due, engine.Unknown, engine.Expired} {
		e := heard("shop", "u1", "", "", nine)
		e.Kind = k
		l.Heard(e)
	}
	l.Heard(heard("shop", "", "", "hi", nine))
	l.Said(&engine.Command{Account: "shop", Action: engine.CreateGroup}, nine)
	if got := names(&l, "", ""); got != "" {
		t.Errorf("lists %q", got)
	}
}

func TestTheListIsBounded(t *testing.T) {
	var l List
	for i := range maxListed + 10 {
		l.Heard(heard("shop", fmt.Sprint("u", i), "", "hi", nine.Add(time.Duration(i)*time.Second)))
	}
	l.Seen(engine.ConversationKey{Account: "shop", Conversation: "late"}, nine.Add(-time.Hour))
	if rows, more := l.Find("", "", 0, 2*maxListed); len(rows) != maxListed || more || rows[0].Conversation != fmt.Sprint("u", maxListed+9) {
		t.Errorf("%d rows, more %v", len(rows), more)
	}
	if got := names(&l, "", "late"); got != "" || !l.Active(engine.ConversationKey{Account: "shop", Conversation: "u1"}).IsZero() {
		t.Errorf("an older one took the place of a newer: %q", got)
	}
}

func TestWhatIsFoundInTheTraceChangesNothingThatIsKnown(t *testing.T) {
	var l List
	l.Heard(heard("shop", "u1", "Bob", "hi", nine))
	l.Seen(engine.ConversationKey{Account: "shop", Conversation: "u1"}, nine.Add(-time.Minute))
	l.Seen(engine.ConversationKey{Account: "shop", Conversation: "u2"}, nine.Add(-time.Minute))
	rows, _ := l.Find("", "", 0, 10)
	if len(rows) != 2 || rows[0].Text != "hi" || rows[1].Conversation != "u2" {
		t.Errorf("%+v", rows)
	}
}

func TestALongTextIsCutOnACharacter(t *testing.T) {
	var l List
	l.Heard(heard("shop", "u1", "", strings.Repeat("长", 500), nine))
	rows, _ := l.Find("", "", 0, 1)
	if text := rows[0].Text; len(text) > maxText || !utf8.ValidString(text) || !strings.HasSuffix(text, "长…") {
		t.Errorf("kept %q", text)
	}
}

func BenchmarkHeard(b *testing.B) {
	var l List
	events := make([]*engine.Event, 1000)
	for i := range events {
		events[i] = heard("shop", fmt.Sprint("u", i), "Bob", "hello there", nine)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		l.Heard(events[i%len(events)])
		i++
	}
}
