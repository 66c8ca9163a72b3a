package wecom

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"

	"bot/engine/channel"
	"bot/engine/fetch"
)

// file is a file on its way from somebody's address to the platform. It lies
// on disk, so that a send takes no more memory for a large one.
type file struct {
	disk *os.File
	size int64
	sum  [sha256.Size]byte
	mime string // as its first bytes look
	name string
}

func (f *file) close() {
	f.disk.Close()
	os.Remove(f.disk.Name())
}

// bytes are the whole file, from its beginning.
func (f *file) bytes() io.Reader { return io.NewSectionReader(f.disk, 0, f.size) }

// fetchFile gets what stands at an address that a user or a skill gave: at most
// max bytes. Nothing but the file itself is the outcome, so no failure is in
// doubt.
func fetchFile(ctx context.Context, client *http.Client, address string, max int64) (*file, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, permanent("the param url is no address")
	}
	if err := channel.CheckURL(u); err != nil {
		return nil, permanent("the param url: " + err.Error())
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, permanent("the param url is no address")
	}
	resp, err := client.Do(req)
	if errors.Is(err, fetch.ErrPrivate) {
		return nil, unfetched(u, channel.Permanent, fetch.ErrPrivate.Error())
	}
	if err != nil {
		return nil, unfetched(u, channel.Transient, cause(err).Error())
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusRequestTimeout, resp.StatusCode >= 500:
		return nil, unfetched(u, channel.Transient, resp.Status)
	case resp.StatusCode != http.StatusOK:
		return nil, unfetched(u, channel.Permanent, resp.Status)
	case resp.ContentLength > max:
		return nil, unfetched(u, channel.Permanent, tooLarge(max))
	}
	return spool(u, resp.Body, max)
}

// spool writes the body to disk.
func spool(from *url.URL, body io.Reader, max int64) (*file, error) {
	disk, err := os.CreateTemp("", "bot-upload-*")
	if err != nil {
		return nil, unfetched(from, channel.Transient, "no temporary file: "+err.Error())
	}
	f := &file{disk: disk}
	head, sum := new(head), sha256.New()
	f.size, err = io.Copy(io.MultiWriter(disk, sum, head), io.LimitReader(body, max+1))
	f.mime = head.mime()
	sum.Sum(f.sum[:0])
	switch {
	case err != nil:
		f.close()
		return nil, unfetched(from, channel.Transient, err.Error())
	case f.size > max:
		f.close()
		return nil, unfetched(from, channel.Permanent, tooLarge(max))
	case f.size < minFile:
		f.close()
		return nil, unfetched(from, channel.Permanent, fmt.Sprintf("a file must have %d bytes and more", minFile))
	}
	return f, nil
}

func tooLarge(max int64) string {
	return fmt.Sprintf("larger than the %d MiB that WeCom takes", max>>20)
}

// unfetched names the host alone: what follows it may be a signed address.
func unfetched(u *url.URL, class channel.Class, why string) error {
	return new(channel.Call).Fail(class, 0, "fetch from "+u.Host+": "+why)
}

// cause is an error without the address that net/http puts before it.
func cause(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// head keeps the first bytes that are written to it, which tell the type.
type head struct {
	b [512]byte
	n int
}

func (h *head) Write(p []byte) (int, error) {
	h.n += copy(h.b[h.n:], p)
	return len(p), nil
}

func (h *head) mime() string {
	b := h.b[:h.n]
	if strings.HasPrefix(string(b), "#!AMR") {
		return "audio/amr"
	}
	mime, _, _ := strings.Cut(http.DetectContentType(b), ";")
	return mime
}

// extensions are for files whose names lack one.
var extensions = map[string]string{
	"image/jpeg": ".jpg", "image/png": ".png", "audio/amr": ".amr", "video/mp4": ".mp4", "application/pdf": ".pdf",
}

// maxName bounds a file's name in bytes.
const maxName = 100

// fileName is the name a file is uploaded under: the one that was asked for, or
// the end of its address. What is not printable ASCII, quotes and separators
// become "_", as Tencent's own plugin has it.
func fileName(wanted, address, mime string) string {
	name := wanted
	if u, err := url.Parse(address); err == nil && name == "" {
		name = path.Base(u.Path)
	}
	name = strings.Map(func(r rune) rune {
		if r <= ' ' || r >= 0x7f || strings.ContainsRune(`"'/\:;*?<>|%`, r) {
			return '_'
		}
		return r
	}, name)
	stem, ext := name, path.Ext(name)
	if len(ext) < 2 || len(ext) > 16 || strings.Contains(ext, "_") {
		ext = extensions[mime]
	} else {
		stem = strings.TrimSuffix(name, ext)
	}
	if strings.Trim(stem, "._") == "" {
		stem = "file"
	}
	return stem[:min(len(stem), maxName-len(ext))] + ext
}
