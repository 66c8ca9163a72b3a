package peers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// script takes the lock and queues the message in one step, so that a crash
// between the two cannot lose it.
const script = `if redis.call('SET', KEYS[1], '1', 'NX', 'EX', ARGV[2]) then redis.call('LPUSH', KEYS[2], ARGV[1]) return 1 end return 0`

// GoRedis is the best that a Go service in front of Redis can do without
// giving its guarantees up: one script call per callback, and one round trip
// for all callbacks that wait at the same time. With appendfsync always an
// answered message is on disk.
type GoRedis struct {
	conn *redis
	sha  []byte
	line *line[queued]
}

// queued is a callback that the next round trip takes along.
type queued struct{ id, body []byte }

// NewGoRedis connects to the Redis at addr and loads the script.
func NewGoRedis(ctx context.Context, addr string) (*GoRedis, error) {
	conn, err := dialRedis(ctx, addr)
	if err != nil {
		return nil, err
	}
	conn.send([]byte("SCRIPT"), []byte("LOAD"), []byte(script))
	if err := conn.flush(); err != nil {
		return nil, fmt.Errorf("load script: %w", err)
	}
	sha, err := conn.reply()
	if err != nil {
		return nil, fmt.Errorf("load script: %w", err)
	}
	return &GoRedis{conn: conn, sha: []byte(sha), line: newLine[queued]()}, nil
}

// ServeHTTP answers when the callback's batch was carried out.
func (g *GoRedis) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	id := messageID(body)
	if err != nil || id == nil {
		http.Error(w, `{"status":"error"}`, http.StatusBadRequest)
		return
	}
	if err := g.line.add(queued{id, body}); err != nil {
		http.Error(w, `{"status":"error"}`, http.StatusInternalServerError)
		return
	}
	io.WriteString(w, `{"status":"success"}`)
}

// messageID reads the body as the usual receiver does; nil when it is not one.
func messageID(body []byte) []byte {
	var m message
	if json.Unmarshal(body, &m) != nil || m.ID == "" {
		return nil
	}
	return []byte(m.ID)
}

// Run makes the round trips until ctx is done or the connection fails. It
// closes the connection.
func (g *GoRedis) Run(ctx context.Context) error {
	defer g.conn.conn.Close()
	return g.line.serve(ctx, g.commit)
}

func (g *GoRedis) commit(callbacks []queued) error {
	for _, c := range callbacks {
		key := append([]byte(lockPrefix), c.id...)
		g.conn.send([]byte("EVALSHA"), g.sha, []byte("2"), key, []byte(queueName), c.body, []byte(lockFor))
	}
	if err := g.conn.flush(); err != nil {
		return fmt.Errorf("write to redis: %w", err)
	}
	for range callbacks {
		if _, err := g.conn.reply(); err != nil {
			return err
		}
	}
	return nil
}
