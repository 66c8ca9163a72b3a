package crypt

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Secret is what both sides of a callback share. Its methods are safe for
// concurrent use.
type Secret struct {
	Token     string
	Key       *Key
	ReceiveID string // the end of every frame: a corp's id, or "" for an AI bot
}

// Signed tells whether the callback was signed with this secret.
func (s *Secret) Signed(signature, timestamp, nonce, encrypt string) bool {
	return signed(signature, s.Token, timestamp, nonce, encrypt)
}

// Open verifies, then decrypts: the signature first, so that nobody can use
// this side as an oracle for the padding. The error is an *Error.
func (s *Secret) Open(signature, timestamp, nonce, encrypt string) ([]byte, error) {
	if !s.Signed(signature, timestamp, nonce, encrypt) {
		return nil, fail(Signature, "the signature does not match")
	}
	return s.Key.Open(encrypt, s.ReceiveID)
}

// Sealed is an encrypted and signed message.
type Sealed struct {
	Encrypt, Signature, Timestamp, Nonce string
}

// Random returns the bytes that a frame begins with.
func Random() (b [randomLen]byte) {
	rand.Read(b[:]) // never fails
	return b
}

// Seal encrypts and signs a message.
func (s *Secret) Seal(random [randomLen]byte, msg []byte, at time.Time, nonce string) Sealed {
	m := Sealed{
		Encrypt:   s.Key.Seal(random, msg, s.ReceiveID),
		Timestamp: strconv.FormatInt(at.Unix(), 10),
		Nonce:     nonce,
	}
	m.Signature = Sign(s.Token, m.Timestamp, m.Nonce, m.Encrypt)
	return m
}

// XML is the message as the answer to an app's callback.
func (m Sealed) XML() []byte {
	var b bytes.Buffer
	b.WriteString("<xml><Encrypt>" + CDATA(m.Encrypt) + "</Encrypt>")
	b.WriteString("<MsgSignature>" + CDATA(m.Signature) + "</MsgSignature>")
	b.WriteString("<TimeStamp>" + m.Timestamp + "</TimeStamp>")
	b.WriteString("<Nonce>" + CDATA(m.Nonce) + "</Nonce></xml>")
	return b.Bytes()
}

// JSON is the message as the answer to an AI bot's callback. The nonce must be
// that of the request.
func (m Sealed) JSON() []byte {
	b, _ := json.Marshal(struct { // cannot fail: strings and digits
		Encrypt      string      `json:"encrypt"`
		MsgSignature string      `json:"msgsignature"`
		Timestamp    json.Number `json:"timestamp"`
		Nonce        string      `json:"nonce"`
	}{m.Encrypt, m.Signature, json.Number(m.Timestamp), m.Nonce})
	return b
}

// CDATA writes text into an XML element: a section that cannot be left by what
// is in it, without the characters that XML does not have.
func CDATA(s string) string {
	s = strings.Map(func(r rune) rune {
		if !InXML(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return "<![CDATA[" + strings.ReplaceAll(s, "]]>", "]]]]><![CDATA[>") + "]]>"
}

// InXML tells whether XML 1.0 has the character at all.
func InXML(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r':
		return true
	case r < ' ', r >= 0xD800 && r < 0xE000, r == 0xFFFE, r == 0xFFFF:
		return false
	}
	return r <= 0x10FFFF
}
