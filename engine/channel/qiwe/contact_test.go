package qiwe

import (
	"slices"
	"strings"
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

// Where no change is told, the first message of somebody who applied says that
// they are a friend by now. It says so once, and of nobody else.
func TestTheFirstMessageAfterAnApplicationIsANewFriend(t *testing.T) {
	h := channeltest.Host(t)
	h.Memory.(*channeltest.Memory).Now = func() time.Time { return noon }
	told := func(body string) (kinds []engine.Kind, first *engine.Event) {
		t.Helper()
		receipt, refusal := receive(t, h, []channel.Account{ours()}, body, nil)
		if refusal != nil {
			t.Fatal(refusal)
		}
		for _, e := range receipt.Events {
			kinds = append(kinds, kindOf(h, e))
			if err := h.Memory.Remember(t.Context(), e.Account, e.Learned...); err != nil {
				t.Fatal(err)
			}
		}
		return kinds, receipt.Events[0]
	}
	said := func(name, id string) string {
		body := strings.ReplaceAll(sample(t, name), "7881300000000001", "7881300000000002")
		return strings.ReplaceAll(body, "VEVTVFVJRDAwMDAx", id)
	}
	for i, tt := range []struct {
		body string
		want []engine.Kind
	}{
		{said("text_private", "M0"), []engine.Kind{engine.Message}}, // who never applied
		{sample(t, "friend_request"), []engine.Kind{engine.FriendRequest}},
		{said("text_group", "M1"), []engine.Kind{engine.Message}},  // in a group strangers speak, too
		{sample(t, "text_private"), []engine.Kind{engine.Message}}, // somebody else
		{said("text_private", "M2"), []engine.Kind{engine.FriendAdded, engine.Message}},
		{said("text_private", "M3"), []engine.Kind{engine.Message}},
		{sample(t, "contact_changed"), []engine.Kind{engine.ContactChanged}},
	} {
		kinds, first := told(tt.body)
		if !slices.Equal(kinds, tt.want) {
			t.Fatalf("%d: got %q, want %q", i, kinds, tt.want)
		}
		if kinds[0] == engine.FriendAdded && (first.Conversation != "7881300000000002" || first.Sender != first.Conversation || len(first.Raw) == 0 || first.Time.IsZero()) {
			t.Errorf("%d: got %+v", i, first)
		}
	}
}

// The change may be handled between a message's receipt and its turn, and both
// may come twice.
func TestAFriendIsTakenInOnce(t *testing.T) {
	h := channeltest.Host(t)
	h.Memory.(*channeltest.Memory).Now = func() time.Time { return noon }
	applied := engine.Note{Key: applied("7881300000000001"), Value: "1", Expires: noon.Add(appliedFor)}
	var keys []engine.Key
	for range 2 {
		if err := h.Memory.Remember(t.Context(), "shop", applied); err != nil {
			t.Fatal(err)
		}
		receipt, refusal := receive(t, h, []channel.Account{ours()}, sample(t, "text_private"), nil)
		if refusal != nil || len(receipt.Events) != 2 {
			t.Fatalf("%+v, %v", receipt, refusal)
		}
		keys = append(keys, receipt.Events[0].Key())
		if receipt.Events[0].Key() == receipt.Events[1].Key() {
			t.Error("the friend and the message are one event")
		}
		if kind := receipt.Events[0].KindWhen(true, false); kind != engine.ContactChanged {
			t.Errorf("%s where the change came first", kind)
		}
	}
	if keys[0] != keys[1] {
		t.Error("a repeat is another friend")
	}
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
