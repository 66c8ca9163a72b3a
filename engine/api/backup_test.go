package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"bot/store"
	"bot/store/boltstore"
)

func TestABackupIsTheStoreAsItIs(t *testing.T) {
	r := newRig(t)
	r.o.Backup = r.st.Copy
	s := httptest.NewServer(New(r.o))
	defer s.Close()
	resp, err := s.Client().Post(s.URL+"/api/v1/backup", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || int64(len(b)) != resp.ContentLength {
		t.Fatalf("status %d, %d of %d bytes, %v", resp.StatusCode, len(b), resp.ContentLength, err)
	}
	path := filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := boltstore.Inspect(path); err != nil {
		t.Error(err)
	}
}

func TestABackupThatBreaksOffIsNoAnswer(t *testing.T) {
	r := newRig(t)
	r.o.Backup = func(_ context.Context, begin func(int64) io.Writer) error {
		fmt.Fprint(begin(1000), "half")
		return errors.New("no room")
	}
	s := httptest.NewServer(New(r.o))
	defer s.Close()
	resp, err := s.Client().Post(s.URL+"/api/v1/backup", "", nil)
	if err != nil {
		return // as good: there is no answer at all
	}
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("%d bytes are taken for a backup", len(b))
	}
}

func TestABackupThatCannotBegin(t *testing.T) {
	r := newRig(t)
	if got := r.call(http.MethodPost, "/api/v1/backup", ""); got.code != http.StatusNotImplemented {
		t.Errorf("of a store that cannot be copied: %d %s", got.code, got.text)
	}
	r.o.Backup = func(context.Context, func(int64) io.Writer) error { return fmt.Errorf("copy: %w", store.ErrFull) }
	if got := r.call(http.MethodPost, "/api/v1/backup", ""); got.code != http.StatusServiceUnavailable {
		t.Errorf("on a full disk: %d %s", got.code, got.text)
	}
	if got := r.call(http.MethodGet, "/api/v1/backup", ""); got.code != http.StatusMethodNotAllowed {
		t.Errorf("by a link: %d %s", got.code, got.text)
	}
}

func TestOneBackupAtATime(t *testing.T) {
	r := newRig(t)
	began, end := make(chan struct{}), make(chan struct{})
	r.o.Backup = func(context.Context, func(int64) io.Writer) error {
		close(began)
		<-end
		return nil
	}
	h := New(r.o)
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.ServeHTTP(httptest.NewRecorder(), request(http.MethodPost, "/api/v1/backup", ""))
	}()
	<-began
	w := httptest.NewRecorder()
	h.ServeHTTP(w, request(http.MethodPost, "/api/v1/backup", ""))
	if w.Code != http.StatusConflict {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	close(end)
	<-done
}
