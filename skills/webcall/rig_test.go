package webcall

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/fetch"
	"bot/skills/kind"
	"bot/skills/render"
	"bot/skills/skilltest"
)

// draft is what a skill holds whose table is under [skill.http].
type draft struct {
	kind.Keys
	HTTP Table `toml:"http"`
}

// read makes the service of a table; SERVER in it is the address of a server.
func read(t testing.TB, toml string, client func(func(string) bool) *http.Client) (*Service, *kind.Draft) {
	t.Helper()
	c := skilltest.Parse(t, "[[skill]]\nname = \"s\"\nmatch = \"regex\"\npatterns = ['^say (.+)$']\n[skill.http]\n"+toml)
	d := kind.NewDraft(c.Sections[0], kind.World{Fetch: client})
	v := draft{HTTP: Defaults()}
	d.Decode(&v)
	return New(d, "http", v.HTTP, d.Seen()), d
}

// service is a table that is good, against a real server.
func service(t testing.TB, toml string, answer http.HandlerFunc) *Service {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	s, d := read(t, strings.ReplaceAll(toml, "SERVER", server.URL), fetch.NewClient)
	if err := d.Err(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.client.CloseIdleConnections)
	return s
}

// said is the data of a turn in which a text was said.
func said(text string) *render.Data {
	return &render.Data{
		User: "u1", UserName: text, Text: text, Match: []string{text, text},
		Now: time.Unix(0, 0).UTC(), Day: "1970-01-01",
	}
}

// call makes one call with a key of the test's own.
func call(t testing.TB, s *Service, text string) Result {
	t.Helper()
	r, err := s.Call(t.Context(), said(text), "key")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// turnOf is a turn of an event with that id.
func turnOf(id string) *engine.Turn {
	return &engine.Turn{Event: &engine.Event{Account: "shop", Kind: engine.Message, ID: id, Received: time.Unix(1, 0)}}
}
