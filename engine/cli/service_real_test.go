//go:build unix

package cli_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"bot/engine/stub"
)

// manager plays systemd for the real program: it owns the sockets, passes them
// on with each start, and listens to what it is told.
type manager struct {
	testing.TB
	scene *scene
	files []*os.File
	names []string
	env   []string
	at    string // of the callbacks
	conn  *net.UnixConn
	mu    sync.Mutex
	notes []string
}

func newManager(t testing.TB, s *scene, names ...string) *manager {
	t.Helper()
	m := &manager{TB: t, scene: s, names: names}
	for _, name := range names {
		l, err := net.Listen("tcp", s.home+":0")
		if err != nil {
			t.Fatal(err)
		}
		f, err := l.(*net.TCPListener).File()
		if err != nil {
			t.Fatal(err)
		}
		l.Close() // f is the socket now
		t.Cleanup(func() { f.Close() })
		m.files = append(m.files, f)
		if name == "callback" {
			m.at = l.Addr().String()
		}
	}
	path := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	m.conn = conn
	m.env = []string{"NOTIFY_SOCKET=" + path, "WATCHDOG_USEC=300000"}
	var listening sync.WaitGroup
	listening.Go(m.listen)
	t.Cleanup(func() { conn.Close(); listening.Wait() })
	return m
}

func (m *manager) listen() {
	b := make([]byte, 4096)
	for {
		n, err := m.conn.Read(b)
		if err != nil {
			return
		}
		m.mu.Lock()
		m.notes = append(m.notes, string(b[:n]))
		m.mu.Unlock()
	}
}

// told waits until a note matches that came after the first since of them, and
// returns how many there were up to it.
func (m *manager) told(pattern string, since int) int {
	m.Helper()
	re := regexp.MustCompile(pattern)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		m.mu.Lock()
		for i, note := range m.notes[since:] {
			if re.MatchString(note) {
				m.mu.Unlock()
				return since + i + 1
			}
		}
		m.mu.Unlock()
	}
	m.Fatalf("was not told %s, but %q", pattern, m.notes[since:])
	return 0
}

func (m *manager) heard() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.notes)
}

// command is the program as systemd starts it: the shell is there because only
// the process itself knows its number.
func (m *manager) command() *exec.Cmd {
	m.Helper()
	path, err := binary()
	if err != nil {
		m.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`, path, "-config", m.scene.config)
	cmd.ExtraFiles = m.files
	cmd.Env = append(os.Environ(), m.env...)
	cmd.Env = append(cmd.Env, fmt.Sprint("LISTEN_FDS=", len(m.files)), "LISTEN_FDNAMES="+strings.Join(m.names, ":"))
	return cmd
}

func (m *manager) start() *process {
	m.Helper()
	p, ready := launchCommand(m, m.command())
	return await(m, p, ready)
}

// TestARestartRefusesNoConnection stops and starts the program under load, each
// message on a connection of its own.
func TestARestartRefusesNoConnection(t *testing.T) {
	s := newScene(t, stub.Options{}, realEcho)
	m := newManager(t, s, "callback", "admin")
	p := m.start()
	m.told("^READY=1\n", 0)
	if p.callback != m.at {
		t.Fatalf("listens on %s, not on the socket %s that was passed", p.callback, m.at)
	}

	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	var callers sync.WaitGroup
	var over atomic.Bool
	const users = 8
	var said [users]int
	for u := range users {
		callers.Go(func() {
			for n := 1; !over.Load(); n++ {
				body := fmt.Sprintf(`{"msg_id":"m%d-%d","sender":"u%d","content":"t%d"}`, u, n, u, n)
				resp, err := client.Post("http://"+m.at+"/in", "application/json", strings.NewReader(body))
				if err != nil {
					t.Errorf("message %d of %d: %v", n, u, err)
					return
				}
				resp.Body.Close()
				if resp.StatusCode != http.StatusOK {
					t.Errorf("message %d of %d: %s", n, u, resp.Status)
				}
				said[u] = n
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	for range 3 {
		time.Sleep(200 * time.Millisecond)
		since := m.heard()
		if code := p.stop(t); code != 0 {
			t.Fatalf("exit %d: %v", code, p.tail())
		}
		since = m.told("^STOPPING=1\n", since)
		time.Sleep(100 * time.Millisecond) // nobody is there; callers wait
		p = m.start()
		m.told("^READY=1\n", since)
	}
	time.Sleep(100 * time.Millisecond)
	over.Store(true)
	callers.Wait()
	s.idle(p)
	want := make(map[string][]string, users)
	for u, n := range said {
		if n < 4 { // one in each life
			t.Errorf("caller %d said only %d messages: there was no load", u, n)
		}
		want[fmt.Sprint("u", u)] = counted(n)
	}
	s.heard(want)
}

func TestTheManagerIsToldOfEachStep(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, realEcho)
	m := newManager(t, s, "callback", "admin")
	p := m.start()
	since := m.told(`^READY=1\nSTATUS=callbacks on `+regexp.QuoteMeta(m.at), 0)
	since = m.told("^WATCHDOG=1$", since)
	since = m.told("^WATCHDOG=1$", since)

	const reload = `^RELOADING=1\nMONOTONIC_USEC=[1-9]\d+\n`
	p.cmd.Process.Signal(syscall.SIGHUP)
	since = m.told("^READY=1\n", m.told(reload, since))
	if code, out, complaints := s.bot("reload"); code != 0 {
		t.Fatalf("reload: %d %s%s", code, out, complaints)
	}
	since = m.told("^READY=1\n", m.told(reload, since))
	s.configure("nonsense = 1\n" + realEcho)
	if code, _, _ := s.bot("reload"); code != 1 { // refused, and it goes on as before
		t.Errorf("reload of nonsense: exit %d", code)
	}
	since = m.told("^READY=1\n", m.told(reload, since))
	since = m.told("^WATCHDOG=1$", since)
	if code := p.stop(t); code != 0 {
		t.Errorf("exit %d", code)
	}
	m.told("^STOPPING=1\n", since)
}

func TestAStoppedProcessGivesNoSignOfLife(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, realEcho)
	m := newManager(t, s, "callback", "admin")
	p := m.start()
	m.told("^WATCHDOG=1$", 0)
	p.cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(100 * time.Millisecond)
	since := m.heard()
	time.Sleep(500 * time.Millisecond) // longer than the watchdog waits
	if now := m.heard(); now != since {
		t.Errorf("%d notes from a process that stands still", now-since)
	}
	p.cmd.Process.Signal(syscall.SIGCONT)
	m.told("^WATCHDOG=1$", since)
}

func TestOneSocketMayBePassedAlone(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, realEcho)
	m := newManager(t, s, "callback")
	p := m.start()
	if p.callback != m.at || p.admin == "" {
		t.Errorf("listens on %s and %s", p.callback, p.admin)
	}
	s.said(p, "m1", "u", "t1")
}

func TestSocketsThatAreNotTheConfigurationsAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sockets []string
		listen  string
		want    string
	}{
		"a name that means nothing": {[]string{"calback"}, "127.0.0.1:0", `a socket named "calback" (did you mean "callback"?)`},
		"another port":              {[]string{"callback"}, "127.0.0.1:9", `server.listen is "127.0.0.1:9", but the socket "callback" that systemd passes is HOME:`},
		"another address":           {[]string{"callback"}, ":0", `server.listen is ":0", but`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, stub.Options{}, realEcho)
			text, err := os.ReadFile(s.config)
			if err != nil {
				t.Fatal(err)
			}
			write(t, s.dir, "bot.toml", strings.Replace(string(text), fmt.Sprintf("listen = %q", s.home+":0"), fmt.Sprintf("listen = %q", c.listen), 1))
			m := newManager(t, s, c.sockets...)
			cmd := m.command()
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != 2 || !strings.Contains(string(out), strings.ReplaceAll(c.want, "HOME", s.home)) {
				t.Errorf("exit %d, want 2, and %s in\n%s", code, c.want, out)
			}
		})
	}
}
