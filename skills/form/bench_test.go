package form_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"bot/engine"
)

// counting answers whatever comes with its first eleven characters and waits
// for an answer that never fits: each message reads the state, changes it and
// fills a text in.
const counting = `
[[skill]]
name = "count"
match = "any"
expires = "1h"
too_many = "{{slice .Text 0 11}}"
[[skill.step]]
save = "answer"
ask = "{{slice .Text 0 11}}"
pattern = '^-$'
invalid = "{{slice .Text 0 11}}"
attempts = 100
`

// message is one of 200 bytes, as a load test writes them: its number, then
// Chinese.
func message() *engine.Event {
	return &engine.Event{
		Account: "shop", Kind: engine.Message, ID: "1", Type: "text",
		Conversation: "u1", Sender: "u1", SenderName: "李雷",
		Text:     "00000000042" + strings.Repeat("请问今天的优惠券在哪里领取，谢谢您！", 4)[:189],
		Received: time.Date(2026, 3, 2, 1, 0, 0, 0, time.UTC),
	}
}

// BenchmarkWrongAnswer is one event of a busy form from the router to the
// outcome, on a fresh stack: the engine calls each skill in a goroutine of its
// own.
func BenchmarkWrongAnswer(b *testing.B) {
	set, e := build(b, counting), message()
	state := engine.State{Skill: "count", Node: "answer", Misses: 1, Expires: e.Received.Add(time.Hour), Version: 7}
	account := engine.Account{Name: "shop", Channel: "generic", Location: time.FixedZone("CST", 8*3600)}
	answered := make(chan engine.Outcome)
	handle := func() {
		choice := set.Route(e, state, engine.State{})[0]
		out, err := choice.Skill.Handle(context.Background(), &engine.Turn{
			Event: e, Account: account, State: state, Match: choice.Match, Chance: func() float64 { return 0.5 },
		})
		if err != nil {
			b.Error(err)
		}
		answered <- out
	}
	b.ReportAllocs()
	for b.Loop() {
		go handle()
		if out := <-answered; out.State.Misses != 2 || len(out.Commands) != 1 || out.Commands[0].Text != "00000000042" {
			b.Fatalf("%+v", out)
		}
	}
}
