package loadtest

import (
	"context"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func sh(t *testing.T, script string) *process {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell to start processes with")
	}
	p, err := start(t.Context(), "the child", t.TempDir(), []string{"WORD=hello"}, "sh", "-c", script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	return p
}

func never(context.Context) bool { return false }

func TestChildThatEndsExplainsItself(t *testing.T) {
	p := sh(t, "echo $WORD, no such file >&2; exit 3")
	err := p.await(t.Context(), never)
	if err == nil || !strings.Contains(err.Error(), "the child ended: exit status 3: hello, no such file") {
		t.Errorf("the error is %v", err)
	}
	if p.ended() == nil {
		t.Error("it passes for running")
	}
}

func TestKillTakesGrandchildrenAlong(t *testing.T) {
	// The grandchild holds the output open: kill only returns when it is gone.
	p := sh(t, "sleep 60 & wait")
	if p.ended() != nil {
		t.Fatal("it passes for ended")
	}
	begin := time.Now()
	p.kill()
	p.kill() // twice does no harm
	if took := time.Since(begin); took >= outputWithin {
		t.Errorf("kill took %v", took)
	}
}

func TestChildEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, err := start(ctx, "the child", t.TempDir(), nil, "sleep", "60")
	if err != nil {
		t.Skip(err)
	}
	cancel()
	<-p.done
}

func TestAwaitGivesUpWithTheContext(t *testing.T) {
	p := sh(t, "sleep 60")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := p.await(ctx, never); err == nil {
		t.Error("it is ready though it never was")
	}
}

func TestListening(t *testing.T) {
	addrs, err := freeAddrs(2)
	if err != nil {
		t.Fatal(err)
	}
	if addrs[0] == addrs[1] {
		t.Errorf("two addresses are both %s", addrs[0])
	}
	if listening(addrs[0])(t.Context()) {
		t.Error("somebody listens on a free address")
	}
	l, err := net.Listen("tcp", addrs[0])
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if !listening(addrs[0])(t.Context()) {
		t.Error("nobody listens on an address that is taken")
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var said tail
	if said.String() != "it said nothing" {
		t.Errorf("an empty tail reads %q", &said)
	}
	said.Write([]byte(strings.Repeat("x", 3*tailSize)))
	said.Write([]byte("the end\n"))
	if s := said.String(); len(s) > tailSize || !strings.HasSuffix(s, "xthe end") {
		t.Errorf("the tail has %d bytes and ends %q", len(s), s[len(s)-20:])
	}
}
