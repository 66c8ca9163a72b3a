package wkteam

import (
	"strings"

	"bot/engine/channel"
)

// identity is what tells a callback from all others of its account: its
// newMsgId, as the vendor says; else what is left of an id without it; else a
// hash of what it says. The wId is no part of the hash, since callbacks are
// repeated after a login under the new one; but an offline notice is about an
// instance, and there the wId is what tells two logins' ends apart.
func (b *body) identity(raw []byte) string {
	d := &b.Data
	switch id, short := d.NewMsgID.Digits(), d.MsgID.Digits(); {
	case id != "":
		return id
	case short != "":
		return strings.Join([]string{"msg", string(b.Type), short, d.Timestamp.Digits()}, "/")
	case b.Type == offline:
		return channel.Digest(raw)
	}
	return channel.Digest(raw, "data.wId")
}
