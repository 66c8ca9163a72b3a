package skills

import (
	"bot/engine"
	"bot/skills/kind"
)

// Tests are the dialogues beside the skills that are enabled, each to be
// played where its skill works.
func (s *Set) Tests() []engine.Script {
	var all []engine.Script
	for _, e := range s.entries {
		if !e.draft.Enabled {
			continue
		}
		for i, t := range e.draft.Test {
			script := engine.Script{
				Skill: e.draft.Name, Where: e.draft.Position(kind.Path("test", i)),
				Group: group(e.draft), Send: t.Send, Expect: t.Expect,
				Answers: e.draft.Answers[i],
			}
			if len(e.draft.Accounts) > 0 {
				script.Account = e.draft.Accounts[0]
			}
			all = append(all, script)
		}
	}
	return all
}

// group tells whether a skill is at home in groups: those that answer what
// happens in groups only are, wherever else they may work.
func group(d *kind.Draft) bool {
	return d.Where == kind.Group || engine.Kind(d.On).InGroup()
}
