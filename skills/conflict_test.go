package skills_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bot/skills"
	"bot/skills/skilltest"
)

// hopeless finds what a warning says never wins: the skill, and the keyword, ""
// for the whole skill.
var hopeless = regexp.MustCompile(`skill "([^"]+)": (?:keyword (\S+) never gets to this skill|this skill never answers)`)

// drawSkill draws a skill of few characters and few values, so that skills are
// often in each other's way.
func drawSkill(t *rapid.T, name string) string {
	word := rapid.SampledFrom([]string{"a", "b", "ab", "券", "领券", "领券a"})
	list := func(label string, least int) string {
		return fmt.Sprintf("%q", rapid.SliceOfNDistinct(word, least, 2, rapid.ID).Draw(t, label))
	}
	keys := []string{fmt.Sprintf("priority = %d", rapid.IntRange(0, 2).Draw(t, "priority"))}
	either := func(label string, one, other string) {
		if rapid.Bool().Draw(t, label) {
			keys = append(keys, one)
		} else if other != "" {
			keys = append(keys, other)
		}
	}
	either("ways", fmt.Sprintf("keywords = %s\nmatch = %q", list("keywords", 1), rapid.SampledFrom([]string{"exact", "prefix", "contains"}).Draw(t, "match")), "all_of = "+list("all_of", 1))
	if strings.Contains(keys[1], "keywords") {
		either("all", "all_of = "+list("all_of", 1), "")
	}
	if rapid.IntRange(0, 2).Draw(t, "not") == 0 {
		keys = append(keys, "not = "+list("not", 1))
	}
	if rapid.IntRange(0, 3).Draw(t, "goes on") == 0 {
		keys = append(keys, "stop = false")
	}
	keys = append(keys, fmt.Sprintf("where = %q", rapid.SampledFrom([]string{"private", "any"}).Draw(t, "where")))
	text := strings.Join(keys, "\n")
	return fmt.Sprintf("[[skill]]\nname = %q\nreply = \"x\"\n%s\n", name, strings.ReplaceAll(text, `" "`, `", "`))
}

func TestWhatIsSaidNeverToWinNeverDoes(t *testing.T) {
	said := rapid.StringOfN(rapid.SampledFrom([]rune("ab领券。")), 1, 6, -1)
	rapid.Check(t, func(r *rapid.T) {
		var tables []string
		for i := range rapid.IntRange(2, 5).Draw(r, "skills") {
			tables = append(tables, drawSkill(r, fmt.Sprintf("s%d", i)))
		}
		c := skilltest.Parse(t, strings.Join(tables, ""))
		set, err := skills.Build(c.Sections, skills.Options{Accounts: []string{"shop"}})
		if err != nil {
			r.Skip("it contradicts itself")
		}
		never := make(map[[2]string]string)
		for _, w := range c.Warnings() {
			if m := hopeless.FindStringSubmatch(w); m != nil {
				never[[2]string{m[1], m[2]}] = w
			}
		}
		chat := skilltest.NewChat(t, set)
		for _, text := range rapid.SliceOfN(said, 20, 20).Draw(r, "texts") {
			e := chat.Message(text)
			e.Group = rapid.Bool().Draw(r, "group")
			if e.Group {
				e.Mention = "me"
			}
			for _, choice := range set.Rules(e) {
				name := choice.Skill.Name()
				for _, key := range [][2]string{{name, choice.Match[0]}, {name, ""}} {
					if w, said := never[key]; said {
						r.Fatalf("%q is answered by %s because of %s, but: %s\n%s", text, name, choice.Why, w, strings.Join(tables, ""))
					}
				}
			}
		}
	})
}
