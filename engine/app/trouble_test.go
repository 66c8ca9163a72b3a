package app

import (
	"log/slog"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/health"
	"bot/store"
)

func TestOnlyWhatShowsThatItIsOverEndsATrouble(t *testing.T) {
	for _, tt := range []struct {
		name  string
		then  *channel.SendError
		final store.Final
		want  string
	}{
		{"a success", nil, store.Sent, ""},
		{"one that nobody answered", &channel.SendError{Class: channel.Unsure}, "", "breaker shop nobody there"},
		{"a refusal of what had left before", &channel.SendError{Class: channel.Permanent, Status: 400}, store.Dead, "breaker shop nobody there"},
		{"an error that a platform told later", &channel.SendError{Class: channel.Transient}, "", "breaker shop nobody there"},
		{"a refused token", &channel.SendError{Class: channel.Credential, Status: 401}, "", "breaker shop nobody there"},
		{"another trouble", &channel.SendError{Class: channel.Halted, Note: "logged out"}, "", "halted shop logged out"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, c := looking()
			l.app.board = health.New(nil, func() time.Time { return c.now }, slog.New(slog.DiscardHandler))
			cmd := &engine.Command{Account: "shop", Skill: alertSkill} // so that it is no dead letter's alert
			l.app.judged(cmd, &store.Settlement{}, &channel.SendError{Class: channel.Unreachable, Note: "nobody there"})
			l.app.judged(cmd, &store.Settlement{Final: tt.final}, tt.then)
			got := ""
			for _, line := range l.ongoing() {
				got += line
			}
			if got != tt.want {
				t.Errorf("goes on: %q, want %q", got, tt.want)
			}
		})
	}
}
