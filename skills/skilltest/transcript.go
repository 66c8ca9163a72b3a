package skilltest

import (
	"strings"
	"testing"
	"time"

	"bot/engine"
)

// Play goes through a conversation as it is written down, one line each:
//
//	user  text      somebody says it
//	hand  text      the account itself says it to the user, by hand
//	sends image     somebody sends something that is no text
//	event kind      something else happens; words after the kind are its text
//	wait  11m       time passes
//	skip  11m       time passes while the engine is down
//	as    u2        somebody else goes on
//	in    room      everything happens in that group from here on, "in -" in private
//	bot   text      the bot has said exactly this, ⏎ for a line's end
//
// All that the bot says must be written down, in its order.
func (c *Chat) Play(transcript string) {
	c.tb.Helper()
	var said []string
	for line := range strings.Lines(transcript) {
		verb, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
		arg = strings.TrimSpace(arg)
		if verb == "bot" {
			want := strings.ReplaceAll(arg, "⏎", "\n")
			if len(said) == 0 {
				c.tb.Fatalf("%q: the bot says nothing", strings.TrimSpace(line))
			}
			if said[0] != want {
				c.tb.Fatalf("the bot says %q, want %q", said[0], want)
			}
			said = said[1:]
			continue
		}
		if len(said) > 0 {
			c.tb.Fatalf("before %q the bot says more: %q", strings.TrimSpace(line), said)
		}
		said = c.step(verb, arg)
		c.Now = c.Now.Add(time.Second)
	}
	if len(said) > 0 {
		c.tb.Fatalf("at the end the bot says more: %q", said)
	}
}

func (c *Chat) step(verb, arg string) []string {
	c.tb.Helper()
	switch verb {
	case "":
		return nil
	case "user":
		return c.Say(arg)
	case "as":
		c.User = arg
		return nil
	case "in":
		c.Group = strings.TrimPrefix(arg, "-")
		return nil
	case "hand":
		e := c.Message(arg)
		e.Self, e.Sender, e.Mention = true, "self", engine.MentionNone
		return Texts(c.Do(e))
	case "event":
		name, text, _ := strings.Cut(arg, " ")
		k, ok := engine.ParseKind(name)
		if !ok {
			c.tb.Fatalf("there is no event %q", name)
		}
		e := c.Event(k)
		e.Text = text
		return Texts(c.Do(e))
	case "sends":
		e := c.Message("")
		e.Type = arg
		return Texts(c.Do(e))
	case "wait", "skip":
		d, err := time.ParseDuration(arg)
		if err != nil {
			c.tb.Fatal(err)
		}
		if verb == "wait" {
			return c.Wait(d)
		}
		c.Skip(d)
		return nil
	}
	c.tb.Fatalf("unknown line %q %q", verb, arg)
	return nil
}

// Try plays a transcript as a test of its own.
func Try(t *testing.T, name string, r engine.Router, transcript string) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Helper()
		NewChat(t, r).Play(transcript)
	})
}
