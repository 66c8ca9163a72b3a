package wecom

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"bot/engine/channel"
)

// Whatever the platform answers, it is taken for a success only where it says
// so.
func FuzzVerdict(f *testing.F) {
	for _, body := range []string{allOK, delivers, `{"errcode":"0"}`, `{"errcode":null,"msgid":"m"}`, refuses(45009, "x"), `<html>`, `[{"errcode":0}]`, `{"errcode":0`, `{"errcode":1e2}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p := &platform{now: func() time.Time { return noon }}
		err := p.judge(&channel.Call{}, &request{path: "message/send", witness: "msgid"}, 200, body)
		var v map[string]any
		broken := json.Unmarshal(body, &v) != nil
		if err == nil && (broken || len(v) == 0) {
			t.Errorf("%q is a success", body)
		}
		if e, ok := sendError(err).(*channel.SendError); err != nil && (!ok || e.Class == "" || e.Class == channel.Throttled && e.Until.IsZero()) {
			t.Errorf("%q: %v", body, err)
		}
	})
}

func FuzzFileName(f *testing.F) {
	f.Add("报价.pdf", "https://e.com/a.png?x=1", "image/png")
	f.Add("a\r\nb\".", "", "")
	f.Fuzz(func(t *testing.T, wanted, address, mime string) {
		name := fileName(wanted, address, mime)
		if name == "" || len(name) > maxName || strings.ContainsAny(name, "\"\r\n/\\ ;") || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r >= 0x7f }) {
			t.Errorf("%q", name)
		}
	})
}
