package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"testing"
)

// leaky takes some bytes and fails from then on.
type leaky struct {
	takes int
	err   error
}

func (l *leaky) Write(b []byte) (int, error) {
	if l.takes -= len(b); l.takes < 0 {
		return 0, l.err
	}
	return len(b), nil
}

func TestAnOutputThatWasLostIsAFailure(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
	const told = "bot: what was printed is not complete: write /dev/stdout: no space left on device (run it again with its output sent elsewhere)\n"
	for _, tt := range []struct {
		name string
		args []string
		out  io.Writer
		code int
		err  string
	}{
		{"nothing is lost", []string{"version"}, io.Discard, exitOK, ""},
		{"the device is full", []string{"version"}, &leaky{0, full}, exitFailed, told},
		{"also where JSON is printed", []string{"version", "-json"}, &leaky{0, full}, exitFailed, told},
		{"also in the middle", []string{"help"}, &leaky{300, full}, exitFailed, told},
		{"who read it has had enough", []string{"version"}, &leaky{0, fmt.Errorf("write |1: %w", syscall.EPIPE)}, exitOK, ""},
		{"what failed anyway says why by itself", []string{"frobnicate"}, &leaky{0, full}, exitUsage, "bot: there is no command \"frobnicate\"; `bot help` lists them\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var complaints bytes.Buffer
			code := Main(context.Background(), tt.args, Parts{Out: tt.out, Err: &complaints})
			if code != tt.code || complaints.String() != tt.err {
				t.Errorf("exit %d, %q; want %d, %q", code, complaints.String(), tt.code, tt.err)
			}
		})
	}
}

func TestTheFirstErrorIsRemembered(t *testing.T) {
	first := errors.New("first")
	l := &leaky{0, first}
	o := &output{to: l}
	o.Write([]byte("a"))
	l.takes, l.err = 0, errors.New("second")
	o.Write([]byte("b"))
	l.takes = 10
	if n, err := o.Write([]byte("c")); n != 1 || err != nil {
		t.Errorf("writes %d, %v", n, err)
	}
	if o.lost() != first {
		t.Errorf("remembers %v", o.lost())
	}
}

func TestATerminalIsSeenThroughTheOutput(t *testing.T) {
	device, err := os.Open(os.DevNull) // a character device, as terminals are
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	for name, tt := range map[string]struct {
		end  any
		want bool
	}{
		"itself": {device, true}, "behind the output": {&output{to: device}, true},
		"a buffer": {&bytes.Buffer{}, false}, "a buffer behind it": {&output{to: &bytes.Buffer{}}, false},
	} {
		if got := terminal(tt.end); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
