package talk

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/trace"
)

// at is a step some seconds after nine.
func at(seconds int, step, task, note string) trace.Step {
	return trace.Step{Time: nine.Add(time.Duration(seconds) * time.Second), Step: step, Account: "shop", TaskID: task, Note: note}
}

func entry(event string, steps ...trace.Step) trace.Entry {
	return trace.Entry{Account: "shop", Conversation: "u1", Event: event, Steps: steps}
}

// told is how lines read.
func told(lines []Line) (all []string) {
	for _, l := range lines {
		lost := ""
		if l.Lost {
			lost = "?"
		}
		all = append(all, fmt.Sprintf("%s %s%s%s [%s] %s", l.Side, l.What, l.Text, lost, l.Step, l.Note))
	}
	return all
}

func TestATimelineReadsLikeAChat(t *testing.T) {
	text := heard("shop", "u1", "Bob", "领券", nine)
	picture := heard("shop", "u1", "Bob", "", nine)
	picture.Type, picture.Media = "image", []engine.Media{{Kind: "image", Name: "菜单.png"}}
	byHand := heard("shop", "u1", "", "稍等", nine)
	byHand.Self = true
	for _, c := range []struct {
		name             string
		entries          []trace.Entry
		handled, waiting []*engine.Event
		want             []string
	}{
		{
			"a text, the rule and the answer",
			[]trace.Entry{
				entry("m", at(0, trace.Received, "", "message"), at(0, trace.Queued, "", "")),
				entry("m", at(1, trace.Handled, "", "keyword 领券"), at(1, trace.Command, "t-0", "send_text: your: coupon")),
				{Account: "shop", Conversation: "u1", Task: "t-0", Steps: []trace.Step{at(2, trace.Attempt, "t-0", "attempt 1"), at(2, trace.Sent, "t-0", "")}},
			},
			[]*engine.Event{text}, nil,
			[]string{"in 领券 [] ", "aside  [handled] keyword 领券", "out your: coupon [sent] "},
		},
		{
			"words that are not kept any more",
			[]trace.Entry{entry("m", at(0, trace.Received, "", "message")), entry("f", at(1, trace.Received, "", "friend_added"))}, nil, nil,
			[]string{"in ? [] ", "in friend_added [] "},
		},
		{
			"why nothing was said",
			[]trace.Entry{entry("m", at(0, trace.Received, "", "message")), entry("m", at(1, trace.NoReply, "", "no skill answers"))},
			[]*engine.Event{text}, nil,
			[]string{"in 领券 [] ", "aside  [no_reply] no skill answers"},
		},
		{
			"one that was not let in, and a copy of another",
			[]trace.Entry{
				entry("m", at(0, trace.Received, "", "message"), at(0, trace.Refused, "", "blocked: by hand")),
				entry("d", at(1, trace.Received, "", "message"), at(1, trace.Duplicate, "", "")),
			}, nil, nil,
			[]string{"in ? [] ", "aside  [refused] blocked: by hand", "in ? [] "},
		},
		{"a message that waits", nil, nil, []*engine.Event{text}, []string{"in 领券 [queued] "}},
		{
			"one that was handled while it was looked for",
			[]trace.Entry{entry("m", at(1, trace.Handled, "", "keyword 领券"))}, nil, []*engine.Event{text},
			[]string{"in 领券 [] ", "aside  [handled] keyword 领券"},
		},
		{"a picture", nil, []*engine.Event{picture}, nil, []string{"in image菜单.png [] "}},
		{"an answer by hand", nil, []*engine.Event{byHand}, nil, []string{"out 稍等 [] "}},
		{
			"an answer that failed, was tried again and given up",
			[]trace.Entry{
				entry("m", at(1, trace.Command, "t-0", "send_image")),
				{Account: "shop", Conversation: "u1", Steps: []trace.Step{at(2, trace.Retry, "t-0", "status 500")}},
				{Account: "shop", Conversation: "u1", Steps: []trace.Step{at(3, trace.Dead, "t-0", "status 400")}},
			}, nil, nil,
			[]string{"out send_image [dead] status 400"},
		},
		{
			"what is known of an answer from its end alone",
			[]trace.Entry{{Account: "shop", Conversation: "u1", Steps: []trace.Step{at(2, trace.Sent, "t-0", "")}}}, nil, nil,
			[]string{"out ? [sent] "},
		},
		{
			"what another account says of it",
			[]trace.Entry{entry("m", trace.Step{Time: nine, Step: trace.Command, Account: "staff", TaskID: "t-0", Note: "send_text: help"})}, nil, nil,
			nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := told(Timeline(c.entries, c.handled, c.waiting, 100)); !slices.Equal(got, c.want) {
				t.Errorf("\ngot  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestATimelineEndsWithTheLast(t *testing.T) {
	var entries []trace.Entry
	for i := range 20 {
		entries = append(entries, entry(fmt.Sprint("m", i), at(i, trace.Received, "", "pat")))
	}
	if lines := Timeline(entries, nil, nil, 5); len(lines) != 5 || lines[4].ID != "m19" {
		t.Errorf("%+v", lines)
	}
}
