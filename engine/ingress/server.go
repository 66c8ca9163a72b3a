package ingress

import (
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Server is the callback listener's server.
type Server struct {
	*http.Server
	open atomic.Int64 // connections that were accepted and have not ended
}

// NewServer makes the callback listener's server. Whoever is slow is cut off:
// a request must be in within 10 seconds of its beginning, its header within
// 5. The server's own complaints go to log as warnings.
//
// The write time-out only ends connections nobody reads from; an answer may
// wait for the disk as long as queue.max_commit_wait lets it begin.
func NewServer(h http.Handler, log *slog.Logger) *Server {
	s := &Server{Server: &http.Server{
		Handler:                      h,
		ReadHeaderTimeout:            5 * time.Second,
		ReadTimeout:                  10 * time.Second,
		WriteTimeout:                 30 * time.Second,
		IdleTimeout:                  2 * time.Minute,
		MaxHeaderBytes:               16 << 10,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}}
	s.ConnState = s.count
	return s
}

func (s *Server) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.open.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.open.Add(-1)
	}
}

// lookAgain is how often Drain looks whether somebody is still inside.
const lookAgain = 2 * time.Millisecond

// Drain answers what comes in by the connections that were accepted, one request
// each, and ends those that are idle; whoever is not done within the time is cut off.
// Serve must have returned. http.Server.Shutdown does not do for callbacks: a request
// that it has read after it began is dropped without an answer.
func (s *Server) Drain(within time.Duration) error {
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	for end := time.Now().Add(within); s.open.Load() > 0 && time.Now().Before(end); <-look.C {
		s.SetKeepAlivesEnabled(false) // again and again: one may only now become idle
	}
	return s.Close()
}
