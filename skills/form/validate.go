package form

import (
	"time"

	"bot/skills/answer"
	"bot/skills/kind"
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
