package console

import "strings"

// What the engine has written down is in English. Of what has a fixed form, the texts
// of these keys are both how it is written there and how it is said.
var (
	audienceKeys = []string{"whom.file", "whom.list", "whom.contacts"}
	makerKeys    = []string{"by.line", "by.console"}
	matchKeys    = []string{"match.exact", "match.prefix", "match.contains", "match.regex", "match.any"}
	placeKeys    = []string{"flow.begin", "flow.done", "flow.every"}
	wayKeys      = []string{"flow.any", "flow.other", "flow.confirm", "flow.cancelled", "flow.left", "flow.before", "flow.many", "flow.expired", "flow.done"}
)

// record says a text that the engine has written down, if it is that of a key.
func (w words) record(text string, keys []string) string {
	for _, key := range keys {
		if text == texts()[key]["en"] {
			return w.T(key)
		}
	}
	return text
}

// Whom is whom a broadcast is for, By who made it.
func (w words) Whom(audience string) string { return w.record(audience, audienceKeys) }

func (w words) By(maker string) string {
	if name, ok := strings.CutPrefix(maker, "schedule "); ok {
		return w.T("by.schedule", name)
	}
	return w.record(maker, makerKeys)
}

// calledOff is what a note begins with that tells for which kind of event something
// that waited will not be sent.
const calledOff = "called off what waited: "

// inside says the values that a reason holds: a kind of event, a way to match.
func (w words) inside(text, said string) string {
	if kind, ok := strings.CutPrefix(text, calledOff); ok && texts()["kind."+kind] != nil {
		return strings.TrimSuffix(said, kind) + w.T("kind."+kind)
	}
	if strings.HasPrefix(text, "keyword ") {
		for _, key := range matchKeys {
			said = strings.Replace(said, "（"+texts()[key]["en"]+"）", "（"+w.T(key)+"）", 1)
		}
	}
	return said
}

// Flow is the drawing of a skill that is a state machine. What its operator has
// written stays as it is.
func (w words) Flow(drawing string) string {
	if w.Lang == "en" {
		return drawing
	}
	lines := strings.Split(drawing, "\n")
	for i, line := range lines {
		text := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(text)]
		if label, to, ok := cutLast(text, "→ "); ok {
			lines[i] = indent + w.way(label) + "→ " + w.record(to, wayKeys)
		} else if head, rule, ok := strings.Cut(text, "): "); ok && indent == "" {
			lines[i] = head + "): " + w.Reason(rule)
		} else {
			lines[i] = indent + w.record(text, placeKeys)
		}
	}
	return strings.Join(lines, "\n")
}

// way is the label of an edge, with the space behind it.
func (w words) way(label string) string {
	label, space := strings.CutSuffix(label, " ")
	said := label
	if n, ok := strings.CutPrefix(label, "bad answer number "); ok {
		said = w.T("flow.bad", strings.Replace(n, " to ", "–", 1))
	} else if d, ok := strings.CutSuffix(label, " without an answer"); ok {
		said = w.T("flow.silent", d)
	} else if list, ok := strings.CutPrefix(label, "skipped ("); ok {
		said = w.T("flow.skipped", strings.TrimSuffix(list, ")"))
	}
	if space {
		said = w.record(said, wayKeys) + " "
	}
	return said
}

// cutLast parts a text at the last place where sep stands.
func cutLast(text, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}
