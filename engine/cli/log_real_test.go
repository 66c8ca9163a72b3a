package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

const logged = `
[server]
listen = "127.0.0.1:0"
[admin]
listen = "127.0.0.1:0"
[[account]]
name = "shop"
channel = "generic"
path = "/in"
base_url = "http://127.0.0.1:9"
`

// reader starts the program with a pipe for its log, and reads until it is ready.
func reader(t *testing.T) (cmd *exec.Cmd, log *os.File, callback string) {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	log, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(path, "-config", write(t, t.TempDir(), "bot.toml", logged))
	cmd.Stderr = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() { cmd.Process.Kill(); log.Close() })
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		var rec struct{ Msg, Callback string }
		if json.Unmarshal(lines.Bytes(), &rec) == nil && rec.Msg == "ready" {
			return cmd, log, rec.Callback
		}
	}
	t.Fatal("the engine did not get ready")
	return nil, nil, ""
}

// flood sends callbacks whose log lines fill any pipe.
func flood(t *testing.T, callback string) {
	t.Helper()
	client := &http.Client{Timeout: 10 * time.Second}
	defer client.CloseIdleConnections()
	for i := range 1500 {
		body := fmt.Sprintf(`{"msg_id":"m%d","sender":"u","content":"hello"}`, i)
		resp, err := client.Post("http://"+callback+"/in", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatalf("callback %d: %v", i, err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("callback %d: status %d", i, resp.StatusCode)
		}
	}
}

func exit(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	cmd.Process.Signal(syscall.SIGTERM)
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(15 * time.Second):
		t.Fatal("no graceful stop")
	}
	return cmd.ProcessState.ExitCode()
}

func TestALogThatNobodyReadsHoldsUpNoStop(t *testing.T) {
	t.Parallel()
	cmd, _, callback := reader(t)
	flood(t, callback)
	if code := exit(t, cmd); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestALogReaderThatLeavesDoesNotEndTheEngine(t *testing.T) {
	t.Parallel()
	cmd, log, callback := reader(t)
	log.Close()
	flood(t, callback)
	if code := exit(t, cmd); code != 0 {
		t.Errorf("exit %d", code)
	}
}
