package form

import (
	"strconv"
	"strings"

	"bot/skills/answer"
	"bot/skills/kind"
	"bot/skills/match"
)

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
	return answer.NewChoices(d.World.Folding, texts)
}
