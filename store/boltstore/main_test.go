package boltstore

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"bot/store"
	"bot/store/storetest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(helperEnv); path != "" {
		fmt.Fprintln(os.Stderr, appendForEver(path))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// testOptions suit small stores.
func testOptions(t testing.TB, path string) Options {
	t.Helper()
	return Options{Path: path, MapSize: 1 << 20}
}

func path(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "bot.db")
}

func mustOpen(t testing.TB, opt Options) *Store {
	t.Helper()
	s, err := Open(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// copyStore copies the files of a store as the death of its process would
// leave them: all that was written, synced or not.
func copyStore(t testing.TB, from, to string) {
	t.Helper()
	for _, suffix := range []string{"", ".hand", ".run"} {
		in, err := os.Open(from + suffix)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		out, err := os.Create(to + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(out, in); err != nil {
			t.Fatal(err)
		}
		in.Close()
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// reopen opens a copy of a store that is still open.
func reopen(t testing.TB, s *Store) *Store {
	t.Helper()
	opt := s.opt
	opt.Path = path(t)
	copyStore(t, s.opt.Path, opt.Path)
	return mustOpen(t, opt)
}

func TestConformance(t *testing.T) { conformance(t, 0) }

// Whatever an act does, it does the same with a journal that is folded with
// every commit as with one that has just begun.
func TestConformanceWhileFolding(t *testing.T) { conformance(t, 1) }

func conformance(t *testing.T, journalBytes int) {
	storetest.Run(t, storetest.Harness{
		Open: func(t testing.TB, o storetest.Options) store.Store {
			opt := testOptions(t, path(t))
			opt.JournalBytes = journalBytes
			opt.Window, opt.Now, opt.Uptime = o.Window, o.Clock.Now, o.Clock.Uptime
			return mustOpen(t, opt)
		},
		Reopen: func(t testing.TB, st store.Store) store.Store {
			s := reopen(t, st.(*Store))
			t.Cleanup(func() { checkFile(t, s) })
			return s
		},
		OpenReads: func(st store.Store) int { return st.(*Store).db.Stats().OpenTxN },
	})
}

// checkFile checks the pages of a store whether it is closed by now or not.
func checkFile(t testing.TB, s *Store) {
	t.Helper()
	select {
	case <-s.queue.drained:
		opt := testOptions(t, s.opt.Path)
		again, err := Open(context.Background(), opt)
		if err != nil {
			t.Errorf("check: %v", err)
			return
		}
		defer again.Close()
		s = again
	default:
	}
	if err := s.CheckNow(); err != nil {
		t.Error(err)
	}
	noteRows(t, s)
}
