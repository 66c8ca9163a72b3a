package app

import (
	"slices"
	"testing"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/egress"
	"bot/engine/wordfilter"
)

// screen is a sender that shows what is still being written.
type screen struct {
	channel.Sender
	shown []string
}

func (s *screen) Show(_ engine.Ticket, text string) { s.shown = append(s.shown, text) }

func planWith(t *testing.T, sender channel.Sender, words ...wordfilter.Word) *Plan {
	t.Helper()
	f, problems := wordfilter.New(wordfilter.Options{Words: words, Mask: '*'})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return &Plan{senders: map[string]egress.Account{"shop": {Sender: sender}}, words: f}
}

func TestWhatGrowsIsShownInTheWordsInWhichItWillBeSent(t *testing.T) {
	s, a := &screen{}, &App{egress: egress.New(egress.Options{})}
	a.live.Store(planWith(t, s, wordfilter.Word{Text: "微信", Action: wordfilter.Replace}, wordfilter.Word{Text: "赌博", Action: wordfilter.Refuse}))
	e := &engine.Event{Account: "shop", Ticket: engine.Ticket{Token: "t"}}
	for _, text := range []string{"加", "加微", "加微信", "加微信赌", "加微信赌博", "加微信赌博了"} {
		a.show(e, text)
	}
	if want := []string{"加", "加微", "加**", "加**赌"}; !slices.Equal(s.shown, want) {
		t.Errorf("shown %q, want %q", s.shown, want)
	}
	s.shown = nil
	a.egress.Hold("shop", "paused", "by hand")
	if a.show(e, "加"); s.shown != nil {
		t.Errorf("shown %q although nothing is to leave", s.shown)
	}
}

func TestWhatWasFoundIsToldByItsPlace(t *testing.T) {
	var words []wordfilter.Word
	for i, w := range []string{"一一", "二二", "三三", "四四", "五五", "六六", "七七"} {
		words = append(words, wordfilter.Word{Text: w, Action: wordfilter.Replace, Place: wordfilter.Place{File: "w.txt", Line: i + 1}})
	}
	words[6].Action = wordfilter.Alert
	p := planWith(t, nil, words...)
	for text, want := range map[string]egress.Vetted{
		"零":            {},
		"一一好一一 七七":     {Found: "replace 2 (w.txt:1), alert 1 (w.txt:7)", Actions: []string{"replace", "alert"}, Alert: true},
		"六六五五四四三三二二一一": {Found: "replace 6 (w.txt:6, w.txt:5, w.txt:4, w.txt:3, w.txt:2, …)", Actions: []string{"replace"}},
	} {
		got := p.Vet(&engine.Command{Action: engine.SendLink, Params: map[string]any{"title": text}})
		if got.Found != want.Found || !slices.Equal(got.Actions, want.Actions) || got.Alert != want.Alert || got.Refused != "" {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}
