package peers

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// What L answered is in its file, with a key each.
func TestBareLogKeepsWhatItAnswered(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log.db")
	l, err := NewBareLog(file, "/callback")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()

	var posting sync.WaitGroup
	var want []string
	for i := range 200 {
		body := fmt.Sprintf(`{"msg_id":"%03d"}`, i)
		want = append(want, body)
		posting.Go(func() {
			w := httptest.NewRecorder()
			l.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/callback", strings.NewReader(body)))
			if w.Code != http.StatusOK {
				t.Errorf("answered %d", w.Code)
			}
		})
	}
	posting.Wait()
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}

	db, err := bolt.Open(file, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var got []string
	keys := 0
	err = db.View(func(tx *bolt.Tx) error {
		err := tx.Bucket(bucketKeys).ForEach(func(_, block []byte) error {
			keys += len(block) / 16
			return nil
		})
		if err != nil {
			return err
		}
		return tx.Bucket(bucketLog).ForEach(func(_, body []byte) error {
			got = append(got, string(body))
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("%d bodies are kept of %d that were answered", len(got), len(want))
	}
	if keys != len(want) {
		t.Errorf("%d keys of %d callbacks", keys, len(want))
	}
}

func TestBareLogRefusesWhatIsTooLarge(t *testing.T) {
	l, err := NewBareLog(filepath.Join(t.TempDir(), "log.db"), "/callback")
	if err != nil {
		t.Fatal(err)
	}
	defer l.db.Close()
	w := httptest.NewRecorder()
	l.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/callback", strings.NewReader(strings.Repeat("x", maxBody+1))))
	if w.Code != http.StatusBadRequest {
		t.Errorf("answered %d", w.Code)
	}
}
