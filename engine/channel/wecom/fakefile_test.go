package wecom

import (
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
)

// The files that can be fetched, by their names.
var files = map[string]string{
	"files/a.png":   "\x89PNG\r\n\x1a\n and a picture",
	"files/tiny":    "12345",
	"files/doc.pdf": "%PDF-1.7 and so on",
	"files/big.png": "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 3<<20),
	"files/voice":   "#!AMR\nsounds",
}

func (f *fakeCom) file(w http.ResponseWriter, path string) {
	body, ok := files[path]
	switch {
	case path == "files/busy":
		http.Error(w, "later", http.StatusBadGateway)
	case !ok:
		http.Error(w, "none", http.StatusNotFound)
	default:
		io.WriteString(w, body)
	}
}

// uploaded is an upload as the platform read it.
type uploaded struct{ field, name, length, kind, bytes string }

// readUpload reads the one part of an upload.
func readUpload(q *heard) (u uploaded, err error) {
	boundary, _, _ := strings.Cut(strings.TrimPrefix(q.body, "--"), "\r\n")
	part, err := multipart.NewReader(strings.NewReader(q.body), boundary).NextPart()
	if err != nil {
		return u, err
	}
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return u, err
	}
	b, err := io.ReadAll(part)
	return uploaded{part.FormName(), params["filename"], params["filelength"], part.Header.Get("Content-Type"), string(b)}, err
}

// takesUploads answers uploads as the platform does, with ids in their order.
func (f *fakeCom) takesUploads(path string) {
	n := 0
	f.on(path, func(q *heard) string {
		u, err := readUpload(q)
		switch {
		case err != nil || u.field != "media":
			return refuses(41005, "missing media data")
		case len(u.bytes) <= 5:
			return refuses(44001, "empty media data")
		case fmt.Sprint(len(u.bytes)) != u.length:
			return refuses(40006, "invalid media size")
		}
		n++
		return fmt.Sprintf(`{"errcode":0,"errmsg":"ok","type":"file","media_id":"media-%d","created_at":"1767225600"}`, n)
	})
}
