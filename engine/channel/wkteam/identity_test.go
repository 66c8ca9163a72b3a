package wkteam

import "testing"

func TestIdentity(t *testing.T) {
	data := func(s string) string { return `{"messageType":"65004","wcId":"` + bot + `","data":{` + s + `}}` }
	tests := []struct {
		name, a, b string
		same       bool
	}{
		{"neighbours beyond the reach of floats", data(`"userName":"u","newMsgId":9007199254740993`), data(`"userName":"u","newMsgId":9007199254740992`), false},
		{"a number and its text", data(`"userName":"u","newMsgId":"9007199254740993"`), data(`"userName":"u","newMsgId":9007199254740993`), true},
		{"no newMsgId: msgId and time", data(`"userName":"u","newMsgId":0,"msgId":5,"timestamp":7`), data(`"userName":"u","msgId":5,"timestamp":7,"x":1`), true},
		{"the same msgId at another time", data(`"userName":"u","msgId":5,"timestamp":7`), data(`"userName":"u","msgId":5,"timestamp":8`), false},
		{"no id: another order of members", data(`"userName":"u","a":1,"b":2`), data(`"b":2,"a":1,"userName":"u"`), true},
		{"no id: another instance", data(`"userName":"u","wId":"w1"`), data(`"userName":"u","wId":"w2"`), true},
		{"no id: another contact", data(`"userName":"u"`), data(`"userName":"v"`), false},
		{"no id: numbers that floats merge", data(`"userName":"u","x":9007199254740993`), data(`"userName":"u","x":9007199254740992`), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if same := one(t, tt.a).Key() == one(t, tt.b).Key(); same != tt.same {
				t.Errorf("same key: %v, want %v", same, tt.same)
			}
		})
	}
}
