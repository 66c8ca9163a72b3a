//go:build unix

package generic

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// BenchmarkSend sends texts to a gateway on the loopback that does next to
// nothing but is part of the figures; cpu-ns/op is what the whole process used.
func BenchmarkSend(b *testing.B) {
	for _, senders := range []int{1, 32} {
		b.Run(fmt.Sprint("senders=", senders), func(b *testing.B) {
			client := channel.NewClient()
			defer client.CloseIdleConnections()
			s, err := newSender(channel.Account{Name: "shop", AppID: appID, Token: "t0ken", BaseURL: "http://" + gateway(b)}, channel.Host{Client: client, Now: time.Now})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			before := cpu(b)
			b.ResetTimer()
			var all sync.WaitGroup
			for i := range senders {
				all.Go(func() {
					c := &engine.Command{TaskID: fmt.Sprint("event-0123456789-", i), Conversation: "user-test-01", Action: engine.SendText, Text: strings.Repeat("你好，欢迎。", 10)}
					for range (b.N + i) / senders {
						if err := sendOnce(s, c); err != nil {
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

func sendOnce(s channel.Sender, c *engine.Command) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, err := s.Send(ctx, c)
	return err
}

// gateway reads requests as far as it must and answers all alike.
func gateway(b *testing.B) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	var all sync.WaitGroup
	b.Cleanup(func() { l.Close(); all.Wait() })
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				answerAll(c)
			})
		}
	})
	return l.Addr().String()
}

func answerAll(c net.Conn) {
	answer := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{\"status\":\"success\"}")
	r, length := bufio.NewReader(c), 0
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return
		}
		if n, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			length, _ = strconv.Atoi(string(bytes.TrimSpace(n)))
		}
		if len(line) == 2 {
			r.Discard(length)
			c.Write(answer)
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
