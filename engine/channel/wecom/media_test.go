package wecom

import (
	"os"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

func (r *rig) sends(task string, a engine.Action, file string) engine.Command {
	return does(task, "lina", a, map[string]any{"url": r.URL + "/cgi-bin/files/" + file})
}

func mediaRig(t *testing.T) *rig {
	r := appRig(t)
	r.takesUploads("media/upload")
	t.Setenv("TMPDIR", t.TempDir())
	t.Cleanup(func() {
		if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
			t.Errorf("a temporary file is left: %v", left)
		}
	})
	return r
}

func TestAFileIsUploadedOnce(t *testing.T) {
	r := mediaRig(t)
	s := r.sender(t)
	c := r.sends("t-1", engine.SendFile, "doc.pdf")
	c.Params["name"] = `报价 "2026"/1.pdf`
	sent(t, s, c)
	got, err := readUpload(&r.to("media/upload")[0])
	want := uploaded{"media", "____2026__1.pdf", "18", "application/pdf", files["files/doc.pdf"]}
	if err != nil || got != want {
		t.Errorf("uploaded %+v (%v), want %+v", got, err, want)
	}
	sent(t, s, r.sends("t-2", engine.SendFile, "doc.pdf"))
	wantCalls(t, r.fakeCom, "media/upload", 1)
	sent(t, s, r.sends("t-3", engine.SendImage, "a.png"))
	wantCalls(t, r.fakeCom, "media/upload", 2)
	r.clock.pass(mediaKept)
	sent(t, s, r.sends("t-4", engine.SendFile, "doc.pdf"))
	wantCalls(t, r.fakeCom, "media/upload", 3)
}

// The platform may forget a file before we do.
func TestAMediaIDThatWasForgottenIsReplacedOnce(t *testing.T) {
	for _, code := range []int{40007, 41006} {
		r := mediaRig(t)
		s := r.sender(t)
		sent(t, s, r.sends("t-1", engine.SendFile, "doc.pdf"))
		r.on("message/send", func(q *heard) string {
			if strings.Contains(q.body, "media-1") {
				return refuses(code, "invalid media_id")
			}
			return delivers
		})
		sent(t, s, r.sends("t-2", engine.SendFile, "doc.pdf"))
		wantCalls(t, r.fakeCom, "media/upload", 2)

		r.says("message/send", refuses(code, "invalid media_id"))
		failed(t, s, r.sends("t-3", engine.SendFile, "doc.pdf"), channel.Permanent)
		wantCalls(t, r.fakeCom, "media/upload", 3)
		failed(t, s, does("t-4", "lina", engine.SendFile, map[string]any{"media_id": "theirs"}), channel.Permanent)
		wantCalls(t, r.fakeCom, "media/upload", 3)
	}
}

func TestFilesThatCannotBeSent(t *testing.T) {
	r := mediaRig(t)
	s := r.sender(t)
	for name, c := range map[string]struct {
		does engine.Command
		want channel.Class
	}{
		"too small":                   {r.sends("t", engine.SendFile, "tiny"), channel.Permanent},
		"not there":                   {r.sends("t", engine.SendFile, "none"), channel.Permanent},
		"not there for now":           {r.sends("t", engine.SendFile, "busy"), channel.Transient},
		"too large a sound":           {r.sends("t", engine.SendVoice, "big.png"), channel.Permanent},
		"too large for customers":     {does("t", session, engine.SendImage, map[string]any{"url": r.URL + "/cgi-bin/files/big.png"}), channel.Permanent},
		"no address":                  {does("t", "lina", engine.SendFile, map[string]any{"url": "a.png"}), channel.Permanent},
		"a file of this machine":      {does("t", "lina", engine.SendFile, map[string]any{"url": "file:///etc/passwd"}), channel.Permanent},
		"an address that is none":     {does("t", "lina", engine.SendFile, map[string]any{"url": "http://a b"}), channel.Permanent},
		"an address with credentials": {does("t", "lina", engine.SendFile, map[string]any{"url": "https://u:p@e.com"}), channel.Permanent},
		"nobody at home":              {does("t", "lina", engine.SendFile, map[string]any{"url": "http://127.0.0.1:1/?sign=hidden"}), channel.Transient},
	} {
		t.Run(name, func(t *testing.T) {
			if e := failed(t, s, c.does, c.want); strings.Contains(e.Note, "hidden") {
				t.Errorf("the note has the signed address: %s", e.Note)
			}
		})
	}
	wantCalls(t, r.fakeCom, "message/send", 0)
}

func TestUploadsThatFail(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		want   channel.Class
		tries  int
	}{
		"refused":          {refuses(40004, "invalid media type"), channel.Permanent, 2},
		"blocked":          {refuses(45009, "too often"), channel.Throttled, 1},
		"hung up":          {"", channel.Transient, 1}, // nothing was said to anybody yet
		"not allowed":      {refuses(60020, "not allowed"), channel.Halted, 1},
		"an empty success": {`{"errcode":0}`, channel.Transient, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := mediaRig(t)
			r.says("media/upload", c.answer)
			failed(t, r.sender(t), r.sends("t-1", engine.SendFile, "doc.pdf"), c.want)
			wantCalls(t, r.fakeCom, "media/upload", c.tries)
			wantCalls(t, r.fakeCom, "message/send", 0)
		})
	}
}

func TestAnUploadThatIsRefusedGoesAgainAsPlainBytes(t *testing.T) {
	r := mediaRig(t)
	r.on("media/upload", func(q *heard) string {
		if u, err := readUpload(q); err != nil || u.kind != plainFile {
			return refuses(40004, "invalid media type")
		}
		return `{"type":"file","media_id":"M","created_at":"1767225600"}`
	})
	sent(t, r.sender(t), r.sends("t-1", engine.SendFile, "doc.pdf"))
}

func TestAnUploadGetsANewTokenToo(t *testing.T) {
	r := mediaRig(t)
	s := r.sender(t)
	sent(t, s, says("t-0", "lina", "a"))
	r.expire()
	sent(t, s, r.sends("t-1", engine.SendFile, "doc.pdf"))
	wantCalls(t, r.fakeCom, "media/upload", 2)
}

// The code dies while its picture travels.
func TestAWelcomeWhosePictureTookTooLong(t *testing.T) {
	r := mediaRig(t)
	inner := r.answers["media/upload"]
	r.on("media/upload", func(q *heard) string {
		r.clock.pass(18 * time.Second)
		return inner(q)
	})
	c := greets("t-1", "")
	c.Action, c.Params = engine.SendImage, map[string]any{"url": r.URL + "/cgi-bin/files/a.png"}
	failed(t, r.sender(t), c, channel.Permanent)
	wantCalls(t, r.fakeCom, "externalcontact/send_welcome_msg", 0)
}

func TestFileNames(t *testing.T) {
	for _, c := range []struct{ wanted, address, mime, want string }{
		{"a.pdf", "https://e.com/x", "", "a.pdf"},
		{"", "https://e.com/dir/b.png?sign=1", "", "b.png"},
		{"", "https://e.com/", "image/png", "file.png"},
		{"", "https://e.com", "text/plain", "file"},
		{"图", "https://e.com/x", "image/jpeg", "file.jpg"},
		{"../../etc/passwd", "", "", ".._.._etc_passwd"},
		{"a\"\r\nX: y.png", "", "", "a___X__y.png"},
		{strings.Repeat("a", 300) + ".pdf", "", "", strings.Repeat("a", 96) + ".pdf"},
		{"a." + strings.Repeat("b", 300), "", "", "a." + strings.Repeat("b", 98)},
	} {
		if got := fileName(c.wanted, c.address, c.mime); got != c.want {
			t.Errorf("%.20q of %s is %q, want %q", c.wanted, c.address, got, c.want)
		}
	}
}
