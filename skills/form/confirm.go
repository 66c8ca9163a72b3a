package form

import (
	"fmt"
	"slices"
	"strings"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/match"
	"bot/skills/render"
)

// confirmNode is the state's node while the last question is open; no step can
// save under such a name.
const confirmNode = "(confirm)"

// The values of confirm_no.
const (
	noAgain  = "again"
	noCancel = "cancel"
)

// defaultYesNo asks again for a yes or a no.
const defaultYesNo = "请回复“是”或“否”。\nPlease answer yes or no."

// confirmation is the last question, whether all is right.
type confirmation struct {
	ask     *render.Template
	typed   string // the question as the operator wrote it
	invalid *render.Template
	notText *render.Template
	yes, no words
	cancels bool // a no ends the form; else it begins again
}

// newConfirm reads the last question, nil for none.
func newConfirm(d *kind.Draft, c *config, s render.Scope) *confirmation {
	if strings.TrimSpace(c.Confirm) == "" {
		for _, key := range []string{"yes", "no", "confirm_no"} {
			if d.Has(key) && d.Lacks("confirm", true) {
				d.Problem(key, `%s does nothing without confirm (confirm = "请确认：{{.Data.…}}")`, key)
			}
		}
		return nil
	}
	if d.Lacks("confirm_no", !slices.Contains([]string{noAgain, noCancel}, c.ConfirmNo)) {
		d.Problem("confirm_no", "unknown confirm_no %q (known: %s, %s)", c.ConfirmNo, noAgain, noCancel)
	}
	q := &confirmation{
		ask: d.Text("confirm", c.Confirm, s), typed: c.Confirm, cancels: c.ConfirmNo == noCancel,
		yes: wordsOr(d, "yes", c.Yes, kind.Yes()), no: wordsOr(d, "no", c.No, kind.No()),
		notText: textOr(d, "not_text", c.NotText, s, defaultNotText),
	}
	q.invalid = d.Text("", q.plea(d), s)
	for i, w := range c.No {
		if q.yes.are(w) {
			d.Problem(kind.Path("no", i), "%q says yes as well", w)
		}
	}
	return q
}

// plea names the words that are understood.
func (q *confirmation) plea(d *kind.Draft) string {
	if !d.Has("yes") && !d.Has("no") || q.yes.none() || q.no.none() {
		return defaultYesNo
	}
	return literal(fmt.Sprintf("请回复“%[1]s”或“%[2]s”。\nPlease answer “%[1]s” or “%[2]s”.", q.yes.typed[0], q.no.typed[0]))
}

// confirmed takes a message as the answer to the last question.
func (v *visit) confirmed(text *match.Text) (engine.Outcome, error) {
	q := v.form.confirm
	switch {
	case q.yes.said(text):
		return v.finish()
	case !q.no.said(text):
		return v.miss(confirmNode, defaultAttempts, q.invalid)
	case q.cancels:
		return v.end(v.form.cancelReply, "not confirmed", false)
	}
	clear(v.state.Data)
	return v.proceed(0, "not confirmed")
}
