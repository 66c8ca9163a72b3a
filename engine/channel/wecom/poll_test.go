package wecom

import (
	"fmt"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel/channeltest"
)

func TestPolls(t *testing.T) {
	const id = streamID("4bd3d8b3a0b0bb4f5c4a0d4b7c0b1c1e")
	began := engine.Note{Key: id.began(), Value: "1767225600"}
	replies := func(n string) engine.Note { return engine.Note{Key: id.replies(), Value: n} }
	content := func(s string, n int) engine.Note {
		return engine.Note{Key: id.said(), Value: fmt.Sprintf(`{"content":%q,"sent":%d}`, s, n)}
	}
	progress := engine.Note{Key: id.progress(), Value: "思考中…"}
	tests := []struct {
		name    string
		notes   []engine.Note
		after   time.Duration
		content string
		finish  bool
	}{
		{"not handled yet", nil, time.Second, "", false},
		{"being handled", []engine.Note{began}, time.Second, "", false},
		{"nobody answers", []engine.Note{began, replies("0")}, time.Second, "", true},
		{"an answer is on its way", []engine.Note{began, replies("1")}, time.Second, "", false},
		{"an answer grows", []engine.Note{began, progress}, time.Second, "思考中…", false},
		{"one of two answers", []engine.Note{began, replies("2"), content("一", 1), progress}, time.Second, "一", false},
		{"both answers", []engine.Note{began, replies("2"), content("一\n二", 2), progress}, time.Second, "一\n二", true},
		{"answered before its number is known", []engine.Note{content("一", 1)}, time.Second, "一", false},
		{"nearly too late", []engine.Note{began, replies("1")}, 5*time.Minute + 29*time.Second, "", false},
		{"too late", []engine.Note{began, replies("1")}, 5*time.Minute + 30*time.Second, stillWorking, true},
		{"too late for the second", []engine.Note{began, replies("2"), content("一", 1)}, 5*time.Minute + 30*time.Second, "一", true},
		{"too late for what grows", []engine.Note{began, progress}, 5*time.Minute + 30*time.Second, "思考中…", true},
		{"an unreadable note", []engine.Note{began, {Key: id.said(), Value: "{"}}, time.Second, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			now := noon.Add(tt.after)
			m := &channeltest.Memory{Now: func() time.Time { return now }}
			if err := m.Remember(t.Context(), "helper", tt.notes...); err != nil {
				t.Fatal(err)
			}
			poll := fmt.Sprintf(`{"msgid":"M","from":{"userid":"lina"},"msgtype":"stream","stream":{"id":%q}}`, id)
			receipt, refusal := receive(t, makeReceiver(t, m, botAccount), callback(t, botAccount, poll, now))
			if refusal != nil || len(receipt.Events) > 0 || len(receipt.Doorbells) > 0 {
				t.Fatalf("got %+v, %v: polls are no events", receipt, refusal)
			}
			got := openAnswer(t, botAccount, receipt.Answer).Stream
			if got.ID != string(id) || got.Content != tt.content || got.Finish != tt.finish {
				t.Errorf("got %+v, want %q, finish %v", got, tt.content, tt.finish)
			}
		})
	}
}

// A stream of which nothing is known may be one whose message waits to be
// handled: it is kept open for as long as the platform asks, and no longer.
func TestUnknownStreams(t *testing.T) {
	r := makeReceiver(t, nil, botAccount)
	for _, tt := range []struct {
		after  time.Duration
		id     streamID
		finish bool
	}{
		{0, "a", false},
		{5 * time.Minute, "b", false},
		{6*time.Minute - time.Second, "a", false},
		{6 * time.Minute, "a", true},
		{6 * time.Minute, "b", false},
		{11 * time.Minute, "b", true},
	} {
		if got := r.look("helper", tt.id, noon.Add(tt.after)); got.finish != tt.finish || got.content != "" {
			t.Errorf("%s after %v: got %+v, want finish %v", tt.id, tt.after, got, tt.finish)
		}
	}
}

func TestWaitingIsBounded(t *testing.T) {
	w := newWaiting()
	for i := range 5 * maxWaiting {
		w.since(streamID(fmt.Sprint(i)), noon)
	}
	if n := len(w.young) + len(w.old); n > 2*maxWaiting {
		t.Errorf("%d streams in memory", n)
	}
	if w.since(streamID(fmt.Sprint(5*maxWaiting-1)), noon.Add(time.Minute)) != time.Minute {
		t.Error("the newest was forgotten")
	}
	w.since("later", noon.Add(time.Hour))
	w.since("last", noon.Add(2*time.Hour))
	if n := len(w.young) + len(w.old); n > 2 {
		t.Errorf("%d streams in memory after hours", n)
	}
}

// A repeat of the message does not wipe out what the user has seen since.
func TestARepeatedMessageShowsItsStream(t *testing.T) {
	m := &channeltest.Memory{Now: func() time.Time { return noon }}
	r := makeReceiver(t, m, botAccount)
	q := func() streamAnswer {
		receipt, refusal := receive(t, r, callback(t, botAccount, botReadings[0].plain, noon))
		if refusal != nil {
			t.Fatal(refusal)
		}
		return openAnswer(t, botAccount, receipt.Answer)
	}
	first := q().Stream
	err := m.Remember(t.Context(), "helper",
		engine.Note{Key: streamID(first.ID).said(), Value: `{"content":"一","sent":1}`},
		engine.Note{Key: streamID(first.ID).replies(), Value: "1"})
	if err != nil {
		t.Fatal(err)
	}
	if again := q().Stream; first.Finish || again.ID != first.ID || again.Content != "一" || !again.Finish {
		t.Errorf("first %+v, then %+v", first, again)
	}
}
