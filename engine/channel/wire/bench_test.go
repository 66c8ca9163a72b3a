//go:build unix

package wire

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"syscall"
	"testing"
	"time"
)

// BenchmarkRoundTrip sends small requests over kept connections, by this
// transport and by net/http's, as one sender and as many. The server on the
// loopback does next to nothing but is part of the figures; cpu-ns/op is what
// the whole process used.
func BenchmarkRoundTrip(b *testing.B) {
	kinds := []struct {
		name      string
		transport func() http.RoundTripper
	}{
		{"wire", func() http.RoundTripper { return &Transport{} }},
		{"net-http", func() http.RoundTripper {
			return &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: maxIdle}
		}},
	}
	for _, senders := range []int{1, 32} {
		for _, kind := range kinds {
			b.Run(fmt.Sprintf("senders=%d/%s", senders, kind.name), func(b *testing.B) {
				client := &http.Client{Transport: kind.transport()}
				defer client.CloseIdleConnections()
				u, err := url.Parse("http://" + curt(b) + "/v1/message/send_text")
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				before := cpu(b)
				b.ResetTimer()
				var all sync.WaitGroup
				for i := range senders {
					all.Go(func() {
						for range (b.N + i) / senders {
							if err := roundTrip(client.Transport, u); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				all.Wait()
				b.ReportMetric(float64(cpu(b)-before)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}

const benchBody = 300

var (
	benchPayload = bytes.Repeat([]byte("x"), benchBody)
	benchHeader  = http.Header{"Content-Type": {"application/json"}, "Idempotency-Key": {"event-0123456789-0"}, "Authorization": {"Bearer t0ken"}}
)

func roundTrip(rt http.RoundTripper, u *url.URL) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	req := (&http.Request{
		Method: http.MethodPost, URL: u, Header: benchHeader,
		Body: io.NopCloser(bytes.NewReader(benchPayload)), ContentLength: benchBody,
	}).WithContext(ctx)
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// curt is a server that finds the end of a request without reading it, and
// answers the same each time, without an allocation.
func curt(b *testing.B) (address string) {
	answer := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{\"status\":\"success\"}")
	s := serve(b, func(p *peer) {
		for skipRequest(p.r) == nil {
			p.Write(answer)
		}
	})
	return s.url[len("http://"):]
}

func skipRequest(r *bufio.Reader) error {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) == 2 {
			_, err = r.Discard(benchBody)
			return err
		}
	}
}

// cpu is the processor time that this process has used.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
