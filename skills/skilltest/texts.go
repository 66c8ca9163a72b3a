package skilltest

import (
	"encoding/json"
	"fmt"
	"strings"

	"bot/engine"
)

// Texts puts commands as lines to read: a text is its own line, with those whom
// it mentions before it; other actions stand in brackets with their parameters.
// What a skill sends elsewhere says where to: "→ room: text".
func Texts(commands []engine.Command) []string {
	var lines []string
	for _, cmd := range commands {
		lines = append(lines, elsewhere(cmd)+line(cmd))
	}
	return lines
}

func line(cmd engine.Command) string {
	if cmd.Action == engine.SendText {
		return mentions(cmd) + cmd.Text
	}
	params, err := json.Marshal(cmd.Params)
	if err != nil {
		params = []byte(err.Error())
	}
	if cmd.Text != "" {
		return fmt.Sprintf("[%s %q %s]", cmd.Action, cmd.Text, params)
	}
	return fmt.Sprintf("[%s %s]", cmd.Action, params)
}

// mentions shows the ids, and the names where there are any: "@u1(name of u1) ".
func mentions(cmd engine.Command) string {
	ids, _ := cmd.Params["at"].([]string)
	names, _ := cmd.Params["at_names"].([]string)
	var b strings.Builder
	for i, id := range ids {
		b.WriteString("@" + id)
		if i < len(names) {
			b.WriteString("(" + names[i] + ")")
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// elsewhere is what a skill filled in by itself: the engine fills in the event's
// own conversation and account.
func elsewhere(cmd engine.Command) string {
	switch {
	case cmd.Conversation == "":
		return ""
	case cmd.Account == "":
		return "→ " + cmd.Conversation + ": "
	}
	return "→ " + cmd.Account + "/" + cmd.Conversation + ": "
}
