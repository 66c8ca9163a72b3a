package broadcast

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"bot/engine"
)

func TestWhatIsWrongWithARequestIsSaidAtOnce(t *testing.T) {
	ok := Request{Account: "shop", Text: "x", Audience: List{"a"}}
	for _, tt := range []struct {
		name   string
		change func(r *Request)
		want   []string
	}{
		{"an unknown account", func(r *Request) { r.Account = "shpo" }, []string{`account: there is no account "shpo"`}},
		{"nothing to say", func(r *Request) { r.Text = " " }, []string{"text: send_text needs it"}},
		{"a text for what says nothing", func(r *Request) { r.Action = engine.SetLabel }, []string{"text: set_label says nothing"}},
		{"two texts", func(r *Request) { r.Params = map[string]any{"content": "y"} }, []string{"params.content: what is said stands in text"}},
		{"bad templates", func(r *Request) { r.Text, r.Params = "{{", map[string]any{"at": []any{"a", "{{.B}}"}} }, []string{"text: bad template", "params.at[1]: bad template"}},
		{"too much to say", func(r *Request) { r.Text = strings.Repeat("x", maxSaid) }, []string{"text: text and params have at most"}},
		{"too much for the platform", func(r *Request) { r.Account, r.Text = "small", strings.Repeat("x", 11) }, []string{"text: it is 11 bytes, and the platform takes 10"}},
		{"the same for all at one place", func(r *Request) {
			r.Action, r.Text, r.Params = engine.RenameGroup, "", map[string]any{"room_id": "1@chatroom", "name": "n"}
		}, []string{"params: everybody would get the same done at one place"}},
		{"a place that is no id", func(r *Request) { r.Params = map[string]any{"to": 5} }, []string{"params: params.to is no id"}},
		{"an invitation to no group", func(r *Request) { r.Action, r.Text = engine.AddMember, "" }, []string{"params.room_id: add_member needs it"}},
		{"what the platform cannot do without", func(r *Request) {
			r.Account, r.Action, r.Text, r.Params = "small", engine.SendFile, "", map[string]any{"url": " "}
		}, []string{"params.url: send_file needs it on this channel"}},
		{"all of it", func(r *Request) { r.Account, r.Text, r.Name = "", "", strings.Repeat("n", 300) }, []string{"account: ", "name: ", "text: "}},
		{"an audience of nobody", func(r *Request) { r.Audience = List{} }, []string{"to: the audience is nobody"}},
		{"lines with nobody", func(r *Request) { r.Audience = Lines{strings.NewReader("\n# x\n")} }, []string{"to: the audience is nobody"}},
		{"blank ids", func(r *Request) { r.Audience = List{"a", "", "b", " "} }, []string{"to[1]: a blank id", "to[3]: a blank id"}},
		{"a line too long", func(r *Request) {
			r.Audience = Lines{strings.NewReader("a\n" + strings.Repeat("x", 600) + "\n" + strings.Repeat("x", 6000))}
		},
			[]string{"to: line 2: an id has at most 512 bytes", "to: line 3: the line is longer"}},
		{"what is no text", func(r *Request) { r.Audience = Lines{strings.NewReader("a\nb\x00c\n\xff\n")} },
			[]string{"to: line 2: it holds a control character", "to: line 3: it is no UTF-8"}},
		{"too many", func(r *Request) { r.Audience = users(101) }, []string{"to: one broadcast reaches at most 100"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in(t, func(t *testing.T, r *rig) {
				r.accounts["small"] = Account{TextLimit: 10, Takes: func(a engine.Action) []string {
					return map[engine.Action][]string{engine.SendText: {"content"}, engine.SendFile: {"url"}}[a]
				}}
				o := r.options()
				o.MaxRecipients = 100
				r.Manager = New(o)
				q := ok
				tt.change(&q)
				_, err := r.Make(t.Context(), q)
				wrong, is := errors.AsType[Problems](err)
				if !is || len(wrong) != len(tt.want) {
					t.Fatalf("says %v", err)
				}
				for i, line := range strings.Split(wrong.Error(), "\n") {
					if !strings.HasPrefix(line, tt.want[i]) {
						t.Errorf("says %q, want %q", line, tt.want[i])
					}
				}
				if all, _ := r.List(); len(all) > 0 || len(r.notes("broadcast")) > 0 {
					t.Errorf("left %+v, %q", all, r.notes("broadcast"))
				}
			})
		})
	}
}

func TestTheOrderIsKeptAndDuplicatesAreDropped(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.begin()
		s := r.make(Request{Audience: Lines{iotest.OneByteReader(strings.NewReader("\ufeffb\r\n a \n#no\n\nb\nc"))}, Rate: perSecond(10), Start: true})
		pass(time.Second)
		r.end()
		if got := r.reached(); !slices.Equal(got, []string{"b", "a", "c"}) || s.Duplicates != 1 || s.Recipients != 3 {
			t.Errorf("reached %q, %+v", got, s)
		}
	})
}

func TestAReaderThatBreaksOffMakesNothing(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.begin()
		defer r.end()
		broken := io.MultiReader(strings.NewReader(strings.Repeat("x", 100)+"\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
		if _, err := r.Make(t.Context(), Request{Account: "shop", Text: "x", Audience: Lines{broken}}); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("made: %v", err)
		}
		if left := r.notes("broadcast"); len(left) > 0 {
			t.Errorf("left %q", left)
		}
	})
}

// slow is an audience that comes when it is let go.
type slow chan struct{}

func (s slow) Each(ctx context.Context, yield func(string) error) error {
	<-s
	return yield("a")
}

func TestOneAudienceIsWrittenDownAtATime(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.begin()
		first := make(slow)
		done := make(chan error, 2)
		go func() {
			_, err := r.Make(context.Background(), Request{Account: "shop", Text: "x", Audience: first})
			done <- err
		}()
		pass(time.Second)
		if _, err := r.Make(t.Context(), Request{Account: "shop", Text: "x", Audience: List{"b"}}); !errors.Is(err, ErrBusy) {
			t.Errorf("a second one: %v", err)
		}
		all, err := r.List()
		var refused *Refused
		if err != nil || len(all) != 1 || all[0].State != Preparing {
			t.Fatalf("%+v, %v", all, err)
		}
		if _, err := r.Cancel(t.Context(), all[0].ID); !errors.As(err, &refused) {
			t.Errorf("cancelled: %v", err)
		}
		if err := r.Delete(t.Context(), all[0].ID); !errors.As(err, &refused) {
			t.Errorf("deleted: %v", err)
		}
		go func() {
			_, err := r.Make(context.Background(), Request{Account: "shop", Text: "x", Audience: List{"b"}, Event: "e", At: time.Now()})
			done <- err
		}()
		pass(time.Second)
		close(first)
		if err := errors.Join(<-done, <-done); err != nil {
			t.Errorf("one that an event makes waits: %v", err)
		}
		r.end()
	})
}

func TestOneBroadcastComesOfOneEvent(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.begin()
		q := Request{Audience: List{"a"}, Event: "due-7", At: time.Now(), Start: true, Rate: perSecond(1)}
		first := r.make(q)
		pass(time.Minute)
		again := r.make(q)
		q.Event = "due-8"
		other := r.make(q)
		pass(time.Minute)
		r.end()
		if first.ID != again.ID || other.ID == first.ID || len(r.reached()) != 2 {
			t.Errorf("%s, %s, %s; reached %q", first.ID, again.ID, other.ID, r.reached())
		}
	})
}

func TestWhatItTakesIsTold(t *testing.T) {
	pace := func(n float64, per time.Duration) func(engine.Action) engine.Rate {
		return func(engine.Action) engine.Rate { return engine.Rate{N: n, Per: per} }
	}
	for _, tt := range []struct {
		n     int
		rate  engine.Rate
		pace  func(engine.Action) engine.Rate
		quota float64
		want  string
	}{
		{960_000, perSecond(100), nil, 0.6, "2 h 40 min at 100/s, 60 % of today's quota"},
		{30, perSecond(10), nil, 0, "3 s at 10/s"},
		{1, perSecond(10), nil, 0, "1 s at 10/s"},
		{6000, perSecond(100), pace(20, time.Minute), 0, "5 h at the account's own pace of 20/m, which is slower than 100/s"},
		{6000, perSecond(100), pace(200, time.Second), 0, "1 min at 100/s"},
		{86_400 * 3, perSecond(1), nil, 1.234, "3 d at 1/s, 124 % of today's quota"},
		{3599, perSecond(1), nil, 0, "59 min 59 s at 1/s"},
		{3 * 86_399, perSecond(3), nil, 0, "24 h at 3/s"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			m := New(Options{Account: func(string) (Account, bool) { return Account{Pace: tt.pace}, true },
				Quota: func(string, engine.Action, int) (float64, bool) { return tt.quota, tt.quota > 0 }})
			m.entries["x"] = &entry{b: Broadcast{Recipients: tt.n, Rate: tt.rate}}
			got, err := m.Estimate("x")
			if err != nil || got.Text != tt.want {
				t.Errorf("%q, %v", got.Text, err)
			}
		})
	}
}

func FuzzLines(f *testing.F) {
	for _, seed := range []string{"a\nb\n", "\ufeffa\r\n\r\n#x\n  b  ", "\x00\n\xff", strings.Repeat("x", 5000), ""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var got []string
		keep := func(id string) error { got = append(got, id); return nil }
		err := Lines{bytes.NewReader(text)}.Each(t.Context(), keep)
		for _, id := range got {
			if badID(id) != "" || id != strings.TrimSpace(id) || strings.ContainsAny(id, "\r\n") || id[0] == '#' {
				t.Fatalf("%q is an id", id)
			}
		}
		if wrong, is := errors.AsType[Problems](err); is && len(wrong) > maxProblems {
			t.Fatalf("%d problems", len(wrong))
		}
		if err != nil {
			return
		}
		// What was read is read again as it is: so it is in a chunk.
		if len(got) > 0 && strings.HasPrefix(got[0], "\ufeff") {
			return // no id, but nobody can tell
		}
		before := got
		got = nil
		if err := (Lines{strings.NewReader(strings.Join(before, "\n"))}).Each(t.Context(), keep); err != nil || !slices.Equal(got, before) {
			t.Fatalf("%q comes back as %q, %v", before, got, err)
		}
	})
}
