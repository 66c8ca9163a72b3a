package recent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"bot/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is an archive in a folder of its own, with limits that a test changes.
type rig struct {
	*Archive
	testing.TB
	dir     string
	keep    atomic.Int64 // nanoseconds
	size    atomic.Int64
	dropped atomic.Int64
}

func newRig(tb testing.TB) *rig {
	r := &rig{TB: tb, dir: filepath.Join(tb.TempDir(), "bot.db.recent")}
	r.keep.Store(int64(24 * time.Hour))
	r.size.Store(64 << 20)
	r.renew()
	return r
}

func (r *rig) options() Options {
	return Options{
		Dir: r.dir, Now: time.Now,
		Limits:  func() (time.Duration, int64) { return time.Duration(r.keep.Load()), r.size.Load() },
		Dropped: func(n int) { r.dropped.Add(int64(n)) },
	}
}

// renew is a new life of the process.
func (r *rig) renew() { r.Archive = New(r.options()) }

// run lets the archive work until the func returned is called.
func (r *rig) run() (stop func()) {
	r.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	return func() {
		r.Helper()
		cancel()
		if err := <-ended; err != nil {
			r.Error(err)
		}
	}
}

// message is a text received now.
func message(id string) *engine.Event {
	return &engine.Event{
		Account: "shop", Kind: engine.Message, Type: "text", ID: id, Conversation: "u1", Sender: "u1",
		Text: "text of " + id, Received: time.Now().UTC(),
	}
}

func (r *rig) add(ids ...string) {
	for _, id := range ids {
		r.Add(message(id), engine.Message)
	}
}

// ids are what can be read from since on.
func (r *rig) ids(since time.Time) (ids []string) {
	r.Helper()
	in, err := Read(r.dir, since)
	if err != nil {
		r.Fatal(err)
	}
	ids = in.ids()
	if in.Damaged > 0 || len(in.records) != len(ids) {
		r.Errorf("%d are damaged, of %d come %d", in.Damaged, len(in.records), len(ids))
	}
	return ids
}

func (in *Intake) ids() (ids []string) {
	for e := range in.Events() {
		ids = append(ids, e.ID)
	}
	return ids
}

// names are the files in the folder.
func (r *rig) names() (names []string) {
	r.Helper()
	entries, err := os.ReadDir(r.dir)
	if err != nil && !os.IsNotExist(err) {
		r.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func numbered(from, to int) (ids []string) {
	for i := from; i < to; i++ {
		ids = append(ids, fmt.Sprint("m", i))
	}
	return ids
}
