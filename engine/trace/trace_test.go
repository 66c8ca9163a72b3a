package trace

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// book is a recorder that runs.
type book struct {
	*Recorder
	testing.TB
	dir  string
	now  atomic.Int64
	keep atomic.Int64
	size atomic.Int64
	lost atomic.Int64
	stop func()
}

func newBook(tb testing.TB) *book {
	b := &book{TB: tb, dir: filepath.Join(tb.TempDir(), "bot.db.trace")}
	b.keep.Store(int64(7 * 24 * time.Hour))
	b.size.Store(256 << 20)
	b.now.Store(time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC).UnixNano())
	b.open()
	tb.Cleanup(func() { b.stop() })
	return b
}

func (b *book) at() time.Time { return time.Unix(0, b.now.Load()).UTC() }

func (b *book) open() {
	b.Recorder = New(Options{
		Dir: b.dir, Now: b.at, Lost: func(n int) { b.lost.Add(int64(n)) },
		Limits: func() (time.Duration, int64) { return time.Duration(b.keep.Load()), b.size.Load() },
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { b.Run(ctx); close(done) }()
	b.stop = func() { cancel(); <-done }
}

// tell adds an entry with one step a millisecond after the last one.
func (b *book) tell(e Entry, steps ...string) {
	for _, s := range steps {
		b.now.Add(int64(time.Millisecond))
		e.Steps = append(e.Steps, Step{Time: b.at(), Step: s})
	}
	b.Add(e)
}

func (b *book) steps(id string) (names []string) {
	b.Helper()
	steps, more, err := b.Find(b.Context(), id)
	if err != nil || more {
		b.Fatal(err, more)
	}
	for _, s := range steps {
		names = append(names, s.Step)
	}
	return names
}

func TestOneIdTellsTheWholeLifeWhicheverIdItIs(t *testing.T) {
	b := newBook(t)
	b.tell(Entry{Account: "shop", Conversation: "u1", Event: "m1"}, Received, Queued)
	b.tell(Entry{Account: "shop", Conversation: "u2", Event: "m2"}, Received, Queued)
	handled := Entry{Account: "shop", Conversation: "u1", Event: "m1", Ref: "ref1"}
	handled.Steps = []Step{{Time: b.at(), Step: Handled, Skill: "echo"}, {Time: b.at(), Step: Command, TaskID: "ref1-0"}}
	b.Add(handled)
	b.tell(Entry{Account: "shop", Conversation: "u1", Ref: "ref1", Task: "ref1-0", Trace: "m1"}, Attempt, Sent)
	b.tell(Entry{Account: "shop", Conversation: "u1", Event: "m1"}, Received, Duplicate)

	whole := []string{Received, Queued, Handled, Command, Attempt, Sent, Received, Duplicate}
	for _, life := range []string{"in this process", "after a restart"} {
		for _, id := range []string{"m1", "ref1", "ref1-0"} {
			if got := b.steps(id); !slices.Equal(got, whole) {
				t.Errorf("%s, %s: %q", life, id, got)
			}
		}
		if got := b.steps("m2"); !slices.Equal(got, []string{Received, Queued}) {
			t.Errorf("m2: %q", got)
		}
		if got := b.steps("m"); got != nil {
			t.Errorf("a part of an id finds %q", got)
		}
		b.stop()
		b.open()
	}
	steps, _, err := b.Find(t.Context(), "m1")
	if err != nil || steps[4].TaskID != "ref1-0" || steps[4].Account != "shop" || steps[2].Skill != "echo" {
		t.Errorf("%v, %v", steps, err)
	}
}

func TestTimesKeepTheirNanoseconds(t *testing.T) {
	b := newBook(t)
	at := time.Date(2026, 12, 1, 9, 0, 0, 123456789, time.UTC)
	b.Add(Entry{Account: "shop", Event: "m1", Steps: []Step{{Time: at, Step: Received}}})
	steps, _, err := b.Find(t.Context(), "m1")
	if err != nil || len(steps) != 1 || !steps[0].Time.Equal(at) {
		t.Errorf("%v, %v", steps, err)
	}
}

func TestIdsOfAllSortsAreFound(t *testing.T) {
	b := newBook(t)
	ids := []string{"a/b c", `quote"and\back`, "行\n行", "emoji 😀", "\x00ctl", strings.Repeat("x", 512), "<html>&", "\u2028"}
	for _, id := range ids {
		b.tell(Entry{Account: "shop", Event: id}, Received)
	}
	for _, id := range ids {
		if got := b.steps(id); !slices.Equal(got, []string{Received}) {
			t.Errorf("%q: %q", id, got)
		}
	}
}

func TestWhatIsTooOldOrTooMuchGoes(t *testing.T) {
	b := newBook(t)
	b.tell(Entry{Account: "shop", Event: "old"}, Received)
	if b.steps("old") == nil {
		t.Fatal("not there at first")
	}
	b.stop()
	b.now.Add(int64(8 * 24 * time.Hour))
	b.open()
	if got := b.steps("old"); got != nil {
		t.Errorf("after eight days: %q", got)
	}
	b.size.Store(1 << 20)
	for i := range 20_000 {
		b.tell(Entry{Account: "shop", Event: fmt.Sprint("m", i), Conversation: strings.Repeat("c", 100)}, Received, Queued)
		if i%1000 == 0 {
			b.flush(t.Context())
		}
	}
	if got := b.steps("m1"); got != nil {
		t.Errorf("the first of many is still there")
	}
	if got := b.steps("m19999"); got == nil && b.lost.Load() == 0 {
		t.Errorf("the last is not there")
	}
}

func TestNothingIsKeptWhereNothingIsToBe(t *testing.T) {
	b := newBook(t)
	b.keep.Store(0)
	b.tell(Entry{Account: "shop", Event: "m1"}, Received)
	if got := b.steps("m1"); got != nil || b.On() {
		t.Errorf("kept %q", got)
	}
}

func TestAnIdThatManyShareIsCutOff(t *testing.T) {
	b := newBook(t)
	for i := range MaxSteps + 10 {
		b.tell(Entry{Account: "shop", Task: fmt.Sprint("t", i), Trace: "all"}, Command)
		if i%1000 == 0 {
			b.flush(t.Context())
		}
	}
	steps, more, err := b.Find(t.Context(), "all")
	if err != nil || !more || len(steps) != MaxSteps {
		t.Errorf("%d steps, more %v, %v", len(steps), more, err)
	}
}

func TestATalkIsTheLastOfOneConversation(t *testing.T) {
	b := newBook(t)
	since := b.at()
	for i := range 100 {
		b.tell(Entry{Account: "shop", Conversation: "u1", Event: fmt.Sprint("m", i)}, Received)
		b.tell(Entry{Account: "shop", Conversation: "u2", Event: "u1"}, Received)
		b.tell(Entry{Account: "other", Conversation: "u1", Event: "x"}, Received)
	}
	entries, err := b.Talk(t.Context(), "shop", "u1", since, 10)
	if err != nil || len(entries) != 10 || entries[0].Event != "m90" || entries[9].Event != "m99" {
		t.Errorf("%v, %v", entries, err)
	}
	if entries, err := b.Talk(t.Context(), "shop", "u1", b.at().Add(time.Second), 10); err != nil || len(entries) != 0 {
		t.Errorf("of the time to come: %v, %v", entries, err)
	}
}

func TestTheLatestAreShownUntilItIsEnough(t *testing.T) {
	b := newBook(t)
	since := b.at()
	for i := range 10 {
		b.tell(Entry{Account: "shop", Conversation: fmt.Sprint("u", i), Event: fmt.Sprint("m", i)}, Received)
	}
	shown := 0
	err := b.Latest(t.Context(), since, func(e Entry) bool { shown++; return shown < 4 })
	if err != nil || shown != 4 {
		t.Errorf("%d were shown, %v", shown, err)
	}
}

func TestANoteIsCutWithinItsBound(t *testing.T) {
	for note, want := range map[string]int{
		strings.Repeat("a", MaxNote):     MaxNote,
		strings.Repeat("a", MaxNote+1):   MaxNote,
		strings.Repeat("长", MaxNote/3+1): MaxNote,
	} {
		got, err := parse((&Entry{Account: "shop", Steps: []Step{{Step: Received, Note: note}}}).append(nil))
		if err != nil {
			t.Fatal(err)
		}
		if kept := got.Steps[0].Note; len(kept) != want || (kept != note) != strings.HasSuffix(kept, "…") {
			t.Errorf("%d bytes are kept of %d, want %d: %q", len(kept), len(note), want, kept)
		}
	}
}

// FuzzRecord puts texts of all kinds into an entry, and whatever else into the
// reader.
func FuzzRecord(f *testing.F) {
	f.Add("shop", "u1", "m1", "note 😀\n", []byte(`{"a":"x","s":[[1,"received"]]}`))
	f.Add("\xff", "\"", "\\", "\x00", []byte(`{"s":[[1.5,"x"],["x"],[]]}`))
	f.Fuzz(func(t *testing.T, account, conversation, event, note string, foreign []byte) {
		parse(foreign)
		e := Entry{Account: account, Conversation: conversation, Event: event, Steps: []Step{{Time: time.Unix(7, 9).UTC(), Step: Received, Note: note}}}
		rec := e.append(nil)
		if !json.Valid(rec) {
			t.Fatalf("no JSON: %q", rec)
		}
		got, err := parse(rec)
		if err != nil {
			t.Fatal(err)
		}
		want := e
		want.Account, want.Conversation, want.Event = strings.ToValidUTF8(account, "\uFFFD"), strings.ToValidUTF8(conversation, "\uFFFD"), strings.ToValidUTF8(event, "\uFFFD")
		if len(note) > MaxNote || account != want.Account || conversation != want.Conversation || event != want.Event || !json.Valid(quoted(note)) || note != strings.ToValidUTF8(note, "") {
			return
		}
		want.Steps = []Step{{Time: time.Unix(7, 9).UTC(), Step: Received, Account: account, Note: note}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	book := newBook(b)
	e := Entry{Account: "shop", Conversation: "wxid_1234567890", Event: "7315912345678901234", Ref: "0123456789abcdef0123", Steps: []Step{
		{Time: book.at(), Step: Handled, Skill: "echo", Note: "every message"}, {Time: book.at(), Step: Command, TaskID: "0123456789abcdef0123-0", Note: strings.Repeat("你好", 80)},
	}}
	b.SetBytes(int64(len(e.append(nil))))
	b.ReportAllocs()
	for b.Loop() {
		book.Add(e)
	}
	b.ReportMetric(float64(book.lost.Load())/float64(b.N), "lost/op")
}

func BenchmarkRecord(b *testing.B) {
	e := Entry{Account: "shop", Conversation: "wxid_1234567890", Event: "7315912345678901234", Ref: "0123456789abcdef0123", Steps: []Step{
		{Time: time.Now(), Step: Handled, Skill: "echo", Note: "every message"}, {Time: time.Now(), Step: Command, TaskID: "0123456789abcdef0123-0", Note: strings.Repeat("你好", 80)},
	}}
	var rec []byte
	b.ReportAllocs()
	for b.Loop() {
		rec = e.append(rec[:0])
	}
}
