package wecom

import (
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel/channeltest"
)

func TestIdentity(t *testing.T) {
	key := func(plain string) string {
		t.Helper()
		receipt, refusal := tell(t, appAccount, plain)
		if refusal != nil {
			t.Fatal(refusal)
		}
		return receipt.Events[0].Key().String()
	}
	contact := func(change, user, customer string) string {
		return event("<Event>change_external_contact</Event><ChangeType>" + change + "</ChangeType><UserID>" + user + "</UserID><ExternalUserID>" + customer + "</ExternalUserID>")
	}
	tag := func(id string) string {
		return event("<Event>change_external_tag</Event><ChangeType>create</ChangeType><Id>" + id + "</Id>")
	}
	text := func(id, agent string) string {
		return xmlOf("<FromUserName>lina</FromUserName><MsgType>text</MsgType><Content>ok</Content><MsgId>" + id + "</MsgId><AgentID>" + agent + "</AgentID>")
	}
	tests := []struct {
		name, one, other string
		same             bool
	}{
		{"a repeat", contact("edit_external_contact", "lina", "wmA"), contact("edit_external_contact", "lina", "wmA"), true},
		{"a repeat with other white space", tag("et1"), strings.ReplaceAll(tag("et1"), "><", ">\n <"), true},
		{"two customers in one second", contact("add_external_contact", "lina", "wmA"), contact("add_external_contact", "lina", "wmB"), false},
		{"one customer with two members", contact("add_external_contact", "lina", "wmA"), contact("add_external_contact", "wang", "wmA"), false},
		{"two tags in one second", tag("et1"), tag("et2"), false},
		{"added, then removed", contact("add_external_contact", "lina", "wmA"), contact("del_external_contact", "lina", "wmA"), false},
		{"a message again", text("1", "1000002"), text("1", "1000002"), true},
		{"ids that are one in floating point", text("9007199254740993", "1000002"), text("9007199254740992", "1000002"), false},
		{"one id of two apps", text("1", "1000002"), text("1", "1000003"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if same := key(tt.one) == key(tt.other); same != tt.same {
				t.Errorf("one key: %v, want %v", same, tt.same)
			}
		})
	}
}

// A customer is welcomed once, however often the addition is told; one who had
// gone is welcomed again.
func TestFactsOfAdditions(t *testing.T) {
	m := &channeltest.Memory{Now: func() time.Time { return noon }}
	r := makeReceiver(t, m, appAccount)
	tell := func(change, at string) *engine.Event {
		t.Helper()
		plain := strings.Replace(event("<Event>change_external_contact</Event><ChangeType>"+change+"</ChangeType><UserID>Lina</UserID><ExternalUserID>"+customer+"</ExternalUserID>"),
			"1767225600", at, 1)
		receipt, refusal := receive(t, r, callback(t, appAccount, plain, noon))
		if refusal != nil {
			t.Fatal(refusal)
		}
		e := receipt.Events[0]
		if err := m.Remember(t.Context(), "corp", e.Learned...); err != nil {
			t.Fatal(err)
		}
		return e
	}
	half, whole := tell("add_half_external_contact", "1767225600"), tell("add_external_contact", "1767225610")
	if half.Fact == "" || half.Fact != whole.Fact {
		t.Errorf("facts %q and %q, want one", half.Fact, whole.Fact)
	}
	if gone := tell("del_follow_user", "1767225620"); gone.Fact != "" {
		t.Errorf("fact %q of a departure", gone.Fact)
	}
	if again := tell("add_external_contact", "1767225630"); again.Fact == whole.Fact {
		t.Error("who comes back is taken for known")
	}
}
