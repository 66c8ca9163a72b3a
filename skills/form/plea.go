package form

import (
	"strconv"
	"strings"
)

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
