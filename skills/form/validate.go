package form

import (
	"strconv"
	"strings"
	"time"

	"bot/skills/answer"
	"bot/skills/kind"
	"bot/skills/match"
)

// validator is what `validate` names: a sort of answer that people write in
// several ways.
type validator struct {
	name string
	read func(said string, today time.Time) (kept string, ok bool)
	// limit reads a min or max out of the configuration; nil: there is none.
	limit   func(v any) (*bound, bool)
	like    string // what a min looks like
	invalid string // said where the operator wrote nothing
}

func validators() []validator {
	timeless := func(read func(string) (string, bool)) func(string, time.Time) (string, bool) {
		return func(said string, _ time.Time) (string, bool) { return read(said) }
	}
	return []validator{
		{
			name: "mobile_cn", read: timeless(answer.Mobile),
			invalid: "请输入 11 位手机号。\nPlease enter a mobile number of 11 digits.",
		},
		{
			name: "id_card_cn", read: answer.IDCard,
			invalid: "身份证号不对，请核对 18 位号码。\nThat is no valid identity card number, please check its 18 characters.",
		},
		{
			name: "date", read: date, limit: dateBound, like: `"2026-01-31", "today" or "today+30d"`,
			invalid: "请输入日期，例如 2026-01-31。\nPlease enter a date such as 2026-01-31.",
		},
		{
			name: "number", read: timeless(answer.Number), limit: numberBound, like: "18 or 0.5",
			invalid: "请输入一个数字。\nPlease enter a number.",
		},
		{
			name: "email", read: timeless(answer.Email),
			invalid: "请输入邮箱地址。\nPlease enter an e-mail address.",
		},
	}
}

func date(said string, today time.Time) (string, bool) {
	d, ok := answer.Date(said, today)
	if !ok {
		return "", false
	}
	return d.Format(time.DateOnly), true
}

// newValidator finds what `validate` names, nil for none.
func newValidator(d *kind.Draft, at func(string) string, c *stepConfig) *validator {
	if !d.Has(at("validate")) || c.Validate == "" && !d.Lacks(at("validate"), true) {
		return nil
	}
	var names []string
	for _, v := range validators() {
		if v.name == c.Validate {
			if c.Choices != nil {
				d.Problem(at("validate"), "validate does nothing beside choices, which say what fits")
			}
			return &v
		}
		names = append(names, v.name)
	}
	d.Problem(at("validate"), "unknown validate %q%s", c.Validate, kind.Hint(c.Validate, names))
	return nil
}

// bound reads a min or max at a key, nil where there is none.
func (v *validator) bound(d *kind.Draft, key string, value any) *bound {
	switch {
	case !d.Has(key) || value == nil:
		return nil
	case v == nil || v.limit == nil:
		d.Problem(key, `min and max are for validate = "number" and "date" (min_length and max_length count characters)`)
		return nil
	}
	b, ok := v.limit(value)
	if !ok {
		d.Problem(key, "%v is no limit of a %s (it looks like %s)", value, v.name, v.like)
	}
	return b
}

// newChoices reads `choices`, nil for none.
func newChoices(d *kind.Draft, at func(string) string, texts []string) *answer.Choices {
	if d.Has(at("choices")) && d.Lacks(at("choices"), len(texts) == 0) {
		d.Problem(at("choices"), `choices is empty, so no answer fits (choices = ["个人", "公司"])`)
	}
	if len(texts) == 0 {
		return nil
	}
	first := make(map[string]string)
	for i, text := range texts {
		key, form := kind.Path(at("choices"), i), match.Fold(text)
		earlier, taken := first[form]
		switch n, err := strconv.Atoi(match.Trim(form)); {
		case form == "":
			if d.Lacks(key, true) {
				d.Problem(key, "an empty choice cannot be chosen")
			}
		case taken:
			d.Problem(key, "%q reads like the choice %q", text, earlier)
		case strings.Contains(text, "\n"):
			d.Problem(key, "a choice stands in one line")
		case err == nil && 1 <= n && n <= len(texts) && n != i+1:
			d.Warn(key, "%q is also the number of the choice %q; who answers it gets %q", text, texts[n-1], text)
		}
		first[form] = text
	}
	return answer.NewChoices(texts)
}

// defaultInvalid is what a bad answer gets where nothing better is known.
const defaultInvalid = "这个回答不符合要求，请重新输入。\nThat answer does not fit, please try again."

// plea asks again for what the step wants: what is said to a bad answer where
// the operator wrote nothing. It is a template.
func (w *wants) plea(example string) string {
	plea := defaultInvalid
	for _, m := range media {
		if m.name == w.medium {
			return m.again
		}
	}
	switch {
	case w.choices != nil:
		return literal("请选一个，回复编号或文字。\nPlease choose one, by its number or its words.\n" + w.choices.List())
	case w.validator != nil:
		plea = w.validator.invalid
	}
	var lines []string
	add := func(what, value string) {
		if value != "" {
			lines = append(lines, what+value)
		}
	}
	add("例如 for example: ", example)
	add("最小 at least: ", w.min.said())
	add("最大 at most: ", w.max.said())
	if w.shortest > 0 {
		add("最少字数 characters, at least: ", strconv.Itoa(w.shortest))
	}
	if w.longest > 0 {
		add("最多字数 characters, at most: ", strconv.Itoa(w.longest))
	}
	return literal(strings.Join(append([]string{plea}, lines...), "\n"))
}
