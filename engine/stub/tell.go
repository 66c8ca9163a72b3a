package stub

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"bot/engine"
)

// patience is how long a platform waits for the answer to a callback, and
// repeats how often it calls again.
const (
	patience = 5 * time.Second
	repeats  = 3
)

// Told is what became of a callback.
type Told struct {
	Status int
	Body   []byte
	Calls  int // made, repeats included
	Taken  bool
}

// Tell makes the callback that says what happened to the bot's address target,
// and repeats it as platforms do when the answer is late or no success. The
// error is that of the last call.
func (s *Stub) Tell(ctx context.Context, target string, what Said) (Told, error) {
	what.Kind = cmp.Or(what.Kind, engine.Message)
	what.Type = cmp.Or(what.Type, "text")
	what.ID = cmp.Or(what.ID, strconv.FormatInt(s.ids.Add(1)+s.o.Now().UnixNano(), 10))
	if what.Time.IsZero() {
		what.Time = s.o.Now()
	}
	var told Told
	var err error
	for n := range repeats + 1 {
		told.Calls = n + 1
		told.Status, told.Body, err = s.tell(ctx, target, what, n)
		if told.Taken = err == nil && s.protocol.accepted(told.Status, told.Body); told.Taken || ctx.Err() != nil {
			break
		}
	}
	return told, err
}

func (s *Stub) tell(ctx context.Context, target string, what Said, repeat int) (int, []byte, error) {
	r, err := s.protocol.callback(target, what, repeat)
	if err != nil {
		return 0, nil, fmt.Errorf("make callback: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	resp, err := http.DefaultClient.Do(r.WithContext(ctx))
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	return resp.StatusCode, body, err
}
