package wecom

import (
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
)

func TestWhatCannotBeSaidWithoutItsTicket(t *testing.T) {
	memory := &channeltest.Memory{}
	app := &appSender{memory: memory, account: "shop"}
	contact, customer := "wm"+strings.Repeat("x", 30), "wk1/wm1"
	used := &engine.Command{TaskID: "t1", Ticket: engine.Ticket{Token: kfPrefix + "USED", Expires: time.Now()}}
	app.kfUsed(t.Context(), used)
	for _, tt := range []struct {
		name   string
		sender channel.Latecomer
		c      engine.Command
		want   string
	}{
		{"a welcome to a contact", app, engine.Command{Action: engine.SendText, Conversation: contact, Ticket: engine.Ticket{Token: "welcome/C"}}, welcomeBrief},
		{"a text with an event's code", app, engine.Command{Action: engine.SendText, Conversation: customer, Ticket: engine.Ticket{Token: kfPrefix + "C"}}, kfBrief},
		{"a menu with an event's code", app, engine.Command{Action: engine.SendCard, Conversation: customer, Ticket: engine.Ticket{Token: kfPrefix + "C"}}, kfBrief},
		{"a picture, which codes are not for", app, engine.Command{Action: engine.SendImage, Conversation: customer, Ticket: engine.Ticket{Token: kfPrefix + "C"}}, ""},
		{"a second text of an event, whose code the first used", app, engine.Command{TaskID: "t2", Action: engine.SendText, Conversation: customer, Ticket: used.Ticket}, ""},
		{"a member of the company", app, engine.Command{Action: engine.SendText, Conversation: "lina"}, ""},
		{"whatever a bot says", &botSender{}, engine.Command{Action: engine.SendText}, botAnswers},
	} {
		if got := tt.sender.TooLate(&tt.c); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestWhoseSilenceCounts(t *testing.T) {
	for conversation, want := range map[string]bool{"wk1/wm1": true, "lina": false, "appchat/g": false, "wm" + strings.Repeat("x", 30): false} {
		if got := new(appSender).OneToOne(conversation); got != want {
			t.Errorf("%s: %v", conversation, got)
		}
	}
}
