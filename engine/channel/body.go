package channel

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// Digest is an identity for what the platform gives none: a hash of the JSON
// object with its members in order, so that it makes no difference how they were
// written, and without those that a second delivery may change. A member is
// named by its path, "data.wId", whatever the case of its letters. What is no
// object is hashed as it is.
func Digest(raw []byte, without ...string) string {
	var v map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) == nil && v != nil {
		for _, path := range without {
			strike(v, path)
		}
		if sorted, err := json.Marshal(v); err == nil {
			raw = sorted
		}
	}
	sum := sha256.Sum256(raw)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func strike(v map[string]any, path string) {
	first, rest, deeper := strings.Cut(path, ".")
	for name, value := range v {
		if !strings.EqualFold(name, first) {
			continue
		}
		if inner, ok := value.(map[string]any); ok && deeper {
			strike(inner, rest)
		} else if !deeper {
			delete(v, name)
		}
	}
}

// maxRaw is up to which size a body is kept as it is, in bytes.
const maxRaw = 64 << 10

// Lean is a copy of a callback's body for Event.Raw, in which a large one is
// without the members that are bulk: pictures, protobuf. They are named as for
// Digest.
func Lean(raw []byte, bulk ...string) []byte {
	if len(raw) <= maxRaw {
		return bytes.Clone(raw)
	}
	lean := bytes.Clone(raw)
	for _, path := range bulk {
		if b, had := omit(lean, path); had {
			lean = b
		}
	}
	return lean
}

// omit leaves a member out of an object that has it; what stands beside it stays
// as it was written.
func omit(raw []byte, path string) (lean []byte, had bool) {
	first, rest, deeper := strings.Cut(path, ".")
	var v map[string]json.RawMessage
	if json.Unmarshal(raw, &v) != nil {
		return nil, false
	}
	for name, value := range v {
		if !strings.EqualFold(name, first) {
			continue
		}
		if !deeper {
			delete(v, name)
			had = true
		} else if inner, ok := omit(value, rest); ok {
			v[name], had = inner, true
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if !had || e.Encode(v) != nil {
		return nil, false
	}
	return bytes.TrimSpace(b.Bytes()), true
}
