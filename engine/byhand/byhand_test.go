package byhand_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"bot/engine"
	"bot/engine/byhand"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func said(conversation, text string) *engine.Event {
	return &engine.Event{Account: "shop", Kind: engine.Message, Conversation: conversation, Text: text, Self: true}
}

func TestEchoesAreNotTyped(t *testing.T) {
	for _, tt := range []struct {
		name  string
		after time.Duration // the send of "您的券" in u1
		event *engine.Event
		typed bool
	}{
		{"the very text, soon", time.Second, said("u1", "您的券"), false},
		{"the very text with spaces", time.Minute, said("u1", " 您的券\n"), false},
		{"the very text, late", 9 * time.Minute, said("u1", "您的券"), false},
		{"the very text, much later", 11 * time.Minute, said("u1", "您的券"), true},
		{"another text, at once", 9 * time.Second, said("u1", "@李雷 您的券"), false},
		{"another text, after a while", 11 * time.Second, said("u1", "我来帮您看看"), true},
		{"the text in another conversation", 11 * time.Second, said("u2", "您的券"), true},
		{"anything in another conversation", time.Second, said("u2", "您好"), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ear := byhand.New(time.Now)
				time.Sleep(time.Minute)
				ear.Sent(&engine.Command{Account: "shop", Conversation: "u1", Text: "您的券"})
				time.Sleep(tt.after)
				if got := ear.Typed(tt.event); got != tt.typed {
					t.Errorf("typed: %v, want %v", got, tt.typed)
				}
			})
		})
	}
}

func TestNothingIsTypedJustAfterTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ear := byhand.New(time.Now)
		time.Sleep(29 * time.Second)
		if ear.Typed(said("u1", "您好")) {
			t.Error("what was sent before the start may echo still")
		}
		time.Sleep(2 * time.Second)
		if !ear.Typed(said("u1", "您好")) {
			t.Error("not typed")
		}
	})
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ear := byhand.New(time.Now)
		time.Sleep(time.Minute)
		again := &engine.Command{Account: "shop", Conversation: "u1", Text: "您的券"}
		ear.Sent(again)
		time.Sleep(time.Millisecond)
		for i := range 1<<14 - 1 {
			ear.Sent(&engine.Command{Account: "shop", Conversation: fmt.Sprint(i), Text: "x"})
		}
		ear.Sent(again) // its first place in the ring is reused; it is not forgotten with it
		time.Sleep(time.Minute)
		if ear.Typed(said("u1", "您的券")) {
			t.Error("the latest send is forgotten")
		}
		for i := range 1 << 14 {
			ear.Sent(&engine.Command{Account: "shop", Conversation: fmt.Sprint("v", i), Text: "x"})
		}
		if !ear.Typed(said("u1", "您的券")) {
			t.Error("an old send is remembered beyond the bound")
		}
	})
}
