package crypt

import (
	"crypto/sha1"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"strings"
)

// Sign makes the signature of a message: the SHA-1 of the four texts in the
// order of their bytes, in lower-case hexadecimal. They are taken as they are,
// encrypt as received.
func Sign(token, timestamp, nonce, encrypt string) string {
	parts := []string{token, timestamp, nonce, encrypt}
	slices.Sort(parts)
	sum := sha1.Sum([]byte(strings.Join(parts, "")))
	return hex.EncodeToString(sum[:])
}

// signed tells, in constant time, whether the signature is that of the message.
func signed(signature, token, timestamp, nonce, encrypt string) bool {
	want := Sign(token, timestamp, nonce, encrypt)
	return subtle.ConstantTimeCompare([]byte(signature), []byte(want)) == 1
}
