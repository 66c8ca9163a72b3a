package peers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// C answers each message once, in the order of its conversation, counts in its state,
// and keeps nothing of what is done.
func TestBareChainGoesTheWholeWay(t *testing.T) {
	const people, each = 10, 20
	var mu sync.Mutex
	got := make(map[string][]string)
	platform := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var said struct{ To, Content string }
		if err := json.NewDecoder(r.Body).Decode(&said); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		got[said.To] = append(got[said.To], said.Content+" "+r.Header.Get("Idempotency-Key"))
	}))
	defer platform.Close()
	file := filepath.Join(t.TempDir(), "chain.db")
	c, err := NewBareChain(file, "/callback", platform.URL)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()

	want := make(map[string][]string)
	var posting sync.WaitGroup
	for p := range people {
		who := fmt.Sprintf("p%d", p)
		for n := range each {
			want[who] = append(want[who], fmt.Sprintf("%011d %s-%d", n, who, n))
		}
		posting.Go(func() {
			for n := range each {
				body := fmt.Sprintf(`{"msg_id":"%s-%d","sender":%q,"content":"%011d and more"}`, who, n, who, n)
				w := httptest.NewRecorder()
				c.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/callback", strings.NewReader(body)))
				if w.Code != http.StatusOK {
					t.Errorf("answered %d", w.Code)
				}
			}
		})
	}
	posting.Wait()
	left := func() (n int) {
		c.db.View(func(tx *bolt.Tx) error {
			n = tx.Bucket(bucketLog).Stats().KeyN + tx.Bucket(bucketReplies).Stats().KeyN
			return nil
		})
		return n
	}
	for until := time.Now().Add(30 * time.Second); left() > 0 && time.Now().Before(until); {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}

	for who := range want {
		if !slices.Equal(got[who], want[who]) {
			t.Errorf("%s was told %q, want %q", who, got[who], want[who])
		}
	}
	db, err := bolt.Open(file, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.View(func(tx *bolt.Tx) error {
		for who := range want {
			if got, want := string(tx.Bucket(bucketStates).Get([]byte(who))), fmt.Sprintf(`{"misses":%d}`, each); got != want {
				t.Errorf("the state of %s is %s, want %s", who, got, want)
			}
		}
		if n := tx.Bucket(bucketLog).Stats().KeyN + tx.Bucket(bucketReplies).Stats().KeyN; n > 0 {
			t.Errorf("%d rows are left of what is done", n)
		}
		return nil
	})
}

func TestBareChainEndsWhereThePlatformRefuses(t *testing.T) {
	platform := httptest.NewServer(http.NotFoundHandler())
	defer platform.Close()
	c, err := NewBareChain(filepath.Join(t.TempDir(), "chain.db"), "/callback", platform.URL)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Run(t.Context()) }()
	w := httptest.NewRecorder()
	c.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/callback", strings.NewReader(`{"msg_id":"1","sender":"p","content":"hello"}`)))
	if w.Code != http.StatusOK {
		t.Errorf("answered %d", w.Code)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("it ended with %v", err)
	}
}
