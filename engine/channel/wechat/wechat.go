// Package wechat reads what personal WeChat itself writes and its gateways hand
// on as it is: ids, XML documents, and the grey lines that phones show. What
// stands around it, and how anything is asked of a gateway, is the adapters' own.
//
// The lines depend on the language of the account's phone; these are the Chinese
// ones. A document that comes with one has names of its own that do not, so it
// decides wherever there is one.
package wechat

import (
	"strings"
	"unicode"
)

// MaxID bounds an id in bytes: true ones have some 20 to 40, and the engine
// keeps notes under keys that are made of them.
const MaxID = 256

// IsID tells what can be the id of a user or a room, or none. The replacement
// character cannot: all broken text decodes to it, and two ids would become one.
func IsID(id string) bool {
	return len(id) <= MaxID && !strings.ContainsFunc(id, func(r rune) bool {
		return r == unicode.ReplacementChar || unicode.IsControl(r)
	})
}

// RoomSuffix ends the ids of groups, and of nothing else.
const RoomSuffix = "@chatroom"

// IsRoom tells groups from people.
func IsRoom(id string) bool { return strings.HasSuffix(id, RoomSuffix) }

// Everybody is the id by which a message mentions all members of a group, and
// EverybodyShown what they see of it.
const (
	Everybody      = "notify@all"
	EverybodyShown = "所有人"
)

// services are the platform's own accounts.
var services = map[string]bool{
	"weixin": true, "fmessage": true, "medianote": true, "floatbottle": true, "qqmail": true,
}

// IsService tells the platform's own accounts and official ones from people.
func IsService(id string) bool { return services[id] || strings.HasPrefix(id, "gh_") }
