//go:build linux

package cli_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bot/engine/stub"
)

// smallDisk mounts a disk of eight megabytes. Where that is not allowed the
// test is skipped, but not under CI, which is there to run it.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("mount a small disk: %v", err)
		}
		t.Skipf("this test needs a small disk, and mounting one failed (root may): %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// fill writes a file until the disk is full, but for so many bytes.
func fill(t *testing.T, path string, leave int64) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	chunk := make([]byte, 4<<10)
	for err == nil {
		_, err = f.Write(chunk)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err == nil {
		err = errors.Join(f.Truncate(max(0, info.Size()-leave)), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestAFullDisk: intake says so and takes nothing more, what was acknowledged
// stays, and everything goes on by itself when there is room again.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		minFree string // what the engine is told to leave
		ballast int64  // what the ballast leaves
	}{
		{"to the last page", "0B", 0},
		{"to the last page, in the midst of it", "0B", 1 << 20},
		{"to the reserve", "2MiB", 3 << 20},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			disk := smallDisk(t)
			text := fmt.Sprintf("[store]\npath = %q\nmin_free = %q\n%s", filepath.Join(disk, "bot.db"), tt.minFree, realEcho)
			s := newScene(t, stub.Options{}, text)
			s.client.Timeout = 10 * time.Second
			s.platformDown() // so that the log and the outbox only grow
			p := start(t, s.config)
			ballast := filepath.Join(disk, "ballast")
			fill(t, ballast, tt.ballast)

			acked := s.flood(p)
			if tt.ballast > 0 && acked["u0"] == 0 {
				t.Error("the disk was full from the beginning: that was no test")
			}
			s.platformUp()
			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
			// Nobody touches the engine from here on.
			began := time.Now()
			s.until("callbacks are taken again", func() bool {
				status, _ := s.say(p, "reopened", "reopened", "t1 "+bulk)
				return status == http.StatusOK
			})
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("intake reopened %v after there was room", took)
			}
			s.idle(p)
			acked["reopened"] = 1
			s.answered(acked)
			if c := s.platform.Counts(); c.Repeats != 0 {
				t.Errorf("%d sends were repeated", c.Repeats)
			}
			if st := s.state(p); st.Dead != 0 {
				t.Errorf("%d dead letters", st.Dead)
			}
			if code := p.stop(t); code != 0 {
				t.Errorf("stop: exit %d", code)
			}
			checkFile(t, filepath.Join(disk, "bot.db"))
		})
	}
}

// TestAStartOnAFullDisk: a process that died when nothing fits on the disk any more
// comes back to what it has, and gets it out.
func TestAStartOnAFullDisk(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t)
	s := newScene(t, stub.Options{}, fmt.Sprintf("[store]\npath = %q\nmin_free = \"0B\"\n%s", filepath.Join(disk, "bot.db"), realEcho))
	s.client.Timeout = 10 * time.Second
	s.platformDown()
	p := start(t, s.config)
	fill(t, filepath.Join(disk, "ballast"), 1<<20)
	acked := s.flood(p)
	if acked["u0"] == 0 {
		t.Error("the disk was full from the beginning: that was no test")
	}
	p.kill()
	fill(t, filepath.Join(disk, "more"), 0)

	p = start(t, s.config)
	switch status, _ := s.say(p, "late", "late", "t1 "+bulk); status {
	case http.StatusOK: // into what the file has left
		acked["late"] = 1
	case http.StatusServiceUnavailable:
	default:
		t.Errorf("status %d on a full disk", status)
	}
	s.platformUp()
	s.idle(p)
	s.answered(acked)
	if code := p.stop(t); code != 0 {
		t.Errorf("stop: exit %d", code)
	}
	checkFile(t, filepath.Join(disk, "bot.db"))
}

// bulk makes a message long enough to fill a small disk soon.
var bulk = strings.Repeat("x", 1500)

// TestABackupToAFullDisk: it fails, the last one stays, and the engine is unharmed.
func TestABackupToAFullDisk(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, realEcho)
	s.platformDown()
	p := start(t, s.config)
	s.said(p, "m1", "u", "t1")
	disk := smallDisk(t)
	backup := filepath.Join(disk, "copy.db")
	s.does("backup", backup)
	last, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, filepath.Join(disk, "ballast"), 100<<10)
	s.fails(1, "no space left on device", "backup", "-force", backup)
	if now, err := os.ReadFile(backup); err != nil || !slices.Equal(now, last) {
		t.Errorf("the last backup is gone: %d bytes, %v", len(now), err)
	}
	if left, _ := filepath.Glob(backup + "?*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	s.said(p, "m2", "u", "t2")
	p.stop(t)
}

// flood has ten users send until each was refused many times in a row, and
// returns how many messages of each were acknowledged.
func (s *scene) flood(p *process) map[string]int {
	acked := make(map[string]int)
	var mu sync.Mutex
	var flooding sync.WaitGroup
	for n := range 10 {
		flooding.Go(func() {
			user, count := fmt.Sprint("u", n), 0
			for refused := 0; refused < 20; {
				status, header := s.say(p, fmt.Sprint(user, "/", count+1), user, fmt.Sprintf("t%d %s", count+1, bulk))
				switch {
				case status == http.StatusOK:
					count, refused = count+1, 0
				case status == http.StatusServiceUnavailable && header.Get("Retry-After") != "":
					refused++
				default:
					s.t.Errorf("status %d, Retry-After %q; %v", status, header.Get("Retry-After"), p.tail())
					refused = 20
				}
			}
			mu.Lock()
			defer mu.Unlock()
			acked[user] = count
		})
	}
	flooding.Wait()
	return acked
}

// answered expects t1 to tn for each user, once and in order, whatever follows
// in them.
func (s *scene) answered(acked map[string]int) {
	s.t.Helper()
	told := s.told()
	for user, n := range acked {
		numbers := make([]string, len(told[user]))
		for i, text := range told[user] {
			numbers[i], _, _ = strings.Cut(text, " ")
		}
		if want := counted(n); !slices.Equal(numbers, want) {
			s.t.Errorf("%s was told %s, want %s", user, brief(numbers), brief(want))
		}
	}
}
