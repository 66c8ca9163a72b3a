// Package crypt is the cryptography of WeCom's callbacks: the signature, the
// encrypted frame, the envelopes of answers, and the encryption of an AI bot's
// media. It knows nothing of what the messages mean.
package crypt

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"strings"
)

// keyLen is the length of an EncodingAESKey in characters.
const keyLen = 43

// Key is an EncodingAESKey ready for use. It is safe for concurrent use and
// never shows itself.
type Key struct {
	block cipher.Block
	iv    []byte // the key's own first block, for every message
}

// ParseKey reads an EncodingAESKey as the admin console shows it: 43 letters
// and digits. The error does not repeat the key.
//
// In most real keys the last character carries two bits that are no part of the
// 32 bytes, so a strict base64 decoder must not be used.
func ParseKey(s string) (*Key, error) {
	switch {
	case s == "":
		return nil, errors.New("is empty; copy the 43 characters from the admin console")
	case strings.TrimSpace(s) != s:
		return nil, errors.New("has white space around it; remove it")
	case strings.ContainsFunc(s, stray):
		return nil, errors.New("has a character that is no letter and no digit; copy the 43 characters from the admin console, without a =")
	case len(s) != keyLen:
		return nil, errors.New("is not 43 characters long; copy it whole from the admin console")
	}
	raw, err := base64.StdEncoding.DecodeString(s + "=")
	if err != nil { // cannot be: shape and alphabet were checked
		return nil, errors.New("is not base64")
	}
	block, err := aes.NewCipher(raw)
	if err != nil { // cannot be: it is 32 bytes
		return nil, errors.New("is no AES key")
	}
	return &Key{block: block, iv: raw[:aes.BlockSize]}, nil
}

func stray(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}
