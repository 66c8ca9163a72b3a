package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bot/engine/stub"
)

// TestSlowCallersBlockNobody: those who begin a request and do not go on are
// cut off in time, and meanwhile everybody else is served.
func TestSlowCallersBlockNobody(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, realEcho)
	p := start(t, s.config)
	beginnings := []string{
		"",
		"POST /in HT",
		"POST /in HTTP/1.1\r\nHost: x\r\nX-A: ",
		"POST /in HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{\"msg",
		"POST /in HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"m",
	}
	var cut sync.WaitGroup
	began := time.Now()
	for i := range 200 {
		conn, err := net.Dial("tcp", p.callback)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		if _, err := io.WriteString(conn, beginnings[i%len(beginnings)]); err != nil {
			t.Fatal(err)
		}
		cut.Go(func() { waitUntilCut(t, conn, began) })
	}
	for i := range 50 {
		at := time.Now()
		s.said(p, fmt.Sprint("m", i), "u", fmt.Sprint("t", i+1))
		if took := time.Since(at); took > time.Second {
			t.Errorf("a callback waited %v", took)
		}
	}
	s.idle(p)
	s.heard(map[string][]string{"u": counted(50)})
	cut.Wait()
}

// waitUntilCut reads until the other side ends the connection, which it must
// within the ten seconds that a request may take, and a little.
func waitUntilCut(t *testing.T, conn net.Conn, began time.Time) {
	conn.SetReadDeadline(began.Add(15 * time.Second))
	if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("a slow caller is still connected after 15 s")
	}
}

// TestTenThousandWaitingEvents: what waited is done after the restart, in
// order, and does not keep the program from being ready.
func TestTenThousandWaitingEvents(t *testing.T) {
	t.Parallel()
	const users, each = 100, 100
	s := newScene(t, stub.Options{}, "")
	s.configure(fmt.Sprintf("[[skill]]\nname = \"slow\"\nmatch = \"any\"\npoison = \"-\"\nuntil = %q\n", s.dir+"/go"))
	program := poisonProgram(t)
	p, ready := launchProgram(t, program, s.config)
	await(t, p, ready)
	want := make(map[string][]string)
	var posting sync.WaitGroup
	for n := range users {
		user := fmt.Sprint("u", n)
		want[user] = counted(each)
		posting.Go(func() {
			for i, text := range counted(each) {
				s.said(p, fmt.Sprint(user, "/", i), user, text)
			}
		})
	}
	posting.Wait()
	if st := s.state(p); st.Events != users*each {
		t.Fatalf("%d events wait, want %d", st.Events, users*each)
	}
	p.kill()

	began := time.Now()
	p, ready = launchProgram(t, program, s.config)
	await(t, p, ready)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("ready after %v", took)
	}
	if st := s.state(p); st.Events != users*each {
		t.Errorf("%d events wait after the restart, want %d", st.Events, users*each)
	}
	write(t, s.dir, "go", "")
	s.idle(p)
	s.heard(want)
}

// TestRefusedBodiesLeaveNoTrace: fifty bodies of two megabytes, announced or
// not, cost neither memory nor room.
func TestRefusedBodiesLeaveNoTrace(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, realEcho)
	p := start(t, s.config)
	s.said(p, "m1", "u", "t1")
	s.idle(p)
	before := resident(t, p)
	body := append([]byte(`{"msg_id":"big","sender":"u","content":"`), bytes.Repeat([]byte("x"), 2<<20)...)
	body = append(body, `"}`...)
	var posting sync.WaitGroup
	for worker := range 5 {
		posting.Go(func() {
			for range 10 {
				var r io.Reader = bytes.NewReader(body)
				if worker%2 == 1 {
					r = struct{ io.Reader }{r} // of unknown length: sent in chunks
				}
				resp, err := s.client.Post("http://"+p.callback+"/in", "application/json", r)
				if err != nil {
					continue // cut off while it was still sending: refused as well
				}
				resp.Body.Close()
				if resp.StatusCode != http.StatusRequestEntityTooLarge {
					t.Errorf("status %d", resp.StatusCode)
				}
			}
		})
	}
	posting.Wait()
	// Held in memory they would be 100 MiB; the collector lets garbage grow to
	// a part of that.
	if grown := resident(t, p) - before; grown > 64<<20 {
		t.Errorf("the most that was resident grew by %d MiB", grown>>20)
	}
	if st := s.state(p); st.Events != 0 || st.Commands != 0 || st.Dead != 0 {
		t.Errorf("state %+v", st)
	}
	s.heard(map[string][]string{"u": {"t1"}})
}

// resident is the most memory in bytes that the process has had.
func resident(t *testing.T, p *process) int64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("this system does not tell what is resident")
	}
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatal("no VmHWM")
	return 0
}
