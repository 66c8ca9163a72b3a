package wecom

import (
	"strings"
	"testing"

	"bot/engine"
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

// An addition is one fact however often it is told, and a departure ends it, so
// that who comes back is welcomed again. All callbacks are read before any of
// them is handled: what they say cannot depend on it.
func TestFactsOfAdditions(t *testing.T) {
	told := func(change, user, customer string) *engine.Event {
		t.Helper()
		receipt, refusal := tell(t, appAccount, event("<Event>change_external_contact</Event><ChangeType>"+change+"</ChangeType><UserID>"+
			user+"</UserID><ExternalUserID>"+customer+"</ExternalUserID>"))
		if refusal != nil {
			t.Fatal(refusal)
		}
		return receipt.Events[0]
	}
	const half, whole, removed, left = "add_half_external_contact", "add_external_contact", "del_external_contact", "del_follow_user"
	tests := []struct {
		name     string
		read     []*engine.Event
		welcomes int
	}{
		{"with consent after it began", []*engine.Event{told(half, "Lina", "wmA"), told(whole, "lina", "wmA")}, 1},
		{"told twice", []*engine.Event{told(whole, "lina", "wmA"), told(whole, "lina", "wmA")}, 1},
		{"changed in between", []*engine.Event{told(whole, "lina", "wmA"), told("edit_external_contact", "lina", "wmA"), told(whole, "lina", "wmA")}, 1},
		{"gone and back", []*engine.Event{told(whole, "lina", "wmA"), told(left, "LINA", "wmA"), told(half, "lina", "wmA"), told(whole, "lina", "wmA")}, 2},
		{"removed and back", []*engine.Event{told(whole, "lina", "wmA"), told(removed, "lina", "wmA"), told(whole, "lina", "wmA")}, 2},
		{"two customers", []*engine.Event{told(whole, "lina", "wmA"), told(whole, "lina", "wmB")}, 2},
		{"two members", []*engine.Event{told(whole, "lina", "wmA"), told(whole, "wang", "wmA")}, 2},
		{"another's departure", []*engine.Event{told(whole, "lina", "wmA"), told(left, "wang", "wmA"), told(whole, "lina", "wmA")}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := welcomes(tt.read); got != tt.welcomes {
				t.Errorf("%d welcomes, want %d", got, tt.welcomes)
			}
		})
	}
}

// welcomes counts the additions that skills see of the events: of a fact that
// has begun no second one until it has ended.
func welcomes(events []*engine.Event) (n int) {
	stands := make(map[string]bool)
	for _, e := range events {
		switch kind := e.KindWhen(true, false); {
		case kind.Parts():
			delete(stands, e.Fact)
		case kind.Begins() && !stands[e.Fact]:
			stands[e.Fact] = true
			n++
		}
	}
	return n
}
