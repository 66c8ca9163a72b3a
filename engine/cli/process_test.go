package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// binary builds the real program once for all tests of this package.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "bot-binary-")
	if err != nil {
		return "", err
	}
	return build(filepath.Join(dir, "bot"), "bot")
})

// build compiles a program as it is shipped.
func build(path, program string) (string, error) {
	cmd := exec.Command("go", "build", "-trimpath", "-o", path, program)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}

// process is the real program, running.
type process struct {
	cmd             *exec.Cmd
	callback, admin string
	dead            chan struct{} // closed when it has ended
	mu              sync.Mutex
	log             []map[string]any
}

// launch starts the program without waiting for it to be ready.
func launch(t testing.TB, config string) (p *process, ready <-chan bool) {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return launchProgram(t, path, config)
}

// launchProgram is launch of the program at path.
func launchProgram(t testing.TB, path, config string) (p *process, ready <-chan bool) {
	t.Helper()
	return launchCommand(t, exec.Command(path, "-config", config))
}

// launchCommand is launch of any command that ends as the program does.
func launchCommand(t testing.TB, cmd *exec.Cmd) (p *process, ready <-chan bool) {
	t.Helper()
	p = &process{cmd: cmd, dead: make(chan struct{})}
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	told := make(chan bool, 1)
	go p.read(stderr, told)
	return p, told
}

// read follows the program's log until its end.
func (p *process) read(stderr io.Reader, ready chan<- bool) {
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		rec := map[string]any{}
		if json.Unmarshal(lines.Bytes(), &rec) != nil {
			rec["msg"] = lines.Text()
		}
		p.mu.Lock()
		p.log = append(p.log, rec)
		if len(p.log) > 1000 {
			p.log = p.log[500:]
		}
		p.mu.Unlock()
		if rec["msg"] == "ready" {
			p.callback, p.admin = rec["callback"].(string), rec["admin"].(string)
			ready <- true
		}
	}
	p.cmd.Wait()
	close(p.dead)
	select {
	case ready <- false:
	default:
	}
}

// start launches the program and waits until it takes callbacks.
func start(t testing.TB, config string) *process {
	t.Helper()
	p, ready := launch(t, config)
	return await(t, p, ready)
}

// await waits until a launched program takes callbacks, and kills it when the
// test ends.
func await(t testing.TB, p *process, ready <-chan bool) *process {
	t.Helper()
	t.Cleanup(p.kill)
	select {
	case ok := <-ready:
		if !ok {
			t.Fatalf("the engine ended before it was ready: %v", p.tail())
		}
	case <-time.After(30 * time.Second):
		t.Fatalf("the engine is not ready: %v", p.tail())
	}
	return p
}

func (p *process) tail() []map[string]any {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]map[string]any(nil), p.log[max(0, len(p.log)-5):]...)
}

// wait returns the newest log record with that message, once there is one that
// was not there before.
func (p *process) wait(t testing.TB, msg string, since int) map[string]any {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		p.mu.Lock()
		for _, rec := range p.log[min(since, len(p.log)):] {
			if rec["msg"] == msg {
				p.mu.Unlock()
				return rec
			}
		}
		p.mu.Unlock()
	}
	t.Fatalf("no log record %q: %v", msg, p.tail())
	return nil
}

func (p *process) lines() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.log)
}

func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.dead
}

// stop asks for a graceful end and returns the exit code.
func (p *process) stop(t testing.TB) int {
	t.Helper()
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.dead:
	case <-time.After(30 * time.Second):
		t.Fatalf("no graceful stop: %v", p.tail())
	}
	return p.cmd.ProcessState.ExitCode()
}

// write puts a file into the folder and returns its path.
func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
