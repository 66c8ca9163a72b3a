package crypt

import (
	"bytes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"io"
	"testing"
	"time"
)

// sealBlocks encrypts whole blocks.
func sealBlocks(k *Key, data []byte) []byte {
	out := bytes.Clone(data)
	cipher.NewCBCEncrypter(k.block, k.iv).CryptBlocks(out, out)
	return out
}

// sealMedia encrypts a file as the platform does.
func sealMedia(k *Key, plain []byte) []byte {
	p := padTo - len(plain)%padTo
	return sealBlocks(k, append(bytes.Clone(plain), bytes.Repeat([]byte{byte(p)}, p)...))
}

// FuzzOpen decrypts anything: as a callback, as a file, and as the clear text
// of either, so that what lies behind the cipher is reached as well.
func FuzzOpen(f *testing.F) {
	for _, v := range read(f).Vectors[:4] {
		data, err := base64.StdEncoding.DecodeString(v.Encrypt)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, v.ReceiveID)
	}
	f.Add(append(make([]byte, 20), bytes.Repeat([]byte{12}, 12)...), "")
	f.Add(append(append(make([]byte, 16), 0xff, 0xff, 0xff, 0xff), bytes.Repeat([]byte{12}, 12)...), "ww1")
	s := Secret{Token: "token", Key: key(f, "wecomSyntheticVectorKeyNumberOne0123456789k"), ReceiveID: "ww1"}
	f.Fuzz(func(t *testing.T, data []byte, receiveID string) {
		whole := data[:len(data)/16*16]
		for _, sealed := range [][]byte{data, whole, sealBlocks(s.Key, whole)} {
			msg, err := s.Key.Open(base64.StdEncoding.EncodeToString(sealed), receiveID)
			if _, ok := errors.AsType[*Error](err); err != nil && !ok {
				t.Fatalf("%v is no *Error", err)
			}
			if len(msg) > len(sealed) {
				t.Fatalf("%d bytes out of %d", len(msg), len(sealed))
			}
			if clear, err := io.ReadAll(s.Key.Media(bytes.NewReader(sealed))); len(clear) > len(sealed) || err == nil && len(clear)+32 < len(sealed) {
				t.Fatalf("%d bytes out of a file of %d", len(clear), len(sealed))
			}
		}
		m := s.Seal(Random(), data, time.Unix(1, 0), receiveID)
		if msg, err := s.Open(m.Signature, m.Timestamp, m.Nonce, m.Encrypt); err != nil || !bytes.Equal(msg, data) {
			t.Fatalf("sealed and opened: %q, %v; want %q", msg, err, data)
		}
	})
}
