package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"bot/engine/app"
	"bot/engine/config"
	"bot/engine/nearest"
	"bot/engine/systemd"
)

// service is what ties run to a service manager, if one started it.
type service struct {
	notify   *systemd.Notifier
	sockets  map[string]net.Listener // by the keys of the configuration
	life     context.Context         // until close
	end      context.CancelFunc
	watching sync.WaitGroup
	stopping atomic.Bool
}

// socketNames are the FileDescriptorName= of the sockets that run takes, and the
// keys whose listeners they are.
var socketNames = map[string]string{"callback": "server.listen", "admin": "admin.listen"}

// newService takes over what the manager of the process pid passed to it.
func newService(env systemd.Getenv, pid int, cfg *config.Config, log *slog.Logger) (*service, error) {
	notify, err := systemd.NewNotifier(env, pid, func(err error) { log.Warn("service manager", "error", err) })
	if err != nil {
		return nil, err
	}
	passed, err := systemd.Listeners(env, pid)
	if err != nil {
		return nil, err
	}
	s := &service{notify: notify, sockets: make(map[string]net.Listener)}
	var errs []error
	for name, l := range passed {
		key, known := socketNames[name]
		if !known {
			errs = append(errs, fmt.Errorf("systemd passes a socket named %q%s; the names are %s", name,
				nearest.Hint(name, slices.Collect(maps.Keys(socketNames))), strings.Join(slices.Sorted(maps.Keys(socketNames)), ", ")))
			continue
		}
		s.sockets[key] = l
		// What is checked of the address in the file, such as that a token guards
		// one that others can reach, has to be true of the socket.
		want := map[string]string{"server.listen": cfg.Server.Listen, "admin.listen": cfg.Admin.Listen}[key]
		if !sameAddress(want, l.Addr()) {
			errs = append(errs, fmt.Errorf("%s is %q, but the socket %q that systemd passes is %s (give its .socket unit the same ListenStream=)",
				key, want, name, l.Addr()))
		}
	}
	if len(errs) > 0 {
		for _, l := range passed {
			l.Close()
		}
		return nil, errors.Join(errs...)
	}
	s.life, s.end = context.WithCancel(context.Background())
	return s, nil
}

// sameAddress tells whether a socket is what the address asks for; port 0 asks
// for any.
func sameAddress(want string, got net.Addr) bool {
	is, ok := got.(*net.TCPAddr)
	asked, err := net.ResolveTCPAddr("tcp", want)
	if !ok || err != nil || asked.Port != 0 && asked.Port != is.Port {
		return false
	}
	if len(asked.IP) == 0 || asked.IP.IsUnspecified() {
		return is.IP.IsUnspecified()
	}
	return asked.IP.Equal(is.IP)
}

// attach has the engine of o listen on what was passed, and say how it does.
// alive is asked for signs of life from its start on.
func (s *service) attach(o *app.Options, alive func(context.Context) error) {
	var status atomic.Pointer[string] // nil before the start and after the stop
	o.Listeners = s.sockets
	o.Started = func(at app.Addrs) {
		text := "callbacks on " + at.Callback + ", admin on " + at.Admin
		status.Store(&text)
		s.notify.Ready(text)
		s.watch(alive)
	}
	o.Reloading = func() func() {
		if status.Load() == nil {
			return func() {}
		}
		s.notify.Reloading()
		return func() {
			if text := status.Load(); text != nil {
				s.notify.Ready(*text)
			}
		}
	}
	o.Stopping = func() {
		status.Store(nil)
		s.stopping.Store(true)
		s.notify.Stopping()
	}
}

// watch gives the signs of life that the manager waits for until close. A stop
// is under another clock, the manager's own for it.
func (s *service) watch(alive func(context.Context) error) {
	s.watching.Go(func() {
		s.notify.Watch(s.life, func(ctx context.Context) error {
			err := alive(ctx)
			if s.stopping.Load() {
				return nil
			}
			return err
		})
	})
}

// close ends the signs of life. The engine has closed the sockets it took.
func (s *service) close() {
	s.end()
	s.watching.Wait()
}
