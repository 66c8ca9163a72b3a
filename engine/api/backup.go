package api

import (
	"io"
	"net/http"
	"strconv"
	"time"
)

// backupPatience is how long the caller of a backup may take nothing. A copy that
// goes on makes the store grow, so one that nobody reads must end.
const backupPatience = 30 * time.Second

// backup answers with a copy of the store as it is now. An answer that is shorter
// than its Content-Length is no copy.
func (a *api) backup(w http.ResponseWriter, r *http.Request) {
	if a.o.Backup == nil {
		fail(w, http.StatusNotImplemented, "not_here", "this store cannot be copied while it is in use")
		return
	}
	if !a.backingUp.TryLock() {
		fail(w, http.StatusConflict, "busy", "another backup is being made; wait for it")
		return
	}
	defer a.backingUp.Unlock()
	conn := http.NewResponseController(w)
	conn.SetReadDeadline(time.Time{}) // the listener's is for requests; past it the server takes the caller for gone
	started, size := time.Now(), int64(-1)
	err := a.o.Backup(r.Context(), func(bytes int64) io.Writer {
		size = bytes
		h := w.Header()
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Content-Length", strconv.FormatInt(bytes, 10))
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		return unhurried{w, conn}
	})
	took := time.Since(started).Milliseconds()
	switch {
	case err != nil && size < 0:
		a.storeError(w, err)
	case err != nil:
		a.o.Log.Warn("a backup broke off; what was sent of it is no copy", "error", err, "bytes", size, "took_ms", took)
	default:
		a.o.Log.Info("backup was sent", "bytes", size, "took_ms", took)
	}
}

// unhurried is a caller who may be slow but not idle.
type unhurried struct {
	w    io.Writer
	conn *http.ResponseController
}

func (p unhurried) Write(b []byte) (int, error) {
	if err := p.conn.SetWriteDeadline(time.Now().Add(backupPatience)); err != nil {
		return 0, err
	}
	return p.w.Write(b)
}
