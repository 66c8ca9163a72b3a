package crypt

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// vectors are the recorded and made cases that any implementation must agree
// with; testdata of the package above.
type vectors struct {
	Vectors, Negative []vector
	Keys              []struct {
		Key    string `json:"encoding_aes_key"`
		AES    string `json:"aes_key_hex"`
		IV     string `json:"iv_hex"`
		Note   string
		Valid  bool
		Strict bool `json:"strict_base64_accepts"`
	}
	Signatures []vector
	Media      []struct {
		Key        string `json:"encoding_aes_key"`
		Ciphertext []byte `json:"ciphertext_b64"`
		Plaintext  []byte `json:"plaintext_b64"`
		Pad        int    `json:"pad_len"`
	}
}

type vector struct {
	ID        string `json:"id"`
	Op        string
	Key       string `json:"encoding_aes_key"`
	Token     string
	ReceiveID string `json:"receive_id"`
	Timestamp string
	Nonce     string
	Encrypt   string
	Signature string `json:"msg_signature"`
	Random    []byte `json:"random16_b64"`
	Plaintext string
	Pad       int `json:"pad_len"`
	Body      string
	FailsAt   string `json:"fails_at"`
	Codes     []int  `json:"official_codes"`
}

func (v *vector) random() [randomLen]byte { return [randomLen]byte(v.Random) }

func read(t testing.TB) *vectors {
	t.Helper()
	b, err := os.ReadFile("../testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all vectors
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return &all
}

func key(t testing.TB, s string) *Key {
	t.Helper()
	k, err := ParseKey(s)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestVectors(t *testing.T) {
	all := read(t).Vectors
	if len(all) != 70 {
		t.Errorf("%d vectors, want 70", len(all))
	}
	for _, v := range all {
		t.Run(v.ID, func(t *testing.T) {
			if got := Sign(v.Token, v.Timestamp, v.Nonce, v.Encrypt); got != v.Signature {
				t.Errorf("signature %s, want %s", got, v.Signature)
			}
			s := Secret{Token: v.Token, Key: key(t, v.Key), ReceiveID: v.ReceiveID}
			got, err := s.Open(v.Signature, v.Timestamp, v.Nonce, v.Encrypt)
			if err != nil || string(got) != v.Plaintext {
				t.Errorf("opened %q, %v; want %q", got, err, v.Plaintext)
			}
			if got := s.Key.Seal(v.random(), []byte(v.Plaintext), v.ReceiveID); got != v.Encrypt {
				t.Errorf("sealed to\n%s, want\n%s", got, v.Encrypt)
			}
			if p := padTo - (header+len(v.Plaintext)+len(v.ReceiveID))%padTo; p != v.Pad {
				t.Errorf("a pad of %d, want %d", p, v.Pad)
			}
		})
	}
}

func TestNegativeVectors(t *testing.T) {
	all := read(t).Negative
	if len(all) != 17 {
		t.Errorf("%d negative vectors, want 17", len(all))
	}
	for _, v := range all {
		if v.FailsAt == "envelope" {
			continue // has no ciphertext: the package above refuses it
		}
		t.Run(v.ID, func(t *testing.T) {
			s := Secret{Token: v.Token, Key: key(t, v.Key), ReceiveID: v.ReceiveID}
			got, err := s.Open(v.Signature, v.Timestamp, v.Nonce, v.Encrypt)
			e, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("opened %q, %v; want it refused at %s", got, err, v.FailsAt)
			}
			if !slices.Contains(strings.Split(v.FailsAt, "|"), string(e.Stage)) {
				t.Errorf("refused at %s, want %s", e.Stage, v.FailsAt)
			}
			if !slices.Contains(v.Codes, e.Stage.Code()) {
				t.Errorf("code %d, want one of %v", e.Stage.Code(), v.Codes)
			}
		})
	}
}

func TestKeys(t *testing.T) {
	for _, v := range read(t).Keys {
		t.Run(v.Key+" "+v.Note, func(t *testing.T) {
			k, err := ParseKey(v.Key)
			if (err == nil) != v.Valid {
				t.Fatalf("got %v, want valid %v", err, v.Valid)
			}
			if err != nil {
				if v.Key != "" && strings.Contains(err.Error(), v.Key) {
					t.Errorf("%v quotes the key", err)
				}
				return
			}
			if got := hex.EncodeToString(k.iv); got != v.IV {
				t.Errorf("iv %s, want %s", got, v.IV)
			}
			_, err = base64.StdEncoding.Strict().DecodeString(v.Key + "=")
			if (err == nil) != v.Strict {
				t.Errorf("a strict decoder says %v, want it to take it: %v", err, v.Strict)
			}
		})
	}
}

func TestSignatures(t *testing.T) {
	for _, v := range read(t).Signatures {
		t.Run(v.Signature, func(t *testing.T) {
			if got := Sign(v.Token, v.Timestamp, v.Nonce, v.Encrypt); got != v.Signature {
				t.Errorf("got %s", got)
			}
			if !signed(v.Signature, v.Token, v.Timestamp, v.Nonce, v.Encrypt) {
				t.Error("not taken for signed")
			}
			for _, wrong := range []string{"", strings.ToUpper(v.Signature), v.Signature + "0", v.Signature[:39]} {
				if signed(wrong, v.Token, v.Timestamp, v.Nonce, v.Encrypt) {
					t.Errorf("%q is taken for signed", wrong)
				}
			}
		})
	}
}

func TestStages(t *testing.T) {
	k := key(t, "wecomSyntheticVectorKeyNumberOne0123456789k")
	block := func(n int, last ...byte) string { // n bytes encrypted as they are
		data := append(make([]byte, n-len(last)), last...)
		return sealRaw(k, data)
	}
	tests := []struct {
		name, encrypt string
		want          Stage
	}{
		{"nothing", "", Decrypt},
		{"not base64", "!!!!", Base64},
		{"base64 without its end", "AAA", Base64},
		{"half a block", base64.StdEncoding.EncodeToString(make([]byte, 8)), Decrypt},
		{"a pad of nothing", block(32, 0), Padding},
		{"a pad of 33", block(64, bytes.Repeat([]byte{33}, 33)...), Padding},
		{"a pad that is longer than everything", block(16, bytes.Repeat([]byte{17}, 16)...), Padding},
		{"a pad of two kinds", block(32, 1, 2), Padding},
		{"only padding", block(32, bytes.Repeat([]byte{32}, 32)...), Length},
		{"a frame of 19 bytes", block(32, bytes.Repeat([]byte{13}, 13)...), Length},
		{"a message one byte longer than the frame", block(32, append([]byte{0, 0, 0, 2, 'x'}, bytes.Repeat([]byte{11}, 11)...)...), Length},
		{"another receiver", k.Seal([16]byte{}, []byte("hi"), "ww2"), ReceiveID},
		{"the beginning of the receiver", k.Seal([16]byte{}, []byte("hi"), "ww"), ReceiveID},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			msg, err := k.Open(tt.encrypt, "ww1")
			if e, ok := errors.AsType[*Error](err); !ok || e.Stage != tt.want || msg != nil {
				t.Errorf("got %q, %v; want stage %s", msg, err, tt.want)
			}
		})
	}
}

// sealRaw encrypts bytes that need not be a frame.
func sealRaw(k *Key, data []byte) string {
	return base64.StdEncoding.EncodeToString(sealBlocks(k, data))
}

func TestAnswers(t *testing.T) {
	for _, v := range read(t).Vectors {
		if v.Op != "reply_json" {
			continue
		}
		s := Secret{Token: v.Token, Key: key(t, v.Key), ReceiveID: v.ReceiveID}
		got := s.Seal(v.random(), []byte(v.Plaintext), time.Unix(1767225600, 0), v.Nonce)
		if string(got.JSON()) != v.Body {
			t.Errorf("%s: got\n%s, want\n%s", v.ID, got.JSON(), v.Body)
		}
		var x struct {
			Encrypt, MsgSignature, Nonce string
			TimeStamp                    string
		}
		if err := xml.Unmarshal(got.XML(), &x); err != nil {
			t.Fatal(err)
		}
		if x.Encrypt != v.Encrypt || x.MsgSignature != v.Signature || x.TimeStamp != v.Timestamp || x.Nonce != v.Nonce {
			t.Errorf("%s: got\n%s", v.ID, got.XML())
		}
	}
}

// What we write into XML cannot leave its element and is XML.
func TestCDATA(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                "plain",
		"a]]>b]]>c":            "a]]>b]]>c",
		"]]]]>>":               "]]]]>>",
		"<b>&amp;</b>":         "<b>&amp;</b>",
		"bell\x07 and back\b":  "bell and back",
		"half a rune \xe4\xbd": "half a rune \uFFFD",
		"你好 👍":                 "你好 👍",
		"\uFFFE\uFFFFend":      "end",
	} {
		var got struct {
			Content string
			Others  []struct{} `xml:",any"`
		}
		doc := "<xml><Content>" + CDATA(in) + "</Content></xml>"
		if err := xml.Unmarshal([]byte(doc), &got); err != nil || got.Content != want || len(got.Others) > 0 {
			t.Errorf("%q: got %q, %v; want %q", in, got.Content, err, want)
		}
	}
}

// A repeat is encrypted anew, so nothing may be told by its ciphertext.
func TestRandom(t *testing.T) {
	if one, other := Random(), Random(); one == other {
		t.Error("the same twice")
	}
}
