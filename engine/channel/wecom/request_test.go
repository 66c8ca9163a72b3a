package wecom

import (
	"net/http"
	"strings"
	"testing"

	"bot/engine"
	"bot/engine/channel"
)

// A server that fails may have done what it was asked for. That is in doubt
// where somebody would see it twice, and nowhere else.
func TestWhatAFailingServerLeavesInDoubt(t *testing.T) {
	file := func(r *rig) engine.Command { return r.sends("t-1", engine.SendFile, "doc.pdf") }
	text := func(*rig) engine.Command { return says("t-1", "lina", "a") }
	for _, c := range []struct {
		path   string
		status int
		does   func(r *rig) engine.Command
		want   channel.Class
	}{
		{"gettoken", 500, text, channel.Transient},
		{"gettoken", 503, text, channel.Transient},
		{"media/upload", 502, file, channel.Transient},
		{"message/send", 500, text, channel.Unsure},
		{"message/send", 502, file, channel.Unsure},
		{"message/send", 504, text, channel.Unsure},
		{"message/send", 503, text, channel.Transient},
		{"kf/send_msg", 502, func(*rig) engine.Command { return says("t-1", session, "a") }, channel.Unsure},
		{"externalcontact/send_welcome_msg", 502, func(*rig) engine.Command { return greets("t-1", "a") }, channel.Unsure},
	} {
		r := mediaRig(t)
		r.answersEverything(func(w http.ResponseWriter, q *http.Request) {
			if strings.HasSuffix(q.URL.Path, "/"+c.path) {
				w.WriteHeader(c.status)
				return
			}
			r.serve(w, q)
		})
		if e := failed(t, r.sender(t), c.does(r), c.want); e.Status != c.status {
			t.Errorf("%s: %v, want status %d", c.path, e, c.status)
		}
	}
}
