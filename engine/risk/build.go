package risk

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"bot/engine"
	"bot/engine/nearest"
)

// Rules is a matrix, checked. Give it to one Guard.
type Rules struct {
	rows    []*row
	replies []*row // those of rows that count answers
	said    []*row // those about what the accounts say
	byName  map[string]*row
	byKind  map[engine.Kind][]*row
}

// Len is the number of rows.
func (r *Rules) Len() int { return len(r.rows) }

// keys are a row of the risk matrix: a behaviour, how much of it is too much, and what follows ([risk](risk.md)).
//
//	[[risk]]
//	name = "flood"
//	on = "message"
//	more_than = "20/m"
//	per = "user"
//	where = "any"
//	except = ["wxid_boss"]
//	action = "mute"
//	for = "10m"
//	reply = "消息太频繁，请稍后再试"
//
//	[[risk]]
//	name = "banned"
//	on = "words"
//	words = ["赌博", "刷单"]
//	action = "block"
//
//	[[risk]]
//	name = "essay"
//	on = "long"
//	over = 2000
//	in = ["*@chatroom"]
//	action = "ignore"
type keys struct {
	// Unique: it appears in logs, metrics and reasons. At most 64 bytes.
	Name string `toml:"name" default:"required"`
	// The behaviour, or any event by its name: see [risk](risk.md).
	On string `toml:"on" is:"@behaviours" default:"required"`
	// The row is only about texts with one of them.
	Words engine.List `toml:"words"`
	// Of `long`: characters.
	Over int `toml:"over" is:"1.."`
	// What comes beyond it is a hit.
	MoreThan engine.Rate `toml:"more_than" default:"the first one is a hit"`
	// Whose events are counted together, and who is muted, blocked or degraded.
	Per string `toml:"per" is:"user|conversation|account" default:"'\"user\"'; '\"conversation\"' for events of groups and 'replies'"`
	// Only for these accounts.
	Accounts []string `toml:"accounts" default:"all"`
	// In which conversations.
	Where string `toml:"where" is:"private|group|any"`
	// Only in these conversations, by their ids; a `*` at either end leaves that end open.
	In []string `toml:"in" default:"everywhere"`
	// Ids of people and conversations that the row is not about.
	Except engine.List `toml:"except"`
	// What follows.
	Action string `toml:"action" is:"alert|degrade|ignore|mute|block|pause" default:"required"`
	// How long a mute or a degradation lasts.
	For engine.Duration `toml:"for" default:"mute: '\"10m\"'; degrade: while there are too many"`
	// Said once for a mute; a plain text, no template.
	Reply string `toml:"reply"`
}

// Table is the struct that a [[risk]] is decoded into, with what holds where keys are
// absent: for those who describe the configuration.
func Table() any { return defaults() }

func defaults() keys { return keys{Where: "any", Over: defaultOver} }

// What holds where a row does not say.
const (
	defaultOver  = 2000
	defaultMute  = 10 * time.Minute
	repeatWithin = time.Minute
)

// Build makes a matrix of its tables, or returns everything that is wrong with
// any of them in one error. accounts are the names there are.
func Build(sections []engine.Section, accounts []string) (*Rules, error) {
	rules := &Rules{byName: make(map[string]*row), byKind: make(map[engine.Kind][]*row)}
	at := make(map[string]string)
	var errs []error
	for _, s := range sections {
		d := &draft{section: s, accounts: accounts}
		r := d.row()
		if first, taken := at[r.name]; taken && r.name != "" {
			d.problem("name", "the name %q is taken by the row at %s", r.name, first)
		}
		at[r.name] = s.At("")
		errs = append(errs, d.problems...)
		rules.add(r)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return rules, nil
}

func (r *Rules) add(x *row) {
	r.rows = append(r.rows, x)
	r.byName[x.name] = x
	if x.on == onSameText {
		r.said = append(r.said, x)
		return
	}
	if x.on != onReplies {
		r.byKind[x.kind] = append(r.byKind[x.kind], x)
		return
	}
	r.replies = append(r.replies, x)
	for _, k := range engine.Kinds() {
		if !k.OfAccount() {
			r.byKind[k] = append(r.byKind[k], x)
		}
	}
}

// draft is a row in the making; its problems are collected.
type draft struct {
	keys
	section  engine.Section
	accounts []string
	problems []error
	unread   bool // some value could not be read, and that has been said
}

func (d *draft) problem(key, format string, args ...any) {
	d.problems = append(d.problems, d.section.Errorf(key, format, args...))
}

// lacks tells whether a value is really missing, not just unreadable.
func (d *draft) lacks(key string, empty bool) bool { return empty && !(d.unread && d.section.Has(key)) }

func (d *draft) row() *row {
	d.keys = defaults()
	if err := d.section.Decode(&d.keys); err != nil {
		d.problems, d.unread = append(d.problems, err), true
	}
	r := &row{name: d.Name, over: d.Over, accounts: d.Accounts, where: d.Where, reply: d.Reply, hits: new(atomic.Uint64), said: d.On}
	d.named()
	d.behaviour(r)
	d.condition(r)
	d.places(r)
	d.consequence(r)
	d.possible(r)
	d.ownSpeech(r)
	r.reason, r.id = reasonOf(r.action, r.name), d.identity()
	return r
}

// reasonOf is the reason for which events are refused by a row.
func reasonOf(a action, row string) string { return "risk_" + a.String() + ":" + row }

func (d *draft) named() {
	switch {
	case d.lacks("name", d.Name == ""):
		d.problem("", `a row needs a name (name = "flood")`)
	case len(d.Name) > 64:
		d.problem("name", "name is longer than 64 bytes (it appears in metrics)")
	}
}

// oneOf finds the place of a word among those that are known, and complains of
// one that is not.
func (d *draft) oneOf(key, word string, known []string) int {
	i := slices.Index(known, word)
	if i < 0 && d.lacks(key, true) {
		d.problem(key, "%s: there is no %q%s", key, word, nearest.Hint(word, known))
	}
	return max(i, 0)
}

// behaviour reads `on` and what belongs to it.
func (d *draft) behaviour(r *row) {
	kind, isKind := engine.ParseKind(d.On)
	on, isBehaviour := behaviours[d.On]
	switch {
	case d.lacks("on", d.On == ""):
		d.problem("", `a row needs a behaviour (on = "message")`)
	case isBehaviour:
		r.on = on
		if on != onReplies && on != onSameText {
			r.kind = engine.Message
		}
	case isKind:
		r.kind = kind
	default:
		d.oneOf("on", d.On, Behaviours())
	}
	d.said(r)
	switch {
	case d.section.Has("over") && r.on != onLong:
		d.problem("over", `over is for on = "long" alone`)
	case d.Over < 1 && r.on == onLong:
		d.problem("over", "over: %d characters is no text (over = 2000)", d.Over)
	}
}

// said reads the list of words.
func (d *draft) said(r *row) {
	given := d.section.Has("words") || d.section.Has("words_file")
	switch {
	case given && r.on == onReplies:
		d.problem("words", "words: what the bot answers is not looked at")
	case d.On == "words" && !given:
		d.problem("", `on = "words" needs words = ["…"] or words_file = "words.txt"`)
	case given && !d.unread && len(d.Words) == 0:
		d.problem("words", `words is empty (words = ["…"])`)
	}
	if len(d.Words) == 0 {
		return
	}
	var blank []int
	r.words, blank = newLexicon(d.Words)
	for _, i := range blank {
		d.problem(fmt.Sprintf("words.%d", i), "a blank word would be found nowhere")
	}
}

// Behaviours are all values of `on`.
func Behaviours() (names []string) {
	for name := range behaviours {
		names = append(names, name)
	}
	names = append(names, engine.KindNames()...)
	slices.Sort(names)
	return names
}

// condition reads how many are too many, and whose.
func (d *draft) condition(r *row) {
	rate := d.MoreThan
	switch {
	case rate.N != math.Trunc(rate.N) || rate.N > 1e9:
		d.problem("more_than", "more_than: %v does not count whole events (like \"20/m\")", rate)
	case r.on == onReplies && d.lacks("more_than", rate.Per == 0):
		d.problem("", `on = "replies" needs more_than, or the bot would never answer (more_than = "10/m")`)
	}
	r.most, r.window = int(rate.N), rate.Per
	if r.on == onRepeat && r.window == 0 {
		r.window = repeatWithin
	}
	word := d.Per
	if word == "" && !d.section.Has("per") {
		word = perNames[perUser]
		if r.on == onReplies || r.kind.InGroup() {
			word = perNames[perConversation]
		}
	}
	r.per = per(d.oneOf("per", word, perNames))
	if r.on == onReplies && r.per == perUser {
		d.problem("per", `per: the bot's answers are counted per "conversation" or "account"`)
	}
}

// places reads where the row holds.
func (d *draft) places(r *row) {
	for i, a := range d.Accounts {
		if !slices.Contains(d.accounts, a) {
			d.problem(fmt.Sprintf("accounts.%d", i), "there is no account %q%s", a, nearest.Hint(a, d.accounts))
		}
	}
	d.oneOf("where", d.Where, []string{"private", "group", "any"})
	if d.section.Has("in") && d.lacks("in", len(d.In) == 0) {
		d.problem("in", `in is empty: it names conversations by their ids (in = ["*@im.chatroom"]), or is left out`)
	}
	for i, id := range d.In {
		if strings.Trim(id, "* ") == "" {
			d.problem(fmt.Sprintf("in.%d", i), "%q names no conversation (leave `in` out for all of them)", id)
		}
		r.in = append(r.in, parsePattern(id))
	}
	for i, id := range d.Except {
		if strings.TrimSpace(id) == "" {
			d.problem(fmt.Sprintf("except.%d", i), "an empty id is nobody's")
		}
	}
	r.except = make(map[string]bool, len(d.Except))
	for _, id := range d.Except {
		r.except[id] = true
	}
}

// consequence reads what follows from a hit.
func (d *draft) consequence(r *row) {
	if d.lacks("action", d.Action == "") {
		d.problem("", "a row needs an action (one of %s)", strings.Join(actionNames, ", "))
		return
	}
	r.action = action(d.oneOf("action", d.Action, actionNames))
	if !slices.Contains(actionNames, d.Action) {
		return
	}
	lasts := r.action == mute || r.action == degrade
	switch {
	case d.section.Has("for") && !lasts:
		d.problem("for", "for: %s takes no time (action = \"mute\" does)", d.Action)
	case d.section.Has("for") && d.lacks("for", d.For == 0):
		d.problem("for", `for: no time at all (for = "10m")`)
	}
	if r.lasts = d.For.Std(); r.action == mute && !d.section.Has("for") {
		r.lasts = defaultMute
	}
	if (r.action == pause) != (r.on == onSameText) && r.action != alert {
		d.problem("action", `action: pause goes with on = "same_text", which takes nothing but pause and alert`)
	}
	if d.section.Has("reply") {
		switch {
		case r.action != mute:
			d.problem("reply", `reply is said once for a mute (action = "mute")`)
		case d.lacks("reply", strings.TrimSpace(d.Reply) == ""):
			d.problem("reply", "reply is empty: leave it out to say nothing")
		case strings.Contains(d.Reply, "{{"):
			d.problem("reply", "the reply to a mute is said as it is written: it is no template")
		}
	}
	if r.action == block && r.per == perAccount {
		d.problem("per", `per: an account cannot block itself (per = "user" or "conversation", or action = "mute")`)
	}
}

// possible finds rows that can never hit, and those that always do.
func (d *draft) possible(r *row) {
	switch {
	case r.kind.OfAccount() && r.action != alert:
		d.problem("action", "action: %s is about the account itself and cannot be refused (action = \"alert\")", r.kind)
	case r.kind.InGroup() && d.Where == "private":
		d.problem("where", "where: %s happens in groups only, so this row never hits (where = \"group\")", r.kind)
	case r.kind.OfFriend() && d.Where == "group":
		d.problem("where", "where: %s never happens in a group, so this row never hits (where = \"private\")", r.kind)
	case len(d.In) > 0 && !slices.ContainsFunc(d.In, func(id string) bool { return !r.except[id] }):
		d.problem("except", "except takes back all that `in` names, so this row never hits")
	case len(d.problems) == 0 && r.on == onKind && r.kind == engine.Message && !r.counts() && r.words == nil && len(r.in) == 0 && r.action >= ignore:
		d.section.Warnf("on", "every message is a hit: nobody is answered (more_than = \"20/m\")")
	}
}

// identity names the row's condition, so that its counters outlive a reload
// which leaves it alone.
func (d *draft) identity() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q %v %q %q %q %v", d.Name, d.On, d.MoreThan, d.Per, d.Where, d.In, d.Over)
	return h.Sum64()
}
