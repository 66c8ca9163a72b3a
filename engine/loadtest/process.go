package loadtest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// process is a child that is measured. It never outlives the run.
type process struct {
	name string
	cmd  *exec.Cmd
	said *tail
	done chan struct{} // closed when it has ended
}

// outputWithin is how long after its end a process's output may be held open
// by something it started that got away.
const outputWithin = 5 * time.Second

// start runs a program in dir. Its output is kept for the error message in
// case that it ends on its own.
func start(ctx context.Context, name, dir string, env []string, argv ...string) (*process, error) {
	p := &process{name: name, said: new(tail), done: make(chan struct{})}
	p.cmd = exec.CommandContext(ctx, argv[0], argv[1:]...)
	p.cmd.Dir, p.cmd.Env = dir, append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = p.said, p.said
	p.cmd.WaitDelay = outputWithin
	asGroup(p.cmd)
	p.cmd.Cancel = func() error { return killGroup(p.cmd) }
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		p.cmd.Wait() // how it ended is of no interest: it was killed, or ended says what it wrote
		close(p.done)
	}()
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// kill ends it and what it started at once, as kill -9 does, and waits until
// it is gone.
func (p *process) kill() {
	killGroup(p.cmd) // an error says that it is gone already
	<-p.done
}

// ended is the error of a process that ended without being killed; nil while it runs.
func (p *process) ended() error {
	select {
	case <-p.done:
		return fmt.Errorf("%s ended: %v: %s", p.name, p.cmd.ProcessState, p.said)
	default:
		return nil
	}
}

// startWithin bounds the start of a server, recovery included.
const startWithin = 2 * time.Minute

// await asks again and again until the server is ready.
func (p *process) await(ctx context.Context, ready func(ctx context.Context) bool) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ready(ctx) {
		select {
		case <-tick.C:
		case <-p.done:
			return p.ended()
		case <-ctx.Done():
			return fmt.Errorf("wait for %s to be ready: %w: %s", p.name, context.Cause(ctx), p.said)
		}
	}
	return nil
}

// listening tells whether somebody takes connections there.
func listening(addr string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", addr)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}
}

// freeAddrs are n loopback addresses that were free a moment ago. The
// children's configurations need them in advance; should another program be
// faster, the child says so and the run ends.
func freeAddrs(n int) ([]string, error) {
	addrs := make([]string, n)
	for i := range addrs {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		defer l.Close() // when all are found, so that none comes twice
		addrs[i] = l.Addr().String()
	}
	return addrs, nil
}

// tail keeps the last few kilobytes of what is written to it.
type tail struct {
	mu sync.Mutex
	b  []byte
}

const tailSize = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b...)
	if over := len(t.b) - tailSize; over > 0 {
		t.b = append(t.b[:0], t.b[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := strings.TrimSpace(string(t.b)); s != "" {
		return s
	}
	return "it said nothing"
}
