package loadtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"bot/engine/loadtest/peers"
)

// errAbsent is a program that a comparison needs and that is not installed.
var errAbsent = errors.New("not installed")

// bare starts H, in a process of its own like everything that is measured.
func (b *bench) bare(ctx context.Context, _ string) (*server, error) {
	addrs, err := freeAddrs(1)
	if err != nil {
		return nil, err
	}
	return b.child(ctx, addrs[0], "bare")
}

// child starts this binary in one of the roles of Serve.
func (b *bench) child(ctx context.Context, addr, role string, args ...string) (*server, error) {
	argv := append([]string{b.Program, "loadtest", "-serve", role, addr}, args...)
	p, err := start(ctx, role, b.dir, nil, argv...)
	if err != nil {
		return nil, err
	}
	s := &server{addr: addr, processes: []*process{p}}
	if err := p.await(ctx, listening(addr)); err != nil {
		s.kill()
		return nil, err
	}
	return s, nil
}

// bareLog starts L, on a file of its own.
func (b *bench) bareLog(ctx context.Context, _ string) (*server, error) {
	addrs, err := freeAddrs(1)
	if err != nil {
		return nil, err
	}
	return b.inFolder("", func(dir string) (*server, error) {
		return b.child(ctx, addrs[0], "barelog", filepath.Join(dir, storeName))
	})
}

// bareChain starts C, on a file of its own.
func (b *bench) bareChain(ctx context.Context, url string) (*server, error) {
	addrs, err := freeAddrs(1)
	if err != nil {
		return nil, err
	}
	return b.inFolder("", func(dir string) (*server, error) {
		return b.child(ctx, addrs[0], "barechain", filepath.Join(dir, storeName), url)
	})
}

// Serve plays a peer in a process of its own: "bare ADDR", "barelog ADDR FILE",
// "barechain ADDR FILE PLATFORM" or "goredis ADDR REDIS". It works until ctx is done.
func Serve(ctx context.Context, args []string) error {
	switch {
	case len(args) == 2 && args[0] == "bare":
		return peers.Serve(ctx, args[1], peers.Bare(callbackPath))
	case len(args) == 3 && args[0] == "barelog":
		return serveBareLog(ctx, args[1], args[2])
	case len(args) == 4 && args[0] == "barechain":
		return serveBareChain(ctx, args[1], args[2], args[3])
	case len(args) == 3 && args[0] == "goredis":
		return serveGoRedis(ctx, args[1], args[2])
	}
	return fmt.Errorf("there is no peer %q", strings.Join(args, " "))
}

func serveBareLog(ctx context.Context, addr, file string) error {
	l, err := peers.NewBareLog(file, callbackPath)
	if err != nil {
		return err
	}
	return serveBeside(ctx, addr, l, l.Run)
}

func serveBareChain(ctx context.Context, addr, file, platform string) error {
	c, err := peers.NewBareChain(file, callbackPath, platform)
	if err != nil {
		return err
	}
	return serveBeside(ctx, addr, c, c.Run)
}

func serveGoRedis(ctx context.Context, addr, redisAddr string) error {
	g, err := peers.NewGoRedis(ctx, redisAddr)
	if err != nil {
		return err
	}
	return serveBeside(ctx, addr, g, g.Run)
}

// serveBeside answers on addr while run does what makes the answers true.
func serveBeside(ctx context.Context, addr string, h http.Handler, run func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cancel(run(ctx)) // without it there is nothing to answer
	}()
	err := peers.Serve(ctx, addr, h)
	cancel(nil)
	<-ended
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// redis starts a Redis on a folder of its own; fsync is its appendfsync.
func (b *bench) redis(ctx context.Context, fsync string) (*server, error) {
	addrs, err := freeAddrs(1)
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(addrs[0])
	return b.inFolder("", func(dir string) (*server, error) {
		p, err := start(ctx, "redis-server", dir, nil, "redis-server", "--bind", "127.0.0.1", "--port", port,
			"--dir", dir, "--save", "", "--appendonly", "yes", "--appendfsync", fsync, "--daemonize", "no")
		if err != nil {
			return nil, err
		}
		s := &server{addr: addrs[0], processes: []*process{p}}
		if err := p.await(ctx, listening(s.addr)); err != nil {
			s.kill()
			return nil, err
		}
		return s, nil
	})
}

// goRedis starts the Go peer in front of a Redis.
func (b *bench) goRedis(fsync string) starter {
	return func(ctx context.Context, _ string) (*server, error) {
		addrs, err := freeAddrs(1)
		if err != nil {
			return nil, err
		}
		s, err := b.redis(ctx, fsync)
		if err != nil {
			return nil, err
		}
		front, err := b.child(ctx, addrs[0], "goredis", s.addr)
		if err != nil {
			s.kill()
			return nil, err
		}
		s.addr, s.processes = front.addr, append(s.processes, front.processes...)
		return s, nil
	}
}

// flask starts the Python peer in front of a Redis, with as many workers that
// answer. gunicorn runs as two processes of 16 threads, the fastest of the
// settings that were tried.
func (b *bench) flask(python, fsync string, workers int) starter {
	return func(ctx context.Context, url string) (*server, error) {
		addrs, err := freeAddrs(1)
		if err != nil {
			return nil, err
		}
		s, err := b.redis(ctx, fsync)
		if err != nil {
			return nil, err
		}
		if err := b.flaskAt(ctx, s, python, addrs[0], url, workers); err != nil {
			s.kill()
			return nil, err
		}
		s.addr = addrs[0]
		return s, nil
	}
}

// flaskAt adds the processes to the server, which is their Redis so far.
func (b *bench) flaskAt(ctx context.Context, s *server, python, addr, url string, workers int) error {
	code, err := fs.Sub(peers.Flask, "flask")
	if err == nil {
		err = os.CopyFS(filepath.Join(s.dir, "flask"), code)
	}
	if err != nil {
		return fmt.Errorf("write the peer's code: %w", err)
	}
	_, redisPort, _ := net.SplitHostPort(s.addr)
	env := []string{"REDIS_PORT=" + redisPort, "PLATFORM_PORT=" + url[strings.LastIndexByte(url, ':')+1:]}
	add := func(name string, argv ...string) (*process, error) {
		p, err := start(ctx, name, filepath.Join(s.dir, "flask"), env, append([]string{python}, argv...)...)
		if err == nil {
			s.processes = append(s.processes, p)
		}
		return p, err
	}
	for range workers {
		if _, err := add("worker.py", "worker.py"); err != nil {
			return err
		}
	}
	front, err := add("gunicorn", "-m", "gunicorn", "--bind", addr, "--workers", "2", "--worker-class", "gthread",
		"--threads", "16", "--keep-alive", "60", "--log-level", "warning", "app:app")
	if err != nil {
		return err
	}
	return front.await(ctx, answering(addr))
}

// answering tells whether requests are answered: gunicorn listens long before
// its workers have loaded the application. The body is one that the
// application refuses, so that nothing is stored.
func answering(addr string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		c, err := dial(ctx, addr, answerWithin)
		if err != nil {
			return false
		}
		defer c.close()
		_, err = c.post([]byte("POST " + callbackPath + " HTTP/1.1\r\nHost: " + addr + "\r\nContent-Length: 0\r\n\r\n"))
		return err == nil
	}
}

// findPython returns a Python that has what the Flask peer needs.
func findPython(ctx context.Context) (string, error) {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(ctx, python, "-c", "import flask, gunicorn, redis").Run() == nil {
			return python, nil
		}
	}
	return "", fmt.Errorf("flask, gunicorn and redis for python3 are %w (Debian: apt-get install python3-flask gunicorn python3-redis)", errAbsent)
}

// findRedis tells whether there is a Redis to be started.
func findRedis() error {
	if _, err := exec.LookPath("redis-server"); err != nil {
		return fmt.Errorf("redis-server is %w (Debian: apt-get install redis-server)", errAbsent)
	}
	return nil
}
