package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"bot/engine"
)

var at = time.Date(2026, 3, 4, 5, 6, 7, 89, time.UTC)

func fullEvent() *engine.Event {
	return &engine.Event{
		Account: "main", Kind: engine.FriendRequest, Type: "text", ID: "id-1", Receiver: "r",
		Conversation: "c", Sender: "s", SenderName: "王", Self: true, Group: true,
		Mention: engine.MentionMe, Text: "你好", Actor: "a", Members: []string{"m1", "", "m2"}, MemberNames: []string{"一", "", "二"},
		Identity: "notice/1", Fact: "friend/s", IfKnown: engine.ContactChanged, IfNoted: "applied/s", NotedAs: engine.FriendAdded, Tally: "stream/1/replies",
		Learned: []engine.Note{{Key: "w_id", Value: "w1", Expires: at}, {}},
		Media:   []engine.Media{{Kind: "image", URL: "https://x", Name: "n", Size: 7}, {}},
		Params:  map[string]string{"scene": "30", "": "empty key"},
		Ticket:  engine.Ticket{Token: "t", Expires: at.Add(time.Hour), Limit: 4000}, Mute: "why", Degraded: "flood",
		Time: at.Add(-time.Second), Received: at, Raw: []byte(`{"a":1}`),
	}
}

func fullCommand() *engine.Command {
	return &engine.Command{
		TaskID: "t-1", TraceID: "tr", Account: "main", Conversation: "c", Action: engine.SendText,
		Text: "好", Params: map[string]any{"id": json.Number("9223372036854775807"), "at": []any{"x", nil, true}},
		Lane: engine.LaneBulk, Created: at, NotBefore: at.Add(1), Deadline: at.Add(2),
		Ticket: engine.Ticket{Token: "t", Expires: at}, Origin: "ref", Skill: "echo", Submitted: true, Unless: "stop/u",
	}
}

func TestEventSurvivesItsRecord(t *testing.T) {
	for name, e := range map[string]*engine.Event{
		"with every field set":    fullEvent(),
		"with none":               {},
		"before the epoch":        {Time: time.Unix(-5, 0).UTC(), Received: time.Unix(-1, 0).UTC()},
		"with a time at the edge": {Time: time.Unix(0, math.MaxInt64).UTC()},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := DecodeEvent(EncodeEvent(e))
			if err != nil || !reflect.DeepEqual(got, e) {
				t.Fatalf("got %+v, %v\nwant %+v", got, err, e)
			}
		})
	}
}

func TestATextThatStandsInTheBodyIsStoredOnce(t *testing.T) {
	text := strings.Repeat("您好，", 20)
	for name, tt := range map[string]struct {
		e     engine.Event
		twice bool
	}{
		"as it is":              {engine.Event{Text: text, Raw: []byte(`{"text":"` + text + `"}`)}, false},
		"at the end":            {engine.Event{Text: text, Raw: []byte("text=" + text)}, false},
		"written otherwise":     {engine.Event{Text: text, Raw: []byte(`{"text":"\u60a8"}`)}, true},
		"with nothing in there": {engine.Event{Text: text}, true},
		"too short to matter":   {engine.Event{Text: "好", Raw: []byte("好好")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			rec := EncodeEvent(&tt.e)
			got, err := DecodeEvent(rec)
			if err != nil || !reflect.DeepEqual(got, &tt.e) {
				t.Fatalf("got %+v, %v", got, err)
			}
			if twice := len(rec) > len(tt.e.Raw)+len(tt.e.Text); twice != tt.twice {
				t.Errorf("a record of %d bytes for a body of %d and a text of %d", len(rec), len(tt.e.Raw), len(tt.e.Text))
			}
		})
	}
}

func TestATextBeyondTheBodyIsRefused(t *testing.T) {
	for _, at := range [][]byte{{0, 0, 0, 0, 0, 0, 0, 9}, {0, 0, 0, 9, 0, 0, 0, 0}, {255, 255, 255, 255, 255, 255, 255, 255}, {0}} {
		b := appendBytes(make([]byte, 8), evRaw, []byte("12345678"))
		if e, err := DecodeEvent(frame(appendBytes(b, evTextAt, at))); !errors.Is(err, ErrRecord) {
			t.Errorf("%x: got %+v, %v", at, e, err)
		}
	}
}

func TestFullRecordsLeaveNoFieldOut(t *testing.T) {
	for _, v := range []reflect.Value{reflect.ValueOf(*fullEvent()), reflect.ValueOf(*fullCommand())} {
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Errorf("%s.%s is not exercised; does the codec know it?", v.Type(), v.Type().Field(i).Name)
			}
		}
	}
}

func TestCommandSurvivesItsRecord(t *testing.T) {
	for name, c := range map[string]*engine.Command{"with every field set": fullCommand(), "with none": {}} {
		t.Run(name, func(t *testing.T) {
			rec, err := EncodeCommand(c)
			if err != nil {
				t.Fatal(err)
			}
			got, err := DecodeCommand(rec)
			if err != nil || !reflect.DeepEqual(got, c) {
				t.Fatalf("got %+v, %v\nwant %+v", got, err, c)
			}
			if id, err := TaskIDIn(rec); err != nil || id != c.TaskID {
				t.Fatalf("task id %q, %v", id, err)
			}
		})
	}
}

func TestCommandThatJSONCannotSayIsRefused(t *testing.T) {
	if _, err := EncodeCommand(&engine.Command{Params: map[string]any{"f": math.NaN()}}); err == nil {
		t.Fatal("NaN was encoded")
	}
}

func TestTimesOutOfReachMoveToTheEdge(t *testing.T) {
	for _, far := range []time.Time{time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(3, 1, 1, 0, 0, 0, 0, time.UTC)} {
		got, err := DecodeEvent(EncodeEvent(&engine.Event{Time: far}))
		if err != nil {
			t.Fatal(err)
		}
		if got.Time.IsZero() || got.Time.After(time.Now()) != far.After(time.Now()) {
			t.Errorf("%v became %v", far, got.Time)
		}
	}
}

func TestStampChangesOnlyTheReceipt(t *testing.T) {
	e := fullEvent()
	rec := EncodeEvent(e)
	e.Received = at.Add(time.Minute)
	StampEvent(rec, e.Received)
	got, err := DecodeEvent(rec)
	if err != nil || !reflect.DeepEqual(got, e) {
		t.Fatalf("got %+v, %v", got, err)
	}
	if r, err := ReceivedOf(rec); err != nil || !r.Equal(e.Received) {
		t.Fatalf("receipt %v, %v", r, err)
	}
}

func TestUnknownFieldsAreSkipped(t *testing.T) {
	rec := appendString(EncodeEvent(fullEvent()), 9999, "from a later version")
	seal(rec)
	if got, err := DecodeEvent(rec); err != nil || !reflect.DeepEqual(got, fullEvent()) {
		t.Fatalf("got %+v, %v", got, err)
	}
}

func TestDamageIsNoticed(t *testing.T) {
	event := EncodeEvent(fullEvent())
	command, err := EncodeCommand(fullCommand())
	if err != nil {
		t.Fatal(err)
	}
	readers := map[string]func([]byte) error{
		"event":   func(b []byte) error { _, err := DecodeEvent(b); return err },
		"command": func(b []byte) error { _, err := DecodeCommand(b); return err },
	}
	for name, rec := range map[string][]byte{"event": event, "command": command} {
		read := readers[name]
		for n := range rec {
			if err := read(rec[:n]); !errors.Is(err, ErrRecord) {
				t.Fatalf("%s cut to %d bytes: %v", name, n, err)
			}
			flipped := append([]byte(nil), rec...)
			flipped[n] ^= 0x10
			if err := read(flipped); !errors.Is(err, ErrRecord) {
				t.Fatalf("%s with byte %d flipped: %v", name, n, err)
			}
		}
	}
}

func TestLengthBeyondTheRecordAllocatesNothing(t *testing.T) {
	rec := make([]byte, receivedAt+8)
	rec[0] = recordFormat
	rec = binary.AppendUvarint(append(rec, evRaw), math.MaxUint64)
	seal(rec)
	if _, err := DecodeEvent(rec); !errors.Is(err, ErrRecord) {
		t.Fatal(err)
	}
}

// frame makes arbitrary bytes pass the checksum, so that fuzzing reaches what
// lies behind it.
func frame(body []byte) []byte {
	rec := append([]byte{recordFormat, 0, 0, 0, 0}, body...)
	seal(rec)
	return rec
}

func FuzzDecodeEvent(f *testing.F) {
	f.Add(EncodeEvent(fullEvent())[bodyAt:])
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 1, evMedia, 2, mediaSize, 200})
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _ = DecodeEvent(body)
		e, err := DecodeEvent(frame(body))
		if err != nil {
			if !errors.Is(err, ErrRecord) {
				t.Fatalf("error of another kind: %v", err)
			}
			return
		}
		again, err := DecodeEvent(EncodeEvent(e))
		if err != nil || !reflect.DeepEqual(again, e) {
			t.Fatalf("what was read does not survive writing: %+v, %v\nwas %+v", again, err, e)
		}
	})
}

func FuzzDecodeCommand(f *testing.F) {
	rec, err := EncodeCommand(fullCommand())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(rec[bodyAt:])
	f.Add([]byte{cmdParams, 2, '{', '}'})
	f.Add([]byte{cmdLane, 8, 255, 255, 255, 255, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _ = DecodeCommand(body)
		_, _ = TaskIDIn(body)
		c, err := DecodeCommand(frame(body))
		if err != nil {
			if !errors.Is(err, ErrRecord) {
				t.Fatalf("error of another kind: %v", err)
			}
			return
		}
		if len(c.Params) == 0 {
			c.Params = nil
		}
		rec, err := EncodeCommand(c)
		if err != nil {
			t.Fatal(err)
		}
		again, err := DecodeCommand(rec)
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Fatalf("what was read does not survive writing: %+v, %v\nwas %+v", again, err, c)
		}
	})
}

// However much room there is behind it, the record is the same, and what was there
// before stays.
func TestAnEventIsAppendedWhateverTheRoom(t *testing.T) {
	for _, text := range []string{"", strings.Repeat("好", 40), strings.Repeat("x", 500)} {
		for _, raw := range []string{"", "{" + text + "}", strings.Repeat("y", 300)} {
			e := &engine.Event{Account: "shop", ID: "1", Text: text, Raw: []byte(raw)}
			want := append([]byte("before"), EncodeEvent(e)...)
			for room := range len(want) + 2*len(text) {
				b := append(make([]byte, 0, len("before")+room), "before"...)
				if got := AppendEvent(b, e); !bytes.Equal(got, want) {
					t.Fatalf("text of %d, body of %d, room for %d:\n%q, want\n%q", len(text), len(raw), room, got, want)
				}
			}
		}
	}
}
