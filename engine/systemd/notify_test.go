package systemd

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// manager is the socket on which a service manager listens.
type manager struct {
	testing.TB
	conn *net.UnixConn
	path string
}

func newManager(t testing.TB) *manager {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there are no datagram sockets in the file system here")
	}
	path := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &manager{t, conn, path}
}

// notifier is one that tells m, with that time of the watchdog ("": none).
func (m *manager) notifier(watchdog string) *Notifier {
	m.Helper()
	n, err := NewNotifier(environment(map[string]string{"NOTIFY_SOCKET": m.path, "WATCHDOG_USEC": watchdog}), 7,
		func(err error) { m.Error(err) })
	if err != nil {
		m.Fatal(err)
	}
	return n
}

// told waits for the next note; "" when there is none within the time.
func (m *manager) told(within time.Duration) string {
	m.Helper()
	m.conn.SetReadDeadline(time.Now().Add(within))
	b := make([]byte, 4096)
	n, err := m.conn.Read(b)
	if err != nil {
		return ""
	}
	return string(b[:n])
}

func TestEachStepIsOneNote(t *testing.T) {
	m := newManager(t)
	n := m.notifier("")
	for _, c := range []struct {
		say  func()
		want string
	}{
		{func() { n.Ready("callbacks\nSTOPPING=1") }, `^READY=1\nSTATUS=callbacks STOPPING=1$`},
		{n.Reloading, `^RELOADING=1\nMONOTONIC_USEC=\d+\nSTATUS=reloading$`},
		{n.Stopping, `^STOPPING=1\nSTATUS=stopping$`},
	} {
		c.say()
		if got := m.told(time.Second); !regexp.MustCompile(c.want).MatchString(got) {
			t.Errorf("told %q, want %s", got, c.want)
		}
	}
}

func TestASignOfLifeIsGivenOnlyWhileThereIsLife(t *testing.T) {
	m := newManager(t)
	ctx, cancel := context.WithCancel(t.Context())
	var stuck atomic.Bool
	over := make(chan struct{})
	n := m.notifier("30000") // one each 10 ms
	go func() {
		defer close(over)
		n.Watch(ctx, func(ctx context.Context) error {
			if stuck.Load() {
				<-ctx.Done()
			}
			return ctx.Err()
		})
	}()
	for range 3 {
		if got := m.told(5 * time.Second); got != "WATCHDOG=1" {
			t.Fatalf("told %q, want a sign of life", got)
		}
	}
	stuck.Store(true)
	for m.told(100*time.Millisecond) != "" { // those that were under way
	}
	if got := m.told(200 * time.Millisecond); got != "" {
		t.Errorf("told %q by an engine that is stuck", got)
	}
	cancel()
	<-over
}

func TestWhatFailsIsNoSignOfLifeAndIsSaid(t *testing.T) {
	m := newManager(t)
	said := make(chan error, 1)
	n := m.notifier("30000000")
	n.failed = func(err error) { said <- err }
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		n.Watch(ctx, func(context.Context) error { return errors.New("the store is gone") })
	}()
	if err := <-said; !strings.Contains(err.Error(), "the store is gone") {
		t.Error(err)
	}
	cancel()
	<-over
	if got := m.told(50 * time.Millisecond); got != "" {
		t.Errorf("told %q", got)
	}
}

func TestWhereNobodyListensNothingIsSaid(t *testing.T) {
	n, err := NewNotifier(environment(nil), 7, func(err error) { t.Error(err) })
	if n != nil || err != nil {
		t.Fatal(n, err)
	}
	n.Ready("")
	n.Reloading()
	n.Stopping()
	n.Watch(t.Context(), func(context.Context) error { t.Error("asked for nobody"); return nil })
}

func TestASocketThatIsGoneIsToldOf(t *testing.T) {
	m := newManager(t)
	var said error
	n := m.notifier("")
	n.failed = func(err error) { said = err }
	m.conn.Close()
	n.Stopping()
	if said == nil || !strings.Contains(said.Error(), "tell systemd STOPPING=1") {
		t.Error(said)
	}
}

func TestTheEnvironmentOfTheWatchdog(t *testing.T) {
	for name, c := range map[string]struct {
		usec, pid string
		want      time.Duration
		err       string
	}{
		"none":                {},
		"for whoever asks":    {usec: "60000000", want: time.Minute},
		"for this process":    {usec: "60000000", pid: "7", want: time.Minute},
		"for another process": {usec: "60000000", pid: "8"},
		"no number":           {usec: "1min", err: `WATCHDOG_USEC is "1min"`},
		"nothing":             {usec: "0", err: "want microseconds"},
		"longer than fits":    {usec: "9223372036854775807", err: "up to a year"},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{"WATCHDOG_USEC": c.usec}
			if c.pid != "" {
				env["WATCHDOG_PID"] = c.pid
			}
			got, err := watchdog(environment(env), 7)
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Fatalf("error %v, want %q", err, c.err)
			}
			if got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
	if _, err := NewNotifier(environment(map[string]string{"NOTIFY_SOCKET": "relative"}), 7, nil); err == nil {
		t.Error("a relative socket was taken")
	}
}
