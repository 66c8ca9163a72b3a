package trial

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"bot/engine"
)

// show puts an action as a line to read.
func show(c *engine.Command) string {
	b := strings.Builder{}
	b.WriteString(string(c.Action))
	if c.Text != "" {
		fmt.Fprintf(&b, " text=%s", c.Text)
	}
	for _, k := range slices.Sorted(maps.Keys(c.Params)) {
		fmt.Fprintf(&b, " %s=%v", k, c.Params[k])
	}
	return b.String()
}

// elsewhere says where a command goes that does not stay in the event's
// conversation.
func elsewhere(e *engine.Event, c *engine.Command) string {
	switch {
	case c.ConversationKey() == e.ConversationKey():
		return ""
	case c.Account == e.Account:
		return "→ " + c.Conversation + ": "
	}
	return "→ " + c.Account + "/" + c.Conversation + ": "
}

// mentions is what a platform puts before a text that mentions somebody.
func mentions(c *engine.Command) string {
	shown, ok := c.Params["at_names"].([]string)
	if !ok {
		shown, _ = c.Params["at"].([]string)
	}
	var b strings.Builder
	for _, name := range shown {
		b.WriteString("@" + name + " ")
	}
	return b.String()
}
