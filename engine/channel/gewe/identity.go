package gewe

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"
)

// identify finds what an event is known by: NewMsgId. Where there is none it is
// the body's hash. Of ten digits and less it is a time that several notices
// share (v2.0, functionmsg and contact notices); the hash is then the identity
// that tells them apart.
func identify(newMsgID word, raw []byte) (id, identity string) {
	switch id = newMsgID.digits(); {
	case id == "":
		return canonical(raw, ""), ""
	case len(id) <= 10:
		return id, canonical(raw, "")
	}
	return id, ""
}

// offlineSlot is how long two "Offline" notices of v1.0 are one. They hold
// nothing but the account's ids, so that a later one cannot be told from a
// repetition; known by their body alone, the second outage within the window of
// dedup would go unnoticed. One that is told twice does no harm.
const offlineSlot = 10 * time.Minute

// canonical hashes a body without what changes when it is delivered again
// after a new login: the appid and the account's sequence number. salt makes
// equal bodies different.
func canonical(raw []byte, salt string) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) == nil {
		strike(v)
		if sorted, err := json.Marshal(v); err == nil {
			raw = sorted
		}
	}
	h := sha256.New()
	h.Write(raw)
	h.Write([]byte(salt))
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

func strike(v any) {
	m, _ := v.(map[string]any)
	delete(m, "Appid")
	delete(m, "appid")
	for _, name := range []string{"Data", "data"} {
		if data, ok := m[name].(map[string]any); ok {
			delete(data, "MsgSeq")
		}
	}
}

func slot(now time.Time) string {
	return strconv.FormatInt(now.Unix()/int64(offlineSlot/time.Second), 10)
}
