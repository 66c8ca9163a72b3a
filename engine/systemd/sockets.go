// Package systemd speaks the two protocols by which a service manager and a
// service work together: sockets that the manager opened and passes on
// (sd_listen_fds), so that a restart refuses no connection, and notes on how
// the service is doing (sd_notify), watchdog included.
//
// Both are an environment variable and a few lines; they are written out here
// because what matters to an operator is what a library leaves out: a socket
// that cannot be used is an error that names it, and the watchdog is told only
// what was found out.
package systemd

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Getenv looks up a variable of the environment, as os.LookupEnv does.
type Getenv func(name string) (value string, found bool)

// firstSocket is the descriptor of the first socket that is passed.
const firstSocket = 3

// mostSockets is far more than anybody passes; it keeps a slip in the
// environment from closing descriptors that are somebody else's.
const mostSockets = 64

// Listeners takes over the sockets that were passed to the process pid, by the
// names that FileDescriptorName= gave them. There are none where it was not
// started that way. Call it once: the descriptors are closed behind it, and
// with an error all of them are.
func Listeners(env Getenv, pid int) (map[string]net.Listener, error) {
	names, err := passed(env, pid)
	if err != nil {
		return nil, err
	}
	all := make(map[string]net.Listener, len(names))
	var errs []error
	for i, name := range names {
		f := os.NewFile(uintptr(firstSocket+i), name)
		l, err := net.FileListener(f) // of a copy, which no child process inherits
		if err = errors.Join(err, f.Close()); err != nil {
			errs = append(errs, fmt.Errorf("socket %q that systemd passed: %w (its .socket unit needs ListenStream= with a port)", name, err))
			continue
		}
		all[name] = l
	}
	if len(errs) > 0 {
		for _, l := range all {
			l.Close()
		}
		return nil, errors.Join(errs...)
	}
	return all, nil
}

// passed is the names of the sockets for the process pid, in their order.
func passed(env Getenv, pid int) ([]string, error) {
	forPID, _ := env("LISTEN_PID")
	count, _ := env("LISTEN_FDS")
	if forPID == "" || count == "" || forPID != strconv.Itoa(pid) {
		return nil, nil // meant for a parent, which left its environment to us
	}
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 || n > mostSockets {
		return nil, fmt.Errorf("LISTEN_FDS is %q, want the number of sockets that are passed, at most %d", count, mostSockets)
	}
	if n == 0 {
		return nil, nil
	}
	list, _ := env("LISTEN_FDNAMES")
	names := strings.Split(list, ":")
	if len(names) != n {
		return nil, fmt.Errorf("systemd passes %d sockets and the names %q (give each .socket unit its own FileDescriptorName=)", n, list)
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("systemd passes two sockets named %q (let each .socket unit have one ListenStream= and a FileDescriptorName= of its own)", name)
		}
	}
	return names, nil
}
