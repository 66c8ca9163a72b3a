package pull

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"bot/engine/channel"
	"bot/store"
	"bot/store/boltstore"
)

// The platform of the crash has that many events, in pages that overlap.
const (
	crashEvents = 40
	crashPage   = 3
)

// overlapping is a Puller whose page begins one event before its cursor. At a
// page that the test names it stands still, so that the process can die there.
type overlapping struct {
	at      string
	reached chan struct{}
	once    sync.Once
}

func (o *overlapping) Pull(ctx context.Context, _, _, cursor string) (channel.Page, error) {
	if cursor == o.at {
		o.once.Do(func() { close(o.reached) })
		<-ctx.Done()
		return channel.Page{}, &channel.SendError{Class: channel.Unsure}
	}
	from, _ := strconv.Atoi(cursor)
	var ids []string
	for i := max(0, from-1); i < min(from+crashPage, crashEvents); i++ {
		ids = append(ids, fmt.Sprint("e", i))
	}
	to := min(from+crashPage, crashEvents)
	return page(fmt.Sprint(to), to < crashEvents, ids...), nil
}

// copied is the file of a store that is open, as the death of its process
// leaves it.
func copied(t *testing.T, path string) string {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	to := filepath.Join(t.TempDir(), "bot.db")
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return to
}

func open(t *testing.T, path string) store.Store {
	t.Helper()
	st, err := boltstore.Open(t.Context(), boltstore.Options{Path: path, MapSize: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

// attended lets a Porter run over a store until meanwhile returns.
func attended(t *testing.T, st store.Store, puller channel.Puller, meanwhile func(*Porter)) {
	t.Helper()
	p := New(Options{
		Store:   st,
		Pullers: func() map[string]channel.Puller { return map[string]channel.Puller{account: puller} },
		Window:  func(string) time.Duration { return time.Hour },
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	meanwhile(p)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// handle takes the first events out of the log, so that only their keys tell
// of them, and returns their ids.
func handle(t *testing.T, st store.Store, n int) (ids []string) {
	t.Helper()
	entries, err := st.Read(0, n)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		ids = append(ids, e.Event.ID)
		if err := st.Commit(t.Context(), store.Commit{Seq: e.Seq, Owner: e.Event.Ref()}); err != nil {
			t.Fatal(err)
		}
	}
	return ids
}

func TestAProcessThatDiesLosesNothingAndDoublesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bot.db")
	handled := make(map[string]int)
	for i, at := range []string{"", "3", "3", "18", "39"} { // where the process dies
		o := &overlapping{at: at, reached: make(chan struct{})}
		st := open(t, path)
		attended(t, st, o, func(p *Porter) {
			if i == 0 {
				if err := p.Ring(t.Context(), []channel.Doorbell{{Account: account, Source: "kf", Token: "T"}}); err != nil {
					t.Fatal(err)
				}
			}
			<-o.reached
			for _, id := range handle(t, st, 2) {
				handled[id]++
			}
			path = copied(t, path)
		})
	}
	st := open(t, path)
	attended(t, st, &overlapping{at: "none"}, func(*Porter) {
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
			if left, err := st.Recall(account, "ring/kf"); err != nil || left == "" {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("the ring is not answered")
			}
		}
	})
	for _, id := range handle(t, st, 1000) {
		handled[id]++
	}
	for i := range crashEvents {
		if n := handled[fmt.Sprint("e", i)]; n != 1 {
			t.Errorf("event %d was handled %d times", i, n)
		}
	}
	if cursor, err := st.Recall(account, "cursor/kf"); err != nil || cursor != strconv.Itoa(crashEvents) || len(handled) != crashEvents {
		t.Errorf("cursor %q, %v; %d events", cursor, err, len(handled))
	}
}
