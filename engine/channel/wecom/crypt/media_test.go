package crypt

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

func TestMedia(t *testing.T) {
	for _, v := range read(t).Media {
		k := key(t, v.Key)
		for name, r := range map[string]io.Reader{
			"at once":         bytes.NewReader(v.Ciphertext),
			"byte by byte":    iotest.OneByteReader(bytes.NewReader(v.Ciphertext)),
			"with its end":    iotest.DataErrReader(bytes.NewReader(v.Ciphertext)),
			"in halves of it": iotest.HalfReader(bytes.NewReader(v.Ciphertext)),
		} {
			got, err := io.ReadAll(k.Media(r))
			if err != nil || !bytes.Equal(got, v.Plaintext) {
				t.Errorf("%d bytes %s: got %x, %v", len(v.Plaintext), name, got, err)
			}
		}
		if got := sealMedia(k, v.Plaintext); !bytes.Equal(got, v.Ciphertext) {
			t.Errorf("%d bytes: sealed to %x", len(v.Plaintext), got)
		}
	}
}

func TestMediaOfAnyLength(t *testing.T) {
	k := key(t, "aibotSyntheticVectorKeyNumberTwo0123456789B")
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, mediaChunk - 33, mediaChunk - 1, mediaChunk, mediaChunk + 1, mediaChunk + padTo, 3*mediaChunk + 5, 1 << 20} {
		plain := make([]byte, n)
		for i := range plain {
			plain[i] = byte(random.Uint32())
		}
		if err := iotest.TestReader(k.Media(bytes.NewReader(sealMedia(k, plain))), plain); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestMediaThatIsNone(t *testing.T) {
	k := key(t, "aibotSyntheticVectorKeyNumberTwo0123456789B")
	whole := sealMedia(k, make([]byte, 100))
	broken := errors.New("broken")
	for name, tt := range map[string]struct {
		r     io.Reader
		stage Stage
	}{
		"nothing":            {strings.NewReader(""), Decrypt},
		"cut within a block": {bytes.NewReader(whole[:len(whole)-1]), Decrypt},
		"cut at a block":     {bytes.NewReader(whole[:len(whole)-16]), Padding},
		"broken off":         {io.MultiReader(bytes.NewReader(whole), iotest.ErrReader(broken)), ""},
	} {
		_, err := io.ReadAll(k.Media(tt.r))
		e, ok := errors.AsType[*Error](err)
		if tt.stage == "" && !errors.Is(err, broken) || tt.stage != "" && (!ok || e.Stage != tt.stage) {
			t.Errorf("%s: got %v, want stage %q", name, err, tt.stage)
		}
	}
}
