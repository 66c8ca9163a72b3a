package gewe

import (
	"strconv"
	"time"

	"bot/engine/channel"
)

// identify finds what an event is known by: NewMsgId. Where there is none it is
// the body's hash. Of ten digits and less it is a time that several notices
// share (v2.0, functionmsg and contact notices); the hash is then the identity
// that tells them apart.
func identify(newMsgID word, raw []byte) (id, identity string) {
	switch id = newMsgID.digits(); {
	case id == "":
		return digest(raw), ""
	case len(id) <= 10:
		return id, digest(raw)
	}
	return id, ""
}

// offlineSlot is how long two "Offline" notices of v1.0 are one. They hold
// nothing but the account's ids, so that a later one cannot be told from a
// repetition; known by their body alone, the second outage within the window of
// dedup would go unnoticed. One that is told twice does no harm.
const offlineSlot = 10 * time.Second

// digest leaves out what changes when a body is delivered again after a new
// login: the appid and the account's sequence number.
func digest(raw []byte) string { return channel.Digest(raw, "appid", "data.MsgSeq") }

func slot(now time.Time) string {
	return strconv.FormatInt(now.Unix()/int64(offlineSlot/time.Second), 10)
}
