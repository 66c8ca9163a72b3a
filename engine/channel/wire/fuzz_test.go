package wire

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// Whatever a server says, in whatever pieces, and whether it then hangs up or
// falls silent: the request comes to an end by its deadline, nothing panics,
// no goroutine is left (or the bubble would never end), and a connection that
// was kept is in order.
func FuzzAnswer(f *testing.F) {
	for _, c := range answerCases {
		if len(c.answer) < 1000 {
			f.Add([]byte(c.answer), byte(7), c.hangUp, c.method == "HEAD")
		}
	}
	f.Add([]byte(good+good), byte(0), false, false)
	f.Add([]byte("HTTP/1.1 000 x\r\nContent-Length: 0\r\n\r\n"), byte(0), false, false)
	f.Fuzz(func(t *testing.T, answer []byte, piece byte, hangUp, head bool) {
		synctest.Test(t, func(t *testing.T) {
			const limit = 10 * time.Second
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			tr := &Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
				near, far := net.Pipe()
				go talk(far, answer, int(piece)+1, hangUp)
				return near, nil
			}}
			defer tr.CloseIdleConnections()
			method := http.MethodPost
			if head {
				method = http.MethodHead
			}
			begin := time.Now()
			o := send(ctx, tr, method, "http://x", "")
			if took := time.Since(begin); took > limit {
				t.Errorf("it took %v", took)
			}
			if o.header == nil {
				wantSent(t, o.err)
			}
			c := tr.pool.take(host{"http", "x"})
			if c == nil {
				return
			}
			defer c.close()
			if !o.whole || c.r.Buffered() > 0 || c.stop != nil {
				t.Errorf("kept after %v, with %d bytes, stop %v", o.err, c.r.Buffered(), c.stop != nil)
			}
		})
	})
}

// talk reads a request and says its answer in pieces.
func talk(c net.Conn, answer []byte, piece int, hangUp bool) {
	defer c.Close()
	if req, err := http.ReadRequest(newPeer(c).r); err != nil || req == nil {
		return
	}
	for len(answer) > 0 {
		n, err := c.Write(answer[:min(piece, len(answer))])
		if err != nil {
			return
		}
		answer = answer[n:]
	}
	if !hangUp {
		io.Copy(io.Discard, c)
	}
}
