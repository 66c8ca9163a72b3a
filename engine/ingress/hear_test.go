package ingress

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"bot/engine/channel"
	"bot/store"
)

func TestWhatACallbackSaysOfItsAccounts(t *testing.T) {
	for name, tt := range map[string]struct {
		body string
		err  error // of the store
		want []Heard
	}{
		"an event":                    {"a", nil, []Heard{{"shop", true, ""}}},
		"several of one account":      {"a b c", nil, []Heard{{"shop", true, ""}}},
		"one of an account elsewhere": {"a@nobody", nil, nil},
		"a ping":                      {"ping", nil, []Heard{{"shop", true, ""}}},
		"a doorbell":                  {"ring", nil, []Heard{{"shop", true, ""}}},
		"a forgery":                   {"refuse", nil, []Heard{{"shop", false, "signature"}}},
		"somebody else's":             {"foreign", nil, nil},
		"an event on a full disk":     {"a", store.ErrFull, []Heard{{"shop", true, "full"}}},
		"what the receiver breaks on": {"panic", nil, []Heard{{"shop", false, "panic"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var heard []Heard
			d := newDoor(t, Options{
				Heard: func(h Heard) { heard = append(heard, h) },
				Ring:  func(context.Context, []channel.Doorbell) error { return nil },
			}, words{})
			if tt.err != nil {
				d.inbox.err = fmt.Errorf("append: %w", tt.err)
			}
			d.post(tt.body)
			if !slices.Equal(heard, tt.want) {
				t.Errorf("heard %+v, want %+v", heard, tt.want)
			}
		})
	}
}
