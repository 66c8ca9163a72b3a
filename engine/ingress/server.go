package ingress

import (
	"log/slog"
	"net/http"
	"time"
)

// NewServer makes the callback listener's server. Whoever is slow is cut off:
// a request must be in within 10 seconds of its beginning, its header within
// 5. The server's own complaints go to log as warnings.
//
// The write time-out only ends connections nobody reads from; an answer may
// wait for the disk as long as queue.max_commit_wait lets it begin.
func NewServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:                      h,
		ReadHeaderTimeout:            5 * time.Second,
		ReadTimeout:                  10 * time.Second,
		WriteTimeout:                 30 * time.Second,
		IdleTimeout:                  2 * time.Minute,
		MaxHeaderBytes:               16 << 10,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
