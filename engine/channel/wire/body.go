package wire

import (
	"context"
	"io"
	"net/http"
)

// body is the rest of an answer. At its end it gives the connection back.
type body struct {
	src  io.Reader
	conn *conn // nil once it was given back
	pool *pool
	ctx  context.Context
	keep bool  // both sides agree that another request may follow
	err  error // what Read says once the connection is gone
}

func (b *body) Read(p []byte) (int, error) {
	if b.conn == nil {
		return 0, b.err
	}
	n, err := b.src.Read(p)
	switch {
	case err == nil:
		return n, nil
	case err == io.EOF:
		b.err = io.EOF
		b.finish(b.keep)
	default:
		b.err = b.conn.because(b.ctx, err)
		b.finish(false)
	}
	return n, b.err
}

// Close closes the connection unless the body was read to its end. It does not
// wait for the rest.
func (b *body) Close() error {
	if b.conn != nil {
		b.finish(false)
	}
	b.err = http.ErrBodyReadAfterClose
	return nil
}

func (b *body) finish(keep bool) {
	b.pool.giveBack(b.conn, keep)
	b.conn = nil
}
