package wire

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
)

type answerCase struct {
	name   string
	method string // "" = POST
	answer string
	hangUp bool // the server closes after it

	status  int // 0 = an error instead of an answer
	body    string
	cut     bool // reading the body ends in an error
	reuse   bool // the next request goes over the same connection
	differs bool // net/http's transport sees it otherwise
}

var answerCases = []answerCase{
	{name: "a length", answer: good, status: 200, body: "good", reuse: true},
	{name: "a length of nothing", answer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", status: 200, reuse: true},
	{name: "chunks", answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\ngo\r\n2;x=y\r\nod\r\n0\r\n\r\n", status: 200, body: "good", reuse: true},
	{name: "chunks and a trailer", answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n4\r\ngood\r\n0\r\nX: y\r\n\r\n", status: 200, body: "good", reuse: true},
	{name: "line feeds alone", answer: "HTTP/1.1 200 OK\nContent-Length: 4\n\ngood", status: 200, body: "good", reuse: true},
	{name: "no reason", answer: "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", status: 200, reuse: true},
	{name: "a refusal", answer: "HTTP/1.1 503 Busy\r\nRetry-After: 3\r\nContent-Length: 4\r\n\r\nbusy", status: 503, body: "busy", reuse: true},
	{name: "a redirect", answer: "HTTP/1.1 307 Go\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", status: 307, reuse: true},
	{name: "compressed, by its own word", answer: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\ngood", status: 200, body: "good", reuse: true},
	{name: "204", answer: "HTTP/1.1 204 No Content\r\n\r\n", status: 204, reuse: true},
	{name: "304 with the length of what is not sent", answer: "HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n", status: 304, reuse: true},
	{name: "HEAD with a length", method: "HEAD", answer: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", status: 200, reuse: true},
	{name: "HEAD of chunks", method: "HEAD", answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", status: 200, reuse: true},
	{name: "GET", method: "GET", answer: good, status: 200, body: "good", reuse: true},

	{name: "100 before it", answer: "HTTP/1.1 100 Continue\r\n\r\n" + good, status: 200, body: "good", reuse: true},
	{name: "103 before it", answer: "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + good, status: 200, body: "good", reuse: true},
	{name: "sixteen before it", answer: strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 16) + good, status: 200, body: "good", reuse: true},
	{name: "seventeen before it", answer: strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 17) + good, differs: true},
	{name: "only interim answers", answer: "HTTP/1.1 100 Continue\r\n\r\n", hangUp: true},
	{name: "101 is final", answer: "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", hangUp: true, status: 101},

	{name: "101 is the last", answer: "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", status: 101, differs: true}, // net/http hands out the connection

	{name: "the last of this connection", answer: "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\ngood", status: 200, body: "good"},
	{name: "a body that ends with the connection", answer: "HTTP/1.1 200 OK\r\n\r\ngood", hangUp: true, status: 200, body: "good"},
	{name: "HTTP/1.0", answer: "HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\ngood", hangUp: true, status: 200, body: "good"},
	{name: "HTTP/1.0 that stays", answer: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 4\r\n\r\ngood", status: 200, body: "good", reuse: true},
	{name: "closed after it, unannounced", answer: good, hangUp: true, status: 200, body: "good"},

	{name: "more than was asked for", answer: good + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nforge", status: 200, body: "good"},
	{name: "a line break too many", answer: good + "\r\n", status: 200, body: "good"},
	{name: "204 with a body", answer: "HTTP/1.1 204 No Content\r\n\r\ngood", status: 204},
	{name: "HEAD with a body", method: "HEAD", answer: good, status: 200},

	{name: "nothing", hangUp: true},
	{name: "half a status line", answer: "HTTP/1.1 20", hangUp: true},
	{name: "half a head", answer: "HTTP/1.1 200 OK\r\nContent-Le", hangUp: true},
	{name: "a head without its end", answer: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n", hangUp: true},
	{name: "a head and no body", answer: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", hangUp: true, status: 200, cut: true},
	{name: "half a body", answer: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngo", hangUp: true, status: 200, body: "go", cut: true},
	{name: "half the chunks", answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\ngo\r\n", hangUp: true, status: 200, body: "go", cut: true},
	{name: "chunks without their end", answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n0\r\n", hangUp: true, status: 200, body: "good", cut: true},
	{name: "a chunk without a size", answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", status: 200, cut: true},
	{name: "a chunk longer than its size", answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\ngood\r\n0\r\n\r\n", status: 200, body: "go", cut: true},

	{name: "not HTTP", answer: "SSH-2.0-x\r\n\r\n"},
	{name: "HTTP/2", answer: "HTTP/2.0 200 OK\r\nContent-Length: 4\r\n\r\ngood", status: 200, body: "good", reuse: true},
	{name: "a status of letters", answer: "HTTP/1.1 abc OK\r\n\r\n"},
	{name: "a negative length", answer: "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"},
	{name: "two lengths that differ", answer: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\ngood"},
	{name: "two lengths that agree", answer: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\ngood", status: 200, body: "good", reuse: true},
	{name: "a header without a colon", answer: "HTTP/1.1 200 OK\r\nX\r\n\r\n"},
	{name: "an unknown coding", answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\n\r\n"},

	{name: "a head of 60 KiB", answer: "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 60<<10) + "\r\nContent-Length: 4\r\n\r\ngood", status: 200, body: "good", reuse: true},
	{name: "a head of 70 KiB", answer: "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 70<<10) + "\r\nContent-Length: 4\r\n\r\ngood"},
	{name: "a head of many lines", answer: "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 20<<10) + "\r\n"},
	{name: "interim heads of 70 KiB together", answer: strings.Repeat("HTTP/1.1 103 Early Hints\r\nX: "+strings.Repeat("x", 10<<10)+"\r\n\r\n", 7) + good},
	{name: "a body far longer than a head may be", answer: "HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + strings.Repeat("x", 300_000), status: 200, body: strings.Repeat("x", 300_000), reuse: true},
}

// serve answers each request so, and hangs up if told.
func (a *answerCase) serve(t *testing.T) *server {
	return serve(t, func(p *peer) {
		for p.request() {
			p.say(a.answer)
			if a.hangUp {
				return
			}
		}
	})
}

func (a *answerCase) send(t *testing.T, rt http.RoundTripper, url string) outcome {
	if a.method == "" {
		return post(t, rt, url)
	}
	return send(t.Context(), rt, a.method, url, "")
}

func TestAnswers(t *testing.T) {
	for _, tt := range answerCases {
		t.Run(tt.name, func(t *testing.T) {
			s, tr := tt.serve(t), transport(t)
			for range 2 {
				o := tt.send(t, tr, s.url)
				if tt.status == 0 {
					wantSent(t, o.err)
				} else if o.status != tt.status || o.body != tt.body || o.whole == tt.cut {
					t.Errorf("got %d, %d bytes %.20q, %v", o.status, len(o.body), o.body, o.err)
				}
				if tt.hangUp && tr.idle() > 0 {
					tr.untilHeard(t, s.url)
				}
			}
			if n := s.requests.Load(); n != 2 {
				t.Errorf("%d requests arrived, want 2", n)
			}
			if n := s.conns.Load(); (n == 1) != tt.reuse {
				t.Errorf("%d connections for two requests", n)
			}
		})
	}
}

// What net/http's transport makes of an answer is what this one makes of it.
func TestAnswersAsNetHTTPSeesThem(t *testing.T) {
	for _, tt := range answerCases {
		if tt.differs {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			theirs := &http.Transport{DisableCompression: true, MaxResponseHeaderBytes: maxHeader}
			t.Cleanup(theirs.CloseIdleConnections)
			s := tt.serve(t)
			want := tt.send(t, theirs, s.url)
			got := tt.send(t, transport(t), s.url)
			if got.status != want.status || got.body != want.body || (got.err == nil) != (want.err == nil) {
				t.Errorf("got %d %.20q %v, net/http %d %.20q %v", got.status, got.body, got.err, want.status, want.body, want.err)
			}
			if !reflect.DeepEqual(got.header, want.header) {
				t.Errorf("headers %v, net/http %v", slices.Collect(maps.Keys(got.header)), slices.Collect(maps.Keys(want.header)))
			}
		})
	}
}
