package ingress

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/generic"
	"bot/store/boltstore"
)

// BenchmarkDurable is the whole door over the real store: a callback is read,
// logged, synced and answered. One caller waits for every sync alone; many
// share them.
func BenchmarkDurable(b *testing.B) {
	for _, keys := range []int{0, 1_000_000} {
		for _, callers := range []int{1, 16, 256} {
			for _, duplicates := range []int64{0, 10, 50} {
				b.Run(fmt.Sprintf("keys=%d/callers=%d/duplicates=%d%%", keys, callers, duplicates), func(b *testing.B) {
					benchDurable(b, keys, callers, duplicates)
				})
			}
		}
	}
}

func benchDurable(b *testing.B, keys, callers int, duplicates int64) {
	st, err := boltstore.Open(b.Context(), boltstore.Options{
		Path: filepath.Join(b.TempDir(), "bot.db"), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	remember(b, st, keys)
	receiver, err := generic.Adapter.Receiver([]channel.Account{{Name: "shop", Ack: "auto"}}, channel.Host{})
	if err != nil {
		b.Fatal(err)
	}
	door := newDoor(b, Options{Inbox: st, Now: st.Now, Log: slog.New(slog.DiscardHandler)}, receiver)
	text := strings.Repeat("你好", 80)
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ReportAllocs()
	b.ResetTimer()
	for range callers {
		wg.Go(func() {
			w := &discard{h: make(http.Header)}
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				id := i
				if i%100 < duplicates {
					id = i - i%100 // the last hundred's first, known by now
				}
				body := fmt.Sprintf(`{"msg_id":"m-%d","sender":"user-%d","content":"%s"}`, id, id%10_000, text)
				clear(w.h)
				door.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/callback/shop", io.NopCloser(strings.NewReader(body))))
				if w.status != http.StatusOK {
					b.Errorf("status %d", w.status)
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	stats, err := st.Stats()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(stats.Commits)/float64(b.N), "commits/op")
}

// remember fills the dedup window.
func remember(b *testing.B, st *boltstore.Store, keys int) {
	b.Helper()
	const together = 1000
	for n := 0; n < keys; n += together {
		events := make([]*engine.Event, together)
		for i := range events {
			events[i] = &engine.Event{Account: "shop", Kind: engine.Message, Type: "text", ID: fmt.Sprint("old-", n+i), Conversation: "u", Sender: "u"}
		}
		if _, err := st.Append(context.Background(), events, time.Hour); err != nil {
			b.Fatal(err)
		}
	}
}
