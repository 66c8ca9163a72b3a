package wkteam

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// maxRaw is the size from which a body is kept without the thumbnail in it.
const maxRaw = 64 << 10

// identity is what tells a callback from all others of its account: its
// newMsgId, as the vendor says; else what is left of an id without it; else a
// hash of what it says. The wId is no part of the hash: callbacks are repeated
// after a login under the new one.
func (b *body) identity(raw []byte) string {
	d := &b.Data
	switch {
	case isID(d.NewMsgID):
		return string(d.NewMsgID)
	case isID(d.MsgID):
		return strings.Join([]string{"msg", string(b.Type), string(d.MsgID), string(d.Timestamp)}, "/")
	}
	return "sha256:" + digest(raw, b.Type != offline)
}

// isID tells whether w is one of the platform's message ids: whole numbers,
// where 0 stands for none.
func isID(w word) bool {
	s := string(w)
	return len(s) <= 20 && digits(s) && strings.Trim(s, "-0") != ""
}

// digest hashes the body with its members sorted, so that the order in which
// they are written makes no difference. An offline notice is about an instance:
// there the wId is what tells two logins' ends apart.
func digest(raw []byte, withoutWID bool) string {
	if v, err := decode(raw); err == nil {
		if top, ok := v.(map[string]any); ok {
			if data, ok := top["data"].(map[string]any); ok && withoutWID {
				delete(data, "wId")
			}
			if sorted, err := json.Marshal(top); err == nil {
				raw = sorted
			}
		}
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// keep returns the body as the event keeps it: a copy, and a large one without
// its base64 thumbnail.
func keep(raw []byte) []byte {
	if len(raw) <= maxRaw {
		return bytes.Clone(raw)
	}
	var top, data map[string]json.RawMessage
	if json.Unmarshal(raw, &top) != nil || json.Unmarshal(top["data"], &data) != nil || data["img"] == nil {
		return bytes.Clone(raw)
	}
	delete(data, "img")
	lean, err := json.Marshal(data)
	if err != nil {
		return bytes.Clone(raw)
	}
	top["data"] = lean
	if lean, err = json.Marshal(top); err != nil {
		return bytes.Clone(raw)
	}
	return lean
}
