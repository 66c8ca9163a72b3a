package stub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"bot/engine"
)

// line is a call as it is printed.
type line struct {
	Time       time.Time       `json:"time"`
	Seq        int             `json:"seq"`
	Method     string          `json:"method"`
	Path       string          `json:"path"`
	Action     engine.Action   `json:"action,omitempty"`
	Key        string          `json:"idempotency_key,omitempty"`
	Repeat     bool            `json:"repeat,omitempty"`
	Authorized bool            `json:"authorized"` // the token itself is not printed
	Status     int             `json:"status"`     // 0 = hung up on
	Refused    bool            `json:"refused,omitempty"`
	Body       json.RawMessage `json:"body"` // a string where it is not JSON
}

func (s *Stub) print(c *Call) {
	if s.o.Out == nil {
		return
	}
	l := line{
		Time: c.Time, Seq: c.Seq, Method: c.Method, Path: c.Path, Action: c.Action, Key: c.Key, Repeat: c.Repeat,
		Authorized: c.Authorized, Status: c.Status, Refused: c.Refused, Body: c.Body,
	}
	if !json.Valid(c.Body) {
		l.Body, _ = json.Marshal(string(c.Body))
	}
	b, err := json.Marshal(l)
	if err != nil {
		return // cannot be: every field encodes
	}
	s.printing.Lock()
	defer s.printing.Unlock()
	s.o.Out.Write(append(b, '\n'))
}

// Run serves on l until ctx is done. Calls in hand get a second to end. It may be
// called again.
func (s *Stub) Run(ctx context.Context, l net.Listener) error {
	defer s.Close()
	srv := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	stopped := make(chan error, 1)
	defer context.AfterFunc(ctx, func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		err := srv.Shutdown(grace)
		srv.Close()
		stopped <- err
	})()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve stub: %w", err)
	}
	if err := <-stopped; err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("stop stub: %w", err)
	}
	return nil
}

// ParseShare reads a share of requests as the command line has it: "5%" or "0.05".
func ParseShare(text string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	x, err := strconv.ParseFloat(number, 64)
	if percent {
		x /= 100
	}
	if err != nil || !(x >= 0 && x <= 1) {
		return 0, fmt.Errorf("%q is not a share (like \"5%%\")", text)
	}
	return x, nil
}
