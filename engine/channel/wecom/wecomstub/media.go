package wecomstub

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

	"bot/engine/stub"
)

const (
	mediaLife = 3 * 24 * time.Hour
	maxMedia  = 100 // files kept, the newest
	leastFile = 5   // bytes that a file must exceed
)

// files are the files that were uploaded.
type files []*file

type file struct {
	id, kind, name string
	body           []byte
	until          time.Time
}

func (all files) find(id string, now time.Time) *file {
	for _, f := range all {
		if f.id == id && now.Before(f.until) {
			return f
		}
	}
	return nil
}

// upload keeps a file. Of one beyond the stub's own limit only the beginning is
// kept.
func (p *Platform) upload(c *stub.Call, _ object) stub.Answer {
	kind := c.Query.Get("type")
	if !slices.Contains([]string{"image", "voice", "video", "file"}, kind) {
		return refusal(40004)
	}
	name, body, err := mediaPart(c)
	switch {
	case err != nil:
		return refusal(44001)
	case len(body) <= leastFile:
		return refusal(40058)
	}
	f := &file{id: p.nextID("MEDIA"), kind: kind, name: name, body: body, until: p.now().Add(mediaLife)}
	if p.media = append(p.media, f); len(p.media) > maxMedia {
		p.media = p.media[1:]
	}
	return success(object{"type": kind, "media_id": f.id, "created_at": strconv.FormatInt(p.now().Unix(), 10)})
}

// mediaPart reads the one part that an upload has.
func mediaPart(c *stub.Call) (name string, body []byte, err error) {
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
	if errors.Is(err, io.ErrUnexpectedEOF) && len(c.Body) > stub.MaxBody/2 {
		err = nil // the stub itself has read no more
	}
	return part.FileName(), body, err
}

// download gives a file, or a part of it. That there is none is said with 200
// and in JSON.
func (p *Platform) download(c *stub.Call, _ object) stub.Answer {
	f := p.media.find(c.Query.Get("media_id"), p.now())
	if f == nil {
		return refusal(40007)
	}
	a := stub.Answer{Status: http.StatusOK, Body: string(f.body), Header: map[string]string{
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
