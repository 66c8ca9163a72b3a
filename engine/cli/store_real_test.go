package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"bot/engine/stub"
)

func TestASecondProcessIsRefusedAndNamesTheFirst(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, realEcho)
	p := start(t, s.config)
	code, _, complaints := s.bot("run")
	if pid := strconv.Itoa(p.cmd.Process.Pid); code != 3 || !strings.Contains(complaints, pid) || !strings.Contains(complaints, "bot.db") {
		t.Errorf("exit %d, says %q; want 3 and process %s", code, complaints, pid)
	}
	s.said(p, "m1", "u", "unharmed")
	s.idle(p)
	s.heard(map[string][]string{"u": {"unharmed"}})
	if code := p.stop(t); code != 0 {
		t.Errorf("stop: exit %d", code)
	}
}

// TestADamagedStoreIsRefusedAndLeftAsItIs: never an empty start, never a
// change of what a person may still rescue.
func TestADamagedStoreIsRefusedAndLeftAsItIs(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, realEcho)
	good := filledStore(t, s)
	flip := func(from, to int) []byte {
		b := bytes.Clone(good)
		for i := from; i < to; i++ {
			b[i] ^= 0xff
		}
		return b
	}
	tests := []struct {
		name string
		file []byte
	}{
		{"of length zero", nil},
		{"a text", []byte("this is no store\n")},
		{"a long text", bytes.Repeat([]byte("this is no store\n"), 10_000)},
		{"another program's", foreign(t)},
		{"cut off after the head", good[:8<<10]},
		{"cut off in the middle", good[:len(good)/2]},
		{"cut off by a page", good[:len(good)-4<<10]},
		{"bytes flipped in the middle", flip(len(good)/3, 2*len(good)/3)},
		{"bytes flipped in the head", flip(0, 8<<10)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(s.store(), tt.file, 0o600); err != nil {
				t.Fatal(err)
			}
			code, _, complaints := s.bot("run")
			if code != 1 || !strings.Contains(complaints, "bot.db") || !strings.Contains(complaints, "restore a backup") || strings.Contains(complaints, "goroutine ") {
				t.Errorf("exit %d, says %q; want 1, the file and a way out", code, complaints)
			}
			if now, err := os.ReadFile(s.store()); err != nil || !bytes.Equal(now, tt.file) {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
	if err := os.WriteFile(s.store(), good, 0o600); err != nil {
		t.Fatal(err)
	}
	s.platformUp()
	s.idle(start(t, s.config)) // the undamaged one still works
}

// filledStore makes a store whose pages are in use, and returns its bytes
// without the unused end. It takes the platform down, so that commands stay.
func filledStore(t *testing.T, s *scene) []byte {
	t.Helper()
	s.platformDown()
	p := start(t, s.config)
	for i := range 200 {
		s.said(p, fmt.Sprint("m", i), fmt.Sprint("u", i), strings.Repeat("x", 1000))
	}
	if code := p.stop(t); code != 0 {
		t.Fatalf("stop: exit %d", code)
	}
	b, err := os.ReadFile(s.store())
	if err != nil {
		t.Fatal(err)
	}
	return b[:usedBytes(t, s.store())]
}

func usedBytes(t *testing.T, path string) (n int64) {
	t.Helper()
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(db.View(func(tx *bolt.Tx) error {
		n = tx.Size()
		return nil
	}), db.Close())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// foreign is a bbolt file of another program.
func foreign(t *testing.T) []byte {
	t.Helper()
	path := t.TempDir() + "/other.db"
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(db.Update(func(tx *bolt.Tx) error {
		_, err := tx.CreateBucket([]byte("meta"))
		return err
	}), db.Close())
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
