package turn_test

import (
	"reflect"
	"strconv"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/turn"
	"bot/store"
)

func TestThatAPersonWroteIsRememberedWhereMessagesWithoutAnAnswerAreLimited(t *testing.T) {
	heard := engine.Note{Key: "quota/heard/u1", Value: strconv.FormatInt(received.UnixNano(), 10), Expires: received.Add(48 * time.Hour)}
	for _, tt := range []struct {
		name   string
		hears  time.Duration
		notes  map[string]string
		change func(*engine.Event)
		want   []engine.Note
	}{
		{"a message", 48 * time.Hour, nil, nil, []engine.Note{heard}},
		{"after an earlier one", 48 * time.Hour, map[string]string{"shop quota/heard/u1": "1"}, nil, []engine.Note{heard}},
		{"played again, after a later one", 48 * time.Hour, map[string]string{"shop quota/heard/u1": strconv.FormatInt(received.Add(1).UnixNano(), 10)}, nil, nil},
		{"what we said ourselves", 48 * time.Hour, nil, func(e *engine.Event) { e.Self = true }, nil},
		{"a new friend", 48 * time.Hour, nil, func(e *engine.Event) { e.Kind = engine.FriendAdded }, nil},
		{"without a limit", 0, nil, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := message()
			e.Conversation, e.Group = "u1", false
			if tt.change != nil {
				tt.change(e)
			}
			m := &memory{notes: tt.notes}
			o := options(m, router{})
			o.Setup.Accounts["shop"] = engine.Account{Name: "shop", Hears: tt.hears}
			if _, err := turn.Play(t.Context(), o, store.Entry{Seq: 7, Event: e}); err != nil {
				t.Fatal(err)
			}
			if got := m.commits[0].Learned; !reflect.DeepEqual(got, tt.want) {
				t.Errorf("learned %+v, want %+v", got, tt.want)
			}
		})
	}
}
