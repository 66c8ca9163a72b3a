package stub

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	mediaLife = 3 * 24 * time.Hour
	maxMedia  = 100 // files kept, the newest
	leastFile = 5   // bytes that a file must exceed
)

// wecomMedia are the files that were uploaded.
type wecomMedia []*wecomFile

type wecomFile struct {
	id, kind, name string
	body           []byte
	until          time.Time
}

func (all wecomMedia) find(id string, now time.Time) *wecomFile {
	for _, f := range all {
		if f.id == id && now.Before(f.until) {
			return f
		}
	}
	return nil
}

// upload keeps a file. Of one beyond the stub's own limit only the beginning is
// kept.
func (w *wecom) upload(c *Call, _ object) Answer {
	kind := c.Query.Get("type")
	if !slices.Contains([]string{"image", "voice", "video", "file"}, kind) {
		return c.refuse(40004)
	}
	name, body, err := mediaPart(c)
	switch {
	case err != nil:
		return c.refuse(44001)
	case len(body) <= leastFile:
		return c.refuse(40058)
	}
	f := &wecomFile{id: w.nextID("MEDIA"), kind: kind, name: name, body: body, until: w.now().Add(mediaLife)}
	if w.media = append(w.media, f); len(w.media) > maxMedia {
		w.media = w.media[1:]
	}
	return wecomAnswer(object{"type": kind, "media_id": f.id, "created_at": strconv.FormatInt(w.now().Unix(), 10)})
}

// mediaPart reads the one part that an upload has.
func mediaPart(c *Call) (name string, body []byte, err error) {
	_, params, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil {
		return "", nil, err
	}
	part, err := multipart.NewReader(bytes.NewReader(c.Body), params["boundary"]).NextPart()
	if err != nil {
		return "", nil, err
	}
	if part.FormName() != "media" || part.FileName() == "" {
		return "", nil, errors.New("the part is not media, or has no file name")
	}
	body, err = io.ReadAll(part)
	if errors.Is(err, io.ErrUnexpectedEOF) && len(c.Body) > maxBody/2 {
		err = nil // the stub itself has read no more
	}
	return part.FileName(), body, err
}

// download gives a file, or a part of it. That there is none is said with 200
// and in JSON.
func (w *wecom) download(c *Call, _ object) Answer {
	f := w.media.find(c.Query.Get("media_id"), w.now())
	if f == nil {
		return c.refuse(40007)
	}
	a := Answer{Status: http.StatusOK, Body: string(f.body), Header: map[string]string{
		"Content-Type":        "application/octet-stream",
		"Content-Disposition": mime.FormatMediaType("attachment", map[string]string{"filename": f.name}),
	}}
	var from, to int
	spec, asked := strings.CutPrefix(c.Header.Get("Range"), "bytes=")
	if n, _ := fmt.Sscanf(spec, "%d-%d", &from, &to); asked && n == 2 && 0 <= from && from <= to && from < len(f.body) {
		to = min(to, len(f.body)-1)
		a.Status, a.Body = http.StatusPartialContent, a.Body[from:to+1]
		a.Header["Content-Range"] = fmt.Sprintf("bytes %d-%d/%d", from, to, len(f.body))
	}
	return a
}
