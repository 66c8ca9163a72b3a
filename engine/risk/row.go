package risk

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"bot/engine"
)

// behaviour is what a row looks for in an event, besides its kind.
type behaviour uint8

const (
	onKind     behaviour = iota // every event of the kind
	onLink                      // a message with a link
	onRepeat                    // a message that says what a recent one said
	onLong                      // a message of many characters
	onReplies                   // any event, in a conversation that is answered too often
	onSameText                  // what the account itself says unasked: one text to many
)

// behaviours are the values of `on` that are no kinds of event.
var behaviours = map[string]behaviour{
	"link": onLink, "words": onKind, "repeat": onRepeat, "long": onLong, "replies": onReplies, "same_text": onSameText,
}

// action is what follows from a hit, the severest last.
type action uint8

const (
	alert action = iota
	degrade
	ignore
	mute
	block
	pause // of onSameText alone
)

var actionNames = []string{"alert", "degrade", "ignore", "mute", "block", "pause"}

func (a action) String() string { return actionNames[a] }

// per is whose events are counted together, and who bears the consequence.
type per uint8

const (
	perUser per = iota
	perConversation
	perAccount
)

var perNames = []string{"user", "conversation", "account"}

// of is the id of that one in an event, "" for the account. Where nobody is
// said to have done it, it is on the conversation.
func (p per) of(e *engine.Event) string {
	switch {
	case p == perAccount:
		return ""
	case p == perUser && e.Sender != "":
		return e.Sender
	case p == perUser && e.Actor != "":
		return e.Actor
	}
	return e.Conversation
}

// row is one [[risk]], checked. It never changes but for its hits.
type row struct {
	name   string
	said   string // the value of `on`
	reason string // of a refusal
	id     uint64 // the same for the same name and condition
	hits   *atomic.Uint64

	on       behaviour
	kind     engine.Kind // "" for onReplies and onSameText
	accounts []string    // none: all
	where    string
	in       []pattern // none: everywhere
	except   map[string]bool
	words    *lexicon // nil: whatever is said
	over     int

	most   int           // in any window; what is more is a hit
	window time.Duration // 0: the first one is a hit
	per    per

	action action
	lasts  time.Duration
	reply  string
}

// fits tells whether the row is about such an event; t may be nil for onReplies.
func (r *row) fits(e *engine.Event, t *text) bool {
	switch {
	case len(r.accounts) > 0 && !slices.Contains(r.accounts, e.Account),
		r.where == "private" && e.Group, r.where == "group" && !e.Group,
		len(r.in) > 0 && !slices.ContainsFunc(r.in, func(p pattern) bool { return p.fits(e.Conversation) }),
		r.excepts(e):
		return false
	}
	switch r.on {
	case onLink:
		if e.Type != "link" && !t.hasLink() {
			return false
		}
	case onRepeat:
		if !e.Spoken() || len(t.essence()) == 0 {
			return false
		}
	case onLong:
		if len(e.Text) <= r.over || utf8.RuneCountInString(e.Text) <= r.over {
			return false
		}
	}
	return r.words == nil || r.words.in(t)
}

func (r *row) excepts(e *engine.Event) bool {
	return len(r.except) > 0 && (r.except[e.Sender] || r.except[e.Conversation])
}

// counts tells whether it takes more than one event to be a hit.
func (r *row) counts() bool { return r.window > 0 }

// maxWeight bounds what one event can count for.
const maxWeight = 10_000

// weight is how many an event counts for: one that is about several people, such
// as those who left a group, as many.
func (r *row) weight(e *engine.Event) int {
	if r.kind.InGroup() {
		return min(max(len(e.Members), 1), maxWeight)
	}
	return 1
}

// pattern is an id of which the beginning, the end or both may be left open
// with a *.
type pattern struct {
	text       string
	head, tail bool // open there
}

func parsePattern(s string) pattern {
	text, head := strings.CutPrefix(s, "*")
	text, tail := strings.CutSuffix(text, "*")
	return pattern{text, head, tail}
}

func (p pattern) fits(id string) bool {
	switch {
	case p.head && p.tail:
		return strings.Contains(id, p.text)
	case p.head:
		return strings.HasSuffix(id, p.text)
	case p.tail:
		return strings.HasPrefix(id, p.text)
	}
	return id == p.text
}
