package qiwe

import (
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
)

// A change of a contact is a new friend if that contact has applied, and each
// time anew: the platform tells of deletions by the same notice.
func TestAChangeAfterAnApplicationIsANewFriend(t *testing.T) {
	h := channeltest.Host(t)
	h.Memory.(*channeltest.Memory).Now = func() time.Time { return noon }
	for i, tt := range []struct {
		sample string
		want   engine.Kind
	}{
		{"contact_changed", engine.ContactChanged}, // of one who never applied
		{"friend_request", engine.FriendRequest},
		{"contact_changed", engine.FriendAdded},
		{"contact_changed", engine.ContactChanged}, // deleted
		{"friend_request", engine.FriendRequest},
		{"contact_changed", engine.FriendAdded},
	} {
		receipt, refusal := receive(t, h, []channel.Account{ours()}, sample(t, tt.sample), nil)
		if refusal != nil {
			t.Fatal(refusal)
		}
		e := receipt.Events[0]
		if kind := kindOf(h, e); kind != tt.want || e.Fact != "" || e.Conversation != "7881300000000002" {
			t.Errorf("%d: %s of fact %q in %q, want %s", i, kind, e.Fact, e.Conversation, tt.want)
		}
		if err := h.Memory.Remember(t.Context(), e.Account, e.Learned...); err != nil {
			t.Fatal(err)
		}
	}
}

// kindOf is the kind that the event has in its own turn, where its conversation
// is known.
func kindOf(h channel.Host, e *engine.Event) engine.Kind {
	return e.KindWhen(true, e.IfNoted != "" && h.Memory.Recall(e.Account, e.IfNoted) != "")
}

// A burst may bring the change before anybody has handled the application.
func TestApplicationAndChangeAreReadTogether(t *testing.T) {
	h := channeltest.Host(t)
	var all []*engine.Event
	for _, name := range []string{"friend_request", "contact_changed"} {
		receipt, refusal := receive(t, h, []channel.Account{ours()}, sample(t, name), nil)
		if refusal != nil {
			t.Fatal(refusal)
		}
		all = append(all, receipt.Events...)
	}
	applied, changed := all[0], all[1]
	if len(applied.Learned) != 1 || changed.IfNoted != applied.Learned[0].Key || !applied.Learned[0].Expires.Equal(noon.Add(appliedFor)) {
		t.Fatalf("%+v is not the note that %q asks for", applied.Learned, changed.IfNoted)
	}
	if yes, no := changed.KindWhen(true, true), changed.KindWhen(false, false); yes != engine.FriendAdded || no != engine.ContactChanged {
		t.Errorf("%s of one who applied, %s of one who did not", yes, no)
	}
}
