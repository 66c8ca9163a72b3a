package wecomstub

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bot/engine/stub"
)

// form is an upload with one part.
func form(t *testing.T, part, name string, body []byte) (contentType string, data []byte) {
	t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	p, err := m.CreateFormFile(part, name)
	if err != nil {
		t.Fatal(err)
	}
	p.Write(body)
	m.Close()
	return m.FormDataContentType(), b.Bytes()
}

func TestMedia(t *testing.T) {
	w := newCorp(t, stub.Options{})
	upload := func(part string, body []byte) map[string]any {
		t.Helper()
		kind, data := form(t, part, "a.jpg", body)
		r := httptest.NewRequest("POST", "/cgi-bin/media/upload?type=image&access_token="+w.token, bytes.NewReader(data))
		r.Header.Set("Content-Type", kind)
		var m map[string]any
		if err := json.NewDecoder(w.do(r).Body).Decode(&m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	if m := upload("file", []byte("123456")); m["errcode"] != 44001.0 {
		t.Errorf("a part of another name: %v", m)
	}
	if m := upload("media", []byte("12345")); m["errcode"] != 40058.0 {
		t.Errorf("five bytes: %v", m)
	}
	if m := upload("media", bytes.Repeat([]byte{'x'}, 3<<20)); m["errcode"] != 0.0 {
		t.Errorf("more than the stub reads: %v", m)
	}
	m := upload("media", []byte("0123456789"))
	if _, text := m["created_at"].(string); !text || m["errcode"] != 0.0 {
		t.Errorf("got %v, want created_at as a string", m)
	}
	get := func(id, part string) (int, string) {
		r := httptest.NewRequest("GET", "/cgi-bin/media/get?media_id="+id+"&access_token="+w.token, nil)
		if part != "" {
			r.Header.Set("Range", part)
		}
		resp := w.do(r)
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b)
	}
	id, _ := m["media_id"].(string)
	if status, body := get(id, ""); status != 200 || body != "0123456789" {
		t.Errorf("got %d %q", status, body)
	}
	if status, body := get(id, "bytes=2-4"); status != 206 || body != "234" {
		t.Errorf("a part: %d %q", status, body)
	}
	if status, body := get(id, "bytes=8-99"); status != 206 || body != "89" {
		t.Errorf("the end: %d %q", status, body)
	}
	w.now = w.now.Add(3 * 24 * time.Hour)
	w.token, _ = w.get("gettoken", "corpid=ww1&corpsecret=app-secret")["access_token"].(string)
	if status, body := get(id, ""); status != 200 || !strings.Contains(body, `"errcode":40007`) {
		t.Errorf("after three days: %d %q", status, body)
	}
}
