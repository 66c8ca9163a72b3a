package qiwe

import (
	"encoding/json"
	"strings"
	"testing"

	"bot/engine"
)

// What counts as the same thing told again.
func TestIdentity(t *testing.T) {
	key := func(with map[string]any) engine.Key { return one(t, push(t, with)).Key() }
	notice := func(msgType, seq int) map[string]any {
		return map[string]any{"cmd": 15500, "msgType": msgType, "senderId": "0", "seq": seq, "msgUniqueIdentifier": "contact_change", "msgData": map[string]any{"contactId": friend}}
	}
	joined := func(cmd, msgType, seq int, uid string, at int) map[string]any {
		return map[string]any{"cmd": cmd, "msgType": msgType, "seq": seq, "msgUniqueIdentifier": uid, "timestamp": at, "fromRoomId": roomID, "isRoomNotice": 1,
			"msgData": map[string]any{"changedMemberId": friend}}
	}
	status := func(requestID string, reboot int, at any) map[string]any {
		return map[string]any{"cmd": 11016, "msgType": nil, "msgServerId": nil, "msgUniqueIdentifier": nil, "requestId": requestID, "timestamp": at,
			"msgData": map[string]any{"code": 11002, "serverReboot": reboot}}
	}
	tests := []struct {
		name string
		a, b map[string]any
		same bool
	}{
		{"a message comes again", nil, map[string]any{"requestId": "r2", "seq": 5}, true},
		{"another message", nil, map[string]any{"msgUniqueIdentifier": "uid-2"}, false},
		{"without identifier the server's id counts", map[string]any{"msgUniqueIdentifier": ""}, map[string]any{"msgUniqueIdentifier": "", "requestId": "r2"}, true},
		{"and tells apart", map[string]any{"msgUniqueIdentifier": ""}, map[string]any{"msgUniqueIdentifier": "", "msgServerId": 1000002}, false},
		{"a notice comes again", notice(2131, 1), notice(2131, 1), true},
		{"its word comes with another event", notice(2131, 1), notice(2131, 2), false},
		{"one joining told by two msgTypes", joined(15500, 1002, 1, "VEVTVA==", 1790000001), joined(15000, 2118, 2, "room_add_member", 1790000001), true},
		{"a second joining", joined(15500, 1002, 1, "VEVTVA==", 1790000001), joined(15500, 1002, 2, "VEVTVB==", 1790000002), false},
		{"a log-out told again after the platform's restart", status("r1", 0, 1790000001), status("r2", 1, 1790000001), true},
		{"a second log-out", status("r1", 0, 1790000001), status("r1", 0, 1790000002), false},
		{"a second log-out of a platform without a clock", status("r1", 0, nil), status("r2", 0, nil), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if same := key(tt.a) == key(tt.b); same != tt.same {
				t.Errorf("one key for both: %v, want %v", same, tt.same)
			}
		})
	}
}

func TestAnEndlessIdentityIsHashed(t *testing.T) {
	e := one(t, push(t, map[string]any{"msgUniqueIdentifier": strings.Repeat("i", 600)}))
	if !strings.HasPrefix(e.ID, "sha256:") || len(e.ID) > maxID {
		t.Errorf("id of %d bytes", len(e.ID))
	}
}

func TestIDsKeepTheirDigits(t *testing.T) {
	tests := []struct {
		json, want string
	}{
		{`10800000000000001`, "10800000000000001"},
		{`"10800000000000001"`, "10800000000000001"},
		{`18446744073709551617`, "18446744073709551617"},
		{`0`, ""},
		{`"0"`, ""},
		{`""`, ""},
		{`null`, ""},
		{`1.08e+16`, ""},
		{`-5`, ""},
		{`"R:108"`, "R:108"},
		{`"a b"`, ""},
		{`["x"]`, ""},
		{`{"x":1}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.json, func(t *testing.T) {
			var s scalar
			if err := json.Unmarshal([]byte(tt.json), &s); err != nil || s.id() != tt.want {
				t.Errorf("got %q, %v, want %q", s.id(), err, tt.want)
			}
		})
	}
}
