package crypt

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"io"
)

// mediaChunk is what Media reads at a time.
const mediaChunk = 32 << 10

// Media decrypts a file that an AI bot received, as it is read. Files have no
// random bytes and no length before them, only the padding behind. The error is
// r's, or an *Error where the file is no such file; what was read before it may
// be anything and must be thrown away.
func (k *Key) Media(r io.Reader) io.Reader {
	return &media{from: r, cbc: cipher.NewCBCDecrypter(k.block, k.iv), buf: make([]byte, 0, mediaChunk+padTo)}
}

// media keeps back the last bytes of what it has until it knows that they are
// not the padding.
type media struct {
	from  io.Reader
	cbc   cipher.BlockMode
	buf   []byte // clear up to plain, then less than a block of ciphertext
	plain int
	out   int // of buf, given away
	ready int // of buf, may be given away
	err   error
}

// Read implements io.Reader.
func (m *media) Read(p []byte) (int, error) {
	for m.out == m.ready {
		if m.err != nil {
			return 0, m.err
		}
		m.fill()
	}
	n := copy(p, m.buf[m.out:m.ready])
	m.out += n
	return n, nil
}

// fill reads the next piece and decrypts its whole blocks.
func (m *media) fill() {
	rest := copy(m.buf, m.buf[m.out:])
	m.buf, m.plain, m.out, m.ready = m.buf[:rest], m.plain-m.out, 0, 0
	n, err := m.from.Read(m.buf[len(m.buf):cap(m.buf)])
	m.buf = m.buf[:len(m.buf)+n]
	whole := (len(m.buf) - m.plain) / aes.BlockSize * aes.BlockSize
	m.cbc.CryptBlocks(m.buf[m.plain:m.plain+whole], m.buf[m.plain:m.plain+whole])
	m.plain += whole
	m.ready = max(0, m.plain-padTo)
	switch {
	case errors.Is(err, io.EOF):
		m.end()
	case err != nil:
		m.err, m.ready = err, 0
	}
}

// end takes off the padding.
func (m *media) end() {
	if m.plain == 0 || m.plain != len(m.buf) {
		m.err, m.ready = fail(Decrypt, "the file is no whole number of blocks"), 0
		return
	}
	clear, ok := unpad(m.buf)
	if !ok {
		m.err, m.ready = fail(Padding, "the file's padding is wrong"), 0
		return
	}
	m.ready, m.err = len(clear), io.EOF
}
