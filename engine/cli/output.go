package cli

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
)

// output is where a verb prints. It remembers the first error, so that no print
// has to be asked how it went. It is safe for concurrent use.
type output struct {
	to  io.Writer
	mu  sync.Mutex
	err error
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.err == nil {
			o.err = err
		}
	}
	return n, err
}

// lost is why not all of the output arrived. Whoever read it and had enough, like
// head, closed the pipe: that is no error.
func (o *output) lost() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if errors.Is(o.err, syscall.EPIPE) {
		return nil
	}
	return o.err
}

// terminal tells whether there is somebody at the other end of an input or an
// output, who sees at once what is written there.
func terminal(end any) bool {
	if o, ok := end.(*output); ok {
		end = o.to
	}
	f, ok := end.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
