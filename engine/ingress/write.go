package ingress

import (
	"net/http"
	"strconv"

	"bot/engine/channel"
)

// retryAfter is how many seconds a sender is asked to stay away.
const retryAfter = "2"

// write sends the answer out at once, before the handler returns.
func write(w http.ResponseWriter, a channel.Answer) {
	h := w.Header()
	h["Content-Type"] = nil // keeps net/http from guessing one
	if a.ContentType != "" {
		h.Set("Content-Type", a.ContentType)
	}
	h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	switch a.Status {
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", retryAfter)
	case http.StatusRequestEntityTooLarge, http.StatusRequestTimeout:
		// The rest of the body is not worth waiting for.
		h.Set("Connection", "close")
	}
	w.WriteHeader(a.Status)
	w.Write(a.Body) // nothing can be told to a client that has gone
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
