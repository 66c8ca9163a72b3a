// Package peers holds what the engine is compared with: the least a handler can do
// (Bare), the least that does it durably with bbolt (BareLog), a plain whole way in
// such a file (BareChain), and the two usual ways to take callbacks in with Redis.
// They are written to be fast rather than complete, and where the choice was ours it
// was made in their favour: none of them verifies signatures or counts, and the Redis
// client here is leaner than the usual libraries.
package peers

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/julienschmidt/httprouter"
)

// Flask holds app.py, which takes callbacks in, and worker.py, which answers them.
//
//go:embed flask
var Flask embed.FS

// The keys in Redis that both designs use.
const (
	lockPrefix = "lock:msg:"
	queueName  = "wechat_message_queue"
	lockFor    = "86400" // seconds
)

// maxBody is the engine's own limit.
const maxBody = 1 << 20

// Bare is H, the yardstick of throughput: it routes with httprouter, reads the
// body and answers 200. Everything a receiver of callbacks does comes on top.
func Bare(path string) http.Handler {
	return receive(path, func([]byte) error { return nil })
}

// errNoMessage is of a body that holds none.
var errNoMessage = errors.New("no message")

// receive answers what is posted to path with success once take has it.
func receive(path string, take func(body []byte) error) http.Handler {
	router := httprouter.New()
	router.POST(path, func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			http.Error(w, "invalid_data", http.StatusBadRequest)
			return
		}
		switch err := take(body); {
		case errors.Is(err, errNoMessage):
			http.Error(w, "invalid_data", http.StatusBadRequest)
		case err != nil:
			http.Error(w, "error", http.StatusInternalServerError)
		default:
			io.WriteString(w, "success")
		}
	})
	return router
}

// message is what the usual receiver declares of a callback.
type message struct {
	ID      string `json:"msg_id"`
	Sender  string `json:"sender"`
	Content string `json:"content"`
}

// Serve answers on addr until ctx is done.
func Serve(ctx context.Context, addr string, h http.Handler) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", addr, err)
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { s.Close() })()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve on %s: %w", addr, err)
	}
	return nil
}
