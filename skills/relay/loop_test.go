package relay_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/skills/skilltest"
)

// said is a message in one of the rooms.
type said struct{ room, sender, text string }

// bot carries what is said in one room into another as it likes. It hears
// everything there but itself.
type bot struct {
	name, from, to string
	change         func(text string, n int) string
}

// ripple says something in room a and lets our relay and others' bots go on
// until there is quiet, or far too much noise. It returns what we sent.
func ripple(t *testing.T, relay, text string, bots ...bot) (sent []string) {
	t.Helper()
	const tooMuch = 60
	chat := skilltest.NewChat(t, build(t, "[[skill]]\nname = \"r\"\nin = [\"a\"]\nmatch = \"any\"\nrelay = "+relay))
	unheard := []said{{"a", "u1", text}}
	for n := 0; len(unheard) > 0; n++ {
		if n > tooMuch {
			t.Fatalf("it goes on and on: %.300q", sent)
		}
		next := unheard[0]
		unheard = unheard[1:]
		for _, b := range bots {
			if next.room == b.from && next.sender != b.name {
				unheard = append(unheard, said{b.to, b.name, b.change(next.text, n)})
			}
		}
		chat.Group, chat.User = next.room, next.sender
		for _, c := range chat.Do(chat.Message(next.text)) {
			sent = append(sent, c.Text)
			unheard = append(unheard, said{c.Conversation, "self-of-shop", c.Text})
		}
		chat.Now = chat.Now.Add(time.Second)
	}
	return sent
}

// whose is the prefix of our relay, which a bot may take off.
var whose = regexp.MustCompile(`^name of [^：]*：`)

func TestLoopsThroughOthersBotsEnd(t *testing.T) {
	same := func(text string, _ int) string { return text }
	for _, tt := range []struct {
		name, relay string
		bots        []bot
		most        int // that we send because of one message
	}{
		{"without any", `{to = ["b"]}`, nil, 1},
		{"a bot that brings the text back", `{to = ["b"]}`, []bot{{"x", "b", "a", same}}, 2},
		{"with words of its own", `{to = ["b"]}`, []bot{{"x", "b", "a", func(s string, _ int) string { return "【转】" + s + "（完）" }}}, 2},
		{"where the prefix is the same for everybody", `{to = ["b"], prefix = "[一群] "}`, []bot{{"x", "b", "a", same}}, 1},
		{"without our prefix", `{to = ["b"]}`, []bot{{"x", "b", "a", func(s string, _ int) string { return whose.ReplaceAllString(s, "") }}}, 4},
		{"where there is no prefix", `{to = ["b"], prefix = ""}`, []bot{{"x", "b", "a", same}}, 4},
		{"where the prefix is a mere colon", `{to = ["b"], prefix = "："}`, []bot{{"x", "b", "a", func(s string, _ int) string { return strings.TrimPrefix(s, "：") }}}, 4},
		{"several bots at once", `{to = ["b"]}`, []bot{{"x", "b", "a", same}, {"y", "b", "a", same}}, 5},
		{"a number that counts up", `{to = ["b"]}`, []bot{{"x", "b", "a", func(s string, n int) string { return fmt.Sprint(n, " ", s) }}}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if sent := ripple(t, tt.relay, "好的", tt.bots...); len(sent) == 0 || len(sent) > tt.most {
				t.Errorf("sent %d: %q, want at most %d", len(sent), sent, tt.most)
			}
		})
	}
}

func TestALongTextEndsToo(t *testing.T) {
	long := strings.Repeat("一二三四五六七八九。", 200) // three parts
	same := func(text string, _ int) string { return text }
	// The prefix makes a part too long by itself, so that its tail is a text anew.
	if sent := ripple(t, `{to = ["b"]}`, long, bot{"x", "b", "a", same}); len(sent) > 10 {
		t.Errorf("sent %d", len(sent))
	}
}

func TestOurOwnAccountsAreNeverRelayed(t *testing.T) {
	set := build(t, pair)
	chat := skilltest.NewChat(t, set)
	chat.Group = "a"
	own := chat.Message("你好")
	own.Self = true
	if got := chat.Do(own); len(got) > 0 {
		t.Errorf("our own message: %q", skilltest.Texts(got))
	}
	chat.User = "self-of-quiet"
	if got := chat.Say("name of u1：你好"); slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "→") }) {
		t.Errorf("another account's message: %q", got)
	}
}

// A room has one id for all accounts that are in it.
func TestNothingGoesBackIntoItsRoomByAnotherAccount(t *testing.T) {
	chat := skilltest.NewChat(t, build(t, "[[skill]]\nname = \"r\"\nmatch = \"any\"\nrelay = {to = [\"a\"], account = \"quiet\"}"))
	chat.Group = "a"
	if got := chat.Say("你好"); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}

func TestTheSameWordsOfDifferentPeopleAreAllRelayed(t *testing.T) {
	set := build(t, "[[skill]]\nname = \"r\"\nmatch = \"any\"\nrelay = {to = [\"b\"], prefix = \"\"}")
	skilltest.Try(t, "whoever says it", set, `
		in    a
		user  好的
		bot   → b: 好的
		as    u2
		user  好的
		bot   → b: 好的
		as    u3
		user  好的
		bot   → b: 好的
		as    u4
		user  好的
		bot   → b: 好的
		as    u5
		user  好的
		bot   → b: 好的`)
	skilltest.Try(t, "one of them a few times over, then quietly no more", set, `
		in    a
		user  收到
		bot   → b: 收到
		user  收到
		bot   → b: 收到
		user  收到
		bot   → b: 收到
		user  收到
		user  收到！
		bot   → b: 收到！
		in    c
		user  收到
		bot   → b: 收到`)
}

func TestARepeatIsFreeAgainAfterTenMinutes(t *testing.T) {
	set := build(t, "[[skill]]\nname = \"r\"\nmatch = \"any\"\nrelay = {to = [\"b\"]}")
	chat := skilltest.NewChat(t, set)
	chat.Group = "a"
	e := chat.Message("收到")
	out, err := set.Rules(e)[0].Skill.Handle(t.Context(), &engine.Turn{Event: e})
	if err != nil || len(out.Once) != 1 || out.Once[0].Keep != 10*time.Minute {
		t.Errorf("once %v, %v", out.Once, err)
	}
}

func TestPicturesThatComeBackEnd(t *testing.T) {
	set := build(t, "[[skill]]\nname = \"r\"\nmatch = \"any\"\nrelay = {to = [\"b\"], prefix = \"\"}")
	chat := skilltest.NewChat(t, set)
	chat.Group, chat.User = "a", "x"
	sent := 0
	for i := range 10 { // brought back each time under another address
		e := chat.Message("")
		e.Type = "image"
		e.Media = []engine.Media{{Kind: "image", URL: fmt.Sprint("https://example.com/", i), Size: 4711}}
		sent += len(chat.Do(e))
	}
	if sent != 3 {
		t.Errorf("sent %d", sent)
	}
	for range 5 { // what has neither address nor size cannot be told apart, and is only a word
		e := chat.Message("")
		e.Type, e.Media = "image", []engine.Media{{Kind: "image"}}
		if got := chat.Do(e); len(got) != 1 {
			t.Errorf("got %q", skilltest.Texts(got))
		}
	}
}
