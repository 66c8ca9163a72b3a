package wecom

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"unicode"
)

// elsewhere are the texts that an event has a field of its own for, or that are
// nobody's business: codes that permit something.
var elsewhere = map[string]bool{
	"ToUserName": true, "FromUserName": true, "CreateTime": true, "MsgType": true, "MsgId": true, "AgentID": true,
	"Content": true, "Event": true, "ExternalUserID": true, "WelcomeCode": true, "ChatId": true,
	"SelectedItems.SelectedItem.QuestionKey": true, "SelectedItems.SelectedItem.OptionIds.OptionId": true,
	"MemChangeList.Item": true,
}

// renamed are the names that other platforms' events have too.
var renamed = map[string]string{"Location_X": "latitude", "Location_Y": "longitude"}

// params are the other texts of an app's document, under their names with
// lower-case letters (JoinScene is join_scene); of a list, joined by commas.
func params(d *node) map[string]string {
	return collect(d, func(path string) string {
		if elsewhere[path] {
			return ""
		}
		if name, ok := renamed[path]; ok {
			return name
		}
		return snake(path)
	})
}

// collect gathers the texts of a document that are not empty under the names
// that name gives their paths; "" leaves them out.
func collect(d *node, name func(path string) string) map[string]string {
	lists := make(map[string][]string)
	for path, text := range d.leaves() {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if n := name(path); n != "" {
			lists[n] = append(lists[n], text)
		}
	}
	all := make(map[string]string, len(lists))
	for n, texts := range lists {
		all[n] = strings.Join(texts, ",")
	}
	return all
}

// snake turns UserID into user_id and Location_X into location_x.
func snake(s string) string {
	var b strings.Builder
	before := '_'
	for _, r := range s {
		if unicode.IsUpper(r) && !unicode.IsUpper(before) && before != '_' && before != '.' {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
		before = r
	}
	return b.String()
}

// digest is the identity of an event, which the platform gives none. It is
// taken of the decrypted document in one form, every text with its path, in
// their order: a repeat is encrypted anew, and the fields that the platform
// recommends (FromUserName and CreateTime) are the same for two customers who
// come in one second.
func digest(d *node) string {
	h := sha256.New()
	var buf []byte
	for path, text := range d.leaves() {
		buf = appendText(appendText(buf[:0], path), strings.TrimSpace(text))
		h.Write(buf)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// appendText appends s with its length, so that no two lists of texts look alike.
func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
