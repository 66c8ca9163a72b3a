package cli_test

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bot/engine/stub"
)

// shell is a folder in which somebody types commands.
type shell struct {
	testing.TB
	dir string
	env []string // the whole environment of what is run
}

func newShell(t testing.TB) *shell {
	t.Helper()
	return &shell{TB: t, dir: t.TempDir(), env: []string{}}
}

// said is what a command answered.
type said struct {
	code     int
	out, err string
}

// bot runs the real program to its end.
func (s *shell) bot(args ...string) said {
	s.Helper()
	return s.typed("", args...)
}

// typed is bot with something on its standard input.
func (s *shell) typed(input string, args ...string) said {
	s.Helper()
	path, err := binary()
	if err != nil {
		s.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = s.dir, s.env, strings.NewReader(input)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.Fatal(err)
	}
	if ctx.Err() != nil {
		s.Fatalf("bot %q does not end: %s%s", args, out.String(), complaints.String())
	}
	return said{cmd.ProcessState.ExitCode(), out.String(), complaints.String()}
}

func (s *shell) write(name, text string) string {
	s.Helper()
	return write(s, s.dir, name, text)
}

func (s *shell) path(name string) string { return filepath.Join(s.dir, name) }

// wants checks an exit code and that both outputs hold what they should; ""
// says that nothing is to be there.
func (a said) wants(t testing.TB, code int, out, complaint string) {
	t.Helper()
	if a.code != code {
		t.Errorf("exit %d, want %d", a.code, code)
	}
	for _, c := range []struct{ name, got, want string }{{"stdout", a.out, out}, {"stderr", a.err, complaint}} {
		if c.want == "" && c.got != "" || !strings.Contains(c.got, c.want) {
			t.Errorf("%s is %q, want %q", c.name, c.got, c.want)
		}
	}
}

// stubPermanent refuses every send for good while refuse says so.
func stubPermanent(refuse func() bool) stub.Options {
	return stub.Options{Script: func(stub.Call) *stub.Answer {
		if refuse() {
			return &stub.Answer{Status: 400, Body: `{"status":"error","message":"not a friend"}`}
		}
		return nil
	}}
}

// running is a program that goes on in the background, and all it prints.
type running struct {
	testing.TB
	cmd  *exec.Cmd
	dead chan struct{} // closed when it has ended
	mu   sync.Mutex
	text bytes.Buffer // stdout and stderr as they came
}

// Write implements io.Writer for both outputs.
func (r *running) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(b)
}

func (r *running) printed() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// start runs the real program until the test ends.
func (s *shell) start(args ...string) *running {
	s.Helper()
	path, err := binary()
	if err != nil {
		s.Fatal(err)
	}
	r := &running{TB: s.TB, cmd: exec.Command(path, args...), dead: make(chan struct{})}
	r.cmd.Dir, r.cmd.Env, r.cmd.Stdout, r.cmd.Stderr = s.dir, s.env, r, r
	if err := r.cmd.Start(); err != nil {
		s.Fatal(err)
	}
	go func() { r.cmd.Wait(); close(r.dead) }()
	s.Cleanup(r.kill)
	return r
}

func (r *running) kill() {
	r.cmd.Process.Kill()
	<-r.dead
}

// stop asks for a graceful end and returns the exit code.
func (r *running) stop() int {
	r.Helper()
	r.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-r.dead:
	case <-time.After(patience):
		r.Fatalf("no graceful stop: %s", r.printed())
	}
	return r.cmd.ProcessState.ExitCode()
}

// await returns the groups of the pattern's first match in what is printed, as
// soon as there is one.
func (r *running) await(pattern string) []string {
	r.Helper()
	re := regexp.MustCompile(pattern)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if m := re.FindStringSubmatch(r.printed()); m != nil {
			return m
		}
	}
	r.Fatalf("%s is not printed, but\n%s", pattern, r.printed())
	return nil
}
