package crypt

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
)

const (
	// padTo is what PKCS#7 pads to here. It is twice the cipher's block, so a pad
	// of more than 16 is as usual as one of less.
	padTo = 32
	// randomLen and header are what stands before the message: 16 random bytes,
	// then its length in 4 bytes, big-endian.
	randomLen = 16
	header    = randomLen + 4
)

// Open decrypts what was sent for receiveID. The error is an *Error for the
// first stage that failed.
func (k *Key) Open(encrypt, receiveID string) ([]byte, error) {
	msg, owner, err := k.open(encrypt)
	if err != nil {
		return nil, err
	}
	if string(owner) != receiveID {
		return nil, fail(ReceiveID, "the message is for another receiver")
	}
	return msg, nil
}

func (k *Key) open(encrypt string) (msg, receiveID []byte, err error) {
	data, err := base64.StdEncoding.DecodeString(encrypt)
	if err != nil {
		return nil, nil, fail(Base64, "the ciphertext is not base64")
	}
	if len(data) == 0 || len(data)%aes.BlockSize != 0 {
		return nil, nil, fail(Decrypt, "the ciphertext is no whole number of blocks")
	}
	cipher.NewCBCDecrypter(k.block, k.iv).CryptBlocks(data, data)
	data, ok := unpad(data)
	if !ok {
		return nil, nil, fail(Padding, "the padding is wrong")
	}
	if len(data) < header {
		return nil, nil, fail(Length, "the frame is shorter than its header")
	}
	n, rest := binary.BigEndian.Uint32(data[randomLen:]), data[header:]
	if uint64(n) > uint64(len(rest)) {
		return nil, nil, fail(Length, "the frame is shorter than it says")
	}
	return rest[:n], rest[n:], nil
}

// unpad takes off a pad of 1 to 32 bytes.
func unpad(data []byte) ([]byte, bool) {
	if len(data) == 0 {
		return nil, false
	}
	p := int(data[len(data)-1])
	if p < 1 || p > padTo || p > len(data) {
		return nil, false
	}
	body, pad := data[:len(data)-p], data[len(data)-p:]
	return body, bytes.Count(pad, pad[:1]) == p
}

// Seal encrypts msg for receiveID. The random bytes must be fresh for each
// message: the cipher has no other.
func (k *Key) Seal(random [randomLen]byte, msg []byte, receiveID string) string {
	size := header + len(msg) + len(receiveID)
	p := padTo - size%padTo
	data := make([]byte, 0, size+p)
	data = append(data, random[:]...)
	data = binary.BigEndian.AppendUint32(data, uint32(len(msg)))
	data = append(append(data, msg...), receiveID...)
	data = append(data, bytes.Repeat([]byte{byte(p)}, p)...)
	cipher.NewCBCEncrypter(k.block, k.iv).CryptBlocks(data, data)
	return base64.StdEncoding.EncodeToString(data)
}
