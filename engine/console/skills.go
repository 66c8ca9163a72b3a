package console

import (
	"net/http"
	"slices"
	"strings"

	"bot/engine"
	"bot/engine/trial"
)

// Question is an event of which is asked what the skills would do.
type Question struct {
	Account        string
	Text           string
	Kind           engine.Kind // "" is a message
	Group, Mention bool
}

// skillsPage is the skills, and what they would do.
type skillsPage struct {
	Accounts []string
	Kinds    []engine.Kind
	Skills   []engine.SkillInfo
	Graphs   []string
	Asked    bool
	Question
	trial.Reply
	Failed string
}

func (c *console) skills(r *http.Request) (any, error) {
	q := r.URL.Query()
	p := skillsPage{
		Accounts: c.o.Accounts(), Kinds: engine.Kinds(), Asked: q.Has("text"),
		Question: Question{
			Account: q.Get("account"), Text: q.Get("text"), Kind: engine.Kind(q.Get("kind")),
			Group: q.Get("group") != "", Mention: q.Get("mention") != "" || !q.Has("text"),
		},
	}
	p.Skills, p.Graphs = c.o.Skills()
	if p.Account == "" && len(p.Accounts) > 0 {
		p.Account = p.Accounts[0]
	}
	if !p.Asked || strings.TrimSpace(p.Text) == "" && (p.Kind == "" || p.Kind == engine.Message) {
		p.Asked = false
		return p, nil
	}
	var err error
	if p.Reply, err = c.o.Try(r.Context(), p.Question); err != nil {
		p.Failed = err.Error() // what a skill cannot do is an answer as well
	}
	// Those that would answer first, then those that came near.
	slices.SortStableFunc(p.Verdicts, func(a, b engine.Verdict) int {
		switch {
		case a.Won == b.Won:
			return 0
		case a.Won:
			return -1
		}
		return 1
	})
	return p, nil
}
