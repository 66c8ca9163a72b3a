package wecom

import (
	"strings"

	"bot/engine"
)

// botNotice reads an event of an AI bot.
func botNotice(e *engine.Event, d *node) {
	name := d.get("event", "eventtype")
	about := d.at("event", name)
	e.Type, e.Params = "", botParams(about, "")
	switch name {
	case "enter_chat":
		e.Kind, e.Mute = engine.EnterChat, noEnter
	case "template_card_event":
		e.Kind, e.Text = engine.Button, about.get("event_key")
		delete(e.Params, "event_key")
		for item := range about.at("selected_items").all("selected_item") {
			choose(e, item.get("question_key"), item.at("option_ids").texts("option_id"))
		}
	case "feedback_event":
		e.Kind, e.Text, e.Mute = engine.Feedback, about.get("content"), noComment
		delete(e.Params, "content")
	default:
		e.Kind, e.Type = engine.Unknown, name
	}
}

// botParams are the texts of a part of a document, under their own names.
func botParams(d *node, prefix string) map[string]string {
	if d == nil {
		return make(map[string]string)
	}
	return collect(d, func(path string) string {
		if strings.HasPrefix(path, "selected_items.") {
			return ""
		}
		return prefix + path
	})
}
