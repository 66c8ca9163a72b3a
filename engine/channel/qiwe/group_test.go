package qiwe

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"bot/engine"
)

func TestMembers(t *testing.T) {
	coded := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	tests := []struct {
		name     string
		list, id any
		want     string
	}{
		{"two", coded("7881;7882;"), nil, "[7881 7882]"},
		{"one twice", coded("7881;7881;"), nil, "[7881]"},
		{"without padding", strings.TrimRight(coded("7881;7882"), "="), nil, "[7881 7882]"},
		{"not coded", "7881;7882;", nil, "[7881 7882]"},
		{"one, as a number", nil, json.Number("7881300000000002"), "[7881300000000002]"},
		{"the list before the one", coded("7881;"), 7882, "[7881]"},
		{"none", "", nil, "[]"},
		{"no base64", "???", nil, "[]"},
		{"digits that are base64 too", "7881300000000002", nil, "[]"},
		{"something else coded", coded("hello there; world"), nil, "[]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := one(t, push(t, map[string]any{"msgType": 1002, "isRoomNotice": 1, "fromRoomId": roomID,
				"msgData": map[string]any{"changedMemberList": tt.list, "changedMemberId": tt.id}}))
			if got := fmt.Sprint(e.Members); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestWhatBefallsTheAccountItself(t *testing.T) {
	tests := []struct {
		name    string
		msgType int
		uid     string
		members []string
		want    engine.Kind
		known   engine.Kind
		among   int
	}{
		{"taken in", 1002, "u", []string{friend, self}, engine.GroupCreated, engine.GroupChanged, 2},
		{"removed", 1003, "u", []string{self}, engine.BotRemoved, "", 1},
		{"left", 1005, "u", []string{self}, engine.BotLeft, "", 1},
		{"left, by the words", 2118, "room_disassociate_member", []string{self}, engine.BotLeft, "", 1},
		{"a group made, which lists the others", 1006, "u", []string{friend}, engine.GroupCreated, engine.GroupChanged, 2},
		{"a group made, which lists nobody", 1006, "u", nil, engine.GroupCreated, engine.GroupChanged, 0},
		{"a change without a word", 2118, "room_member", []string{friend}, engine.GroupChanged, "", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list := base64.StdEncoding.EncodeToString([]byte(strings.Join(tt.members, ";") + ";"))
			e := one(t, push(t, map[string]any{"cmd": 15500, "msgType": tt.msgType, "isRoomNotice": 1, "fromRoomId": roomID, "msgUniqueIdentifier": tt.uid,
				"msgData": map[string]any{"changedMemberList": list}}))
			// A room that was left and entered again is new twice: its end carries the fact too.
			if once := e.Kind.Begins() || e.Kind.Parts(); (e.Fact == "group/"+roomID) != once {
				t.Errorf("%s of fact %q", e.Kind, e.Fact)
			}
			if e.Kind != tt.want || e.IfKnown != tt.known || len(e.Members) != tt.among {
				t.Errorf("%s, %q if known, members %q", e.Kind, e.IfKnown, e.Members)
			}
		})
	}
}
