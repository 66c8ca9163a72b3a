package systemd

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// Notifier tells the service manager how the service is doing. A nil *Notifier
// is one that has nobody to tell. Its methods are safe for concurrent use, and
// never wait for the manager: what it cannot take is lost, as its protocol has it.
type Notifier struct {
	address string
	watch   time.Duration
	failed  func(error)
}

// NewNotifier reads whom to tell from the environment of the process pid; it
// is nil where that names nobody. failed is called when a note cannot be sent.
func NewNotifier(env Getenv, pid int, failed func(error)) (*Notifier, error) {
	address, _ := env("NOTIFY_SOCKET")
	if address == "" {
		return nil, nil
	}
	if address[0] != '/' && address[0] != '@' {
		return nil, fmt.Errorf("NOTIFY_SOCKET is %q, want a path or an abstract name that begins with @", address)
	}
	watch, err := watchdog(env, pid)
	if err != nil {
		return nil, err
	}
	return &Notifier{address: address, watch: watch, failed: failed}, nil
}

// watchdog is how long the manager waits for a sign of life; 0: it does not.
func watchdog(env Getenv, pid int) (time.Duration, error) {
	usec, _ := env("WATCHDOG_USEC")
	if usec == "" {
		return 0, nil
	}
	if forPID, found := env("WATCHDOG_PID"); found && forPID != strconv.Itoa(pid) {
		return 0, nil
	}
	n, err := strconv.ParseInt(usec, 10, 64)
	const longest = int64(365 * 24 * time.Hour / time.Microsecond)
	if err != nil || n <= 0 || n > longest {
		return 0, fmt.Errorf("WATCHDOG_USEC is %q, want microseconds up to a year", usec)
	}
	return time.Duration(n) * time.Microsecond, nil
}

// Ready says that the start, or a reload, is complete.
func (n *Notifier) Ready(status string) { n.tell("READY=1", "STATUS="+line(status)) }

// Stopping says that the service is on its way out.
func (n *Notifier) Stopping() { n.tell("STOPPING=1", "STATUS=stopping") }

// Reloading says that the configuration is being read again; Ready ends that.
func (n *Notifier) Reloading() {
	// The time lets the manager tell this reload from an earlier one.
	n.tell("RELOADING=1", fmt.Sprintf("MONOTONIC_USEC=%d", monotonic()), "STATUS=reloading")
}

// Watch gives a sign of life each third of the time the manager waits for one,
// as long as alive returns nil, until ctx is done. alive may take its time:
// while it does there is no sign, and that is what a watchdog is for. It
// returns at once where nobody waits.
func (n *Notifier) Watch(ctx context.Context, alive func(context.Context) error) {
	if n == nil || n.watch == 0 {
		return
	}
	tick := time.NewTicker(max(n.watch/3, time.Millisecond))
	defer tick.Stop()
	for {
		if err := alive(ctx); err == nil {
			n.tell("WATCHDOG=1")
		} else if ctx.Err() == nil {
			n.failed(fmt.Errorf("the watchdog is given no sign of life: %w", err))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// tell sends one note.
func (n *Notifier) tell(lines ...string) {
	if n == nil {
		return
	}
	if err := send(n.address, strings.Join(lines, "\n")); err != nil {
		n.failed(fmt.Errorf("tell systemd %s: %w", lines[0], err))
	}
}

// send opens the socket each time: there are a few notes an hour, and the
// manager may have been started anew in between.
func send(address, text string) error {
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: address, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
		return err
	}
	_, err = conn.Write([]byte(text))
	return err
}

// line is text that cannot be taken for another note.
func line(text string) string { return strings.ReplaceAll(text, "\n", " ") }
