package turn_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/turn"
	"bot/store"
)

func TestUnaddressed(t *testing.T) {
	names := []string{"小助手", "Bot"}
	for text, want := range map[string]string{
		"@小助手\u2005今天几点开会":       "今天几点开会",
		"@小助手，今天":                "今天",
		"@群里的名字\u2005@小助手 今天":    "今天",
		"@小助手 今天":                "今天",
		"＠小助手 今天":                "今天",
		"@小助手":                   "",
		"  @小助手\u2005 今天  ":      "今天",
		"@小助手\u2005@Bot\u2005今天": "今天",
		"今天 @小助手":                "今天",
		"@群里的名字\u2005今天":         "今天", // clients close whatever name they show
		"@Helper Bot 2\u2005hi":  "hi",
		"@小助手们 今天":               "@小助手们 今天",
		"问一下@小助手怎么走":             "问一下@小助手怎么走",
		"a@example.com":          "a@example.com",
		"@某人 今天":                 "@某人 今天",
		"@一行\n两行\u2005今天":        "@一行\n两行\u2005今天",
		"":                       "",
		"@":                      "@",
	} {
		if got := turn.Unaddressed(text, names); got != want {
			t.Errorf("%q reads %q, want %q", text, got, want)
		}
	}
}

// learn plays an event on an account and returns what a skill saw of it and
// what was committed.
func learn(t *testing.T, account engine.Account, notes map[string]string, e engine.Event) (seen engine.Event, c store.Commit, r turn.Report) {
	t.Helper()
	m := &memory{notes: notes}
	o := options(m, router{rules: []engine.Choice{{Skill: skill{name: "s", handle: func(_ context.Context, tn *engine.Turn) (engine.Outcome, error) {
		seen = *tn.Event
		return engine.Outcome{Commands: []engine.Command{{Action: engine.SendText, Text: "x"}}}, nil
	}}, Stop: true}}})
	account.Name = "shop"
	o.Setup.Accounts = map[string]engine.Account{"shop": account}
	e.Account, e.Received = "shop", received
	r, err := turn.Play(t.Context(), o, store.Entry{Seq: 1, Event: &e})
	if err != nil {
		t.Fatal(err)
	}
	return seen, m.commits[0], r
}

func TestASkillReadsAGroupMessageWithoutItsMention(t *testing.T) {
	logged := engine.Event{Kind: engine.Message, ID: "m", Group: true, Conversation: "g", Sender: "u", Mention: engine.MentionMe, Text: "@小助手 你好"}
	seen, _, _ := learn(t, engine.Account{Names: []string{"小助手"}}, nil, logged)
	if seen.Text != "你好" || logged.Text != "@小助手 你好" {
		t.Errorf("seen %q, logged %q", seen.Text, logged.Text)
	}
	logged.Mention = engine.MentionNone
	if seen, _, _ = learn(t, engine.Account{Names: []string{"小助手"}}, nil, logged); seen.Text != logged.Text {
		t.Errorf("a text that mentions nobody reads %q", seen.Text)
	}
}

func TestAMentionOfEverybodyIsOneOfTheBotWhereTheAccountSaysSo(t *testing.T) {
	all := engine.Event{Kind: engine.Message, ID: "m", Group: true, Conversation: "g", Sender: "u", Mention: engine.MentionAll, Text: "@所有人\u2005放假"}
	if seen, _, _ := learn(t, engine.Account{}, nil, all); seen.Mention != engine.MentionAll {
		t.Errorf("it counts as %q", seen.Mention)
	}
	if seen, _, _ := learn(t, engine.Account{MentionAll: true}, nil, all); seen.Mention != engine.MentionMe || seen.Text != "放假" {
		t.Errorf("it counts as %q and reads %q", seen.Mention, seen.Text)
	}
}

func TestAContactNoticeIsReadByWhatIsKnown(t *testing.T) {
	notice := engine.Event{Kind: engine.FriendAdded, IfKnown: engine.ContactChanged, ID: "n", Conversation: "u", Sender: "u"}
	meets := engine.Account{Meets: true}
	seen, c, _ := learn(t, meets, nil, notice)
	if seen.Kind != engine.FriendAdded || len(c.Learned) != 1 || c.Learned[0] != (engine.Note{Key: "known/u", Value: "1"}) {
		t.Errorf("a stranger's is %q and teaches %v", seen.Kind, c.Learned)
	}
	seen, c, r := learn(t, meets, map[string]string{"shop known/u": "1"}, notice)
	if seen.Kind != engine.ContactChanged || len(c.Learned) != 0 || r.Kind != seen.Kind {
		t.Errorf("an acquaintance's is %q, reported as %q, and teaches %v", seen.Kind, r.Kind, c.Learned)
	}
	_, c, _ = learn(t, meets, map[string]string{"shop known/u": "1"}, engine.Event{Kind: engine.FriendLost, ID: "l", Conversation: "u", Sender: "u"})
	if len(c.Learned) != 1 || c.Learned[0] != (engine.Note{Key: "known/u"}) {
		t.Errorf("a friend lost teaches %v", c.Learned)
	}
	_, c, _ = learn(t, engine.Account{}, nil, engine.Event{Kind: engine.Message, ID: "m", Conversation: "u", Sender: "u"})
	if len(c.Learned) != 0 {
		t.Errorf("where nobody asks, %v is learned", c.Learned)
	}
}

func TestWhatAnEventTeachesIsCommittedWithIt(t *testing.T) {
	e := engine.Event{Kind: engine.Message, ID: "m", Conversation: "u", Sender: "u", Tally: "stream/1/replies",
		Learned: []engine.Note{{Key: "w_id", Value: "w2"}}}
	_, c, _ := learn(t, engine.Account{}, nil, e)
	if len(c.Learned) != 2 || c.Learned[0].Value != "w2" || c.Learned[1].Key != "stream/1/replies" || c.Learned[1].Value != "1" ||
		!c.Learned[1].Expires.After(received) {
		t.Errorf("learned %+v", c.Learned)
	}
	if len(e.Learned) != 1 {
		t.Error("the event itself was changed")
	}
}

func TestTheAccountsPresenceIsRemembered(t *testing.T) {
	_, c, r := learn(t, engine.Account{}, nil, engine.Event{Kind: engine.Offline, ID: "o", Conversation: "o", Text: "kicked"})
	if r.Presence != engine.Offline || len(c.Learned) != 1 || c.Learned[0].Key != turn.OfflineKey || said(c.Learned[0].Value) != "kicked" {
		t.Errorf("offline: %q, %v", r.Presence, c.Learned)
	}
	_, c, r = learn(t, engine.Account{}, nil, engine.Event{Kind: engine.Online, ID: "o", Conversation: "o"})
	if r.Presence != engine.Online || len(c.Learned) != 1 || c.Learned[0] != (engine.Note{Key: turn.OfflineKey}) {
		t.Errorf("online: %q, %v", r.Presence, c.Learned)
	}
}

func TestProgressIsShownAtTheEvent(t *testing.T) {
	m := &memory{}
	o := options(m, router{rules: []engine.Choice{{Skill: skill{name: "s", handle: func(_ context.Context, tn *engine.Turn) (engine.Outcome, error) {
		tn.Progress("thinking")
		return engine.Outcome{}, nil
	}}}}})
	var shown []string
	o.Show = func(e *engine.Event, text string) { shown = append(shown, e.Ticket.Token+" "+text) }
	if _, err := turn.Play(t.Context(), o, store.Entry{Seq: 1, Event: message()}); err != nil || len(shown) != 1 || shown[0] != "tok thinking" {
		t.Errorf("shown %q, %v", shown, err)
	}
}

func TestAFactIsSeenOnceHoweverOftenItIsTold(t *testing.T) {
	e := engine.Event{Kind: engine.FriendAdded, ID: "text", Conversation: "u", Sender: "u", Fact: "friend/u"}
	seen, c, _ := learn(t, engine.Account{}, nil, e)
	if seen.ID == "" || len(c.Learned) != 1 || c.Learned[0].Key != "fact/friend/u" || !c.Learned[0].Expires.After(received.Add(time.Hour)) {
		t.Errorf("the first time: seen %+v, learned %+v", seen, c.Learned)
	}
	seen, c, r := learn(t, engine.Account{}, map[string]string{"shop fact/friend/u": "1"}, e)
	if seen.ID != "" || len(c.Commands) != 0 || len(c.Learned) != 0 || r.Outcome != turn.Void {
		t.Errorf("the second time: seen %+v, %d commands, learned %+v, %s", seen, len(c.Commands), c.Learned, r.Outcome)
	}
	e.IfKnown = engine.ContactChanged // a notice that says no more than that something changed
	seen, c, _ = learn(t, engine.Account{}, map[string]string{"shop fact/friend/u": "1", "shop known/u": "1"}, e)
	if seen.Kind != engine.ContactChanged || len(c.Commands) != 1 {
		t.Errorf("a change of a known contact: seen %+v", seen)
	}
}

func TestALongIdMakesANoteThatCanBeKept(t *testing.T) {
	long := strings.Repeat("x", 512)
	_, c, _ := learn(t, engine.Account{Meets: true}, nil, engine.Event{Kind: engine.FriendAdded, ID: "a", Conversation: long, Sender: long, Fact: "friend/" + long})
	if len(c.Learned) != 2 {
		t.Fatalf("learned %v", c.Learned)
	}
	for _, n := range c.Learned {
		if err := store.CheckNote(n); err != nil {
			t.Error(err)
		}
	}
	if turn.KnownKey(long) == turn.KnownKey(long+"y") {
		t.Error("two conversations share a note")
	}
}

func said(note string) string {
	_, why := turn.OfflineNote(note)
	return why
}

// Platforms tell old things again: who came back before they went has not come back.
func TestAReturnFromBeforeTheDepartureIsNone(t *testing.T) {
	_, c, _ := learn(t, engine.Account{}, nil, engine.Event{Kind: engine.Offline, ID: "o", Conversation: "o", Text: "kicked", Time: received})
	notes := map[string]string{"shop " + turn.OfflineKey: c.Learned[0].Value}
	for offset, want := range map[time.Duration]engine.Kind{-time.Hour: "", 0: engine.Online, time.Minute: engine.Online} {
		_, _, r := learn(t, engine.Account{}, notes, engine.Event{Kind: engine.Online, ID: "i", Conversation: "i", Time: received.Add(offset)})
		if r.Presence != want {
			t.Errorf("%v later: %q, want %q", offset, r.Presence, want)
		}
	}
}

func TestWhoIsAddedAgainAfterPartingIsWelcomedAgain(t *testing.T) {
	gone := engine.Event{Kind: engine.FriendLost, ID: "l", Conversation: "u", Sender: "u", Fact: "friend/u"}
	_, c, _ := learn(t, engine.Account{}, map[string]string{"shop fact/friend/u": "1"}, gone)
	if len(c.Learned) != 1 || c.Learned[0] != (engine.Note{Key: "fact/friend/u"}) {
		t.Errorf("parting leaves %+v", c.Learned)
	}
}

func TestANoteSaysWhatANoticeMeans(t *testing.T) {
	notice := engine.Event{Kind: engine.ContactChanged, IfNoted: "applied/u", NotedAs: engine.FriendAdded, ID: "n", Conversation: "u", Sender: "u"}
	if seen, _, _ := learn(t, engine.Account{}, nil, notice); seen.Kind != engine.ContactChanged {
		t.Errorf("without the note it is %q", seen.Kind)
	}
	known := map[string]string{"shop applied/u": "1", "shop known/u": "1"} // known, having written before the notice came
	if seen, _, _ := learn(t, engine.Account{Meets: true}, known, notice); seen.Kind != engine.FriendAdded {
		t.Errorf("with the note it is %q", seen.Kind)
	}
}

func TestAGroupIsMetByItsNoticeAndNotByAMessage(t *testing.T) {
	meets := engine.Account{Meets: true}
	_, c, _ := learn(t, meets, nil, engine.Event{Kind: engine.Message, ID: "m", Group: true, Conversation: "g", Sender: "u"})
	if len(c.Learned) != 0 {
		t.Errorf("a message teaches %+v", c.Learned)
	}
	_, c, _ = learn(t, meets, nil, engine.Event{Kind: engine.GroupCreated, IfKnown: engine.GroupChanged, ID: "n", Group: true, Conversation: "g"})
	if len(c.Learned) != 1 || c.Learned[0].Key != "known/g" {
		t.Errorf("its notice teaches %+v", c.Learned)
	}
}

// What the platform takes no answer to is handled all the same, and does not
// use the fact up for the event that can be answered.
func TestNothingIsSaidWhereNothingCanBe(t *testing.T) {
	mute := engine.Event{Kind: engine.FriendAdded, ID: "m", Conversation: "u", Sender: "u", Fact: "friend/u", Mute: "no welcome code"}
	seen, c, r := learn(t, engine.Account{}, nil, mute)
	if seen.ID == "" || len(c.Commands) != 0 || len(c.Learned) != 0 || !strings.Contains(r.Note, "no welcome code") {
		t.Errorf("seen %q, commands %+v, learned %+v, note %q", seen.ID, c.Commands, c.Learned, r.Note)
	}
}

func TestAMentionByANameThatNobodyConfiguredIsTakenOffToo(t *testing.T) {
	for text, want := range map[string]string{
		"@群昵称 今天":       "今天",
		"@小李 问 @群昵称 今天": "@小李 问 @群昵称 今天", // who is meant by which cannot be told
		"@群昵称":          "@群昵称",
		"今天 @群昵称":       "今天 @群昵称",
	} {
		e := engine.Event{Kind: engine.Message, ID: "m", Group: true, Conversation: "g", Sender: "u", Mention: engine.MentionMe, Text: text}
		if seen, _, _ := learn(t, engine.Account{Names: []string{"小助手"}}, nil, e); seen.Text != want {
			t.Errorf("%q reads %q, want %q", text, seen.Text, want)
		}
	}
}
