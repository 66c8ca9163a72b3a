// Package render turns the texts that operators write into the texts that are
// sent: Go templates over the event, the user, the collected data and a web
// service's response, checked when they are loaded.
package render

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"
	"time"

	"bot/engine"
	"bot/engine/clip"
)

// Limit bounds what one template may make, in bytes.
const Limit = 64 << 10

// Data is what a template sees. Filling a text in only reads it.
type Data struct {
	User         string // the sender's id
	UserName     string
	Conversation string
	Account      string
	Text         string
	Members      string            // whom a group event is about: their names, or ids where there are none
	Actor        string            // the id of who did it
	Params       map[string]string // what the platform said besides
	Match        []string          // the whole match, then its groups
	Data         map[string]string // what a form has collected
	Response     any               // what a web service answered
	Day          string            // of the receipt, in the account's time zone: 2006-01-02
	Now          time.Time         // of the receipt, in the account's time zone
	rounds       *int              // of the loops so far
	longest      int               // a text in answer, in bytes; 0: not known
}

// Of is what a turn gives to templates. Data is the state's.
func Of(t *engine.Turn) *Data {
	e := t.Event
	now := e.Received.In(time.UTC)
	if t.Account.Location != nil {
		now = e.Received.In(t.Account.Location)
	}
	return &Data{
		User: e.Sender, UserName: e.SenderName, Conversation: e.Conversation, Account: e.Account,
		Text: brief(e.Text), Members: members(e), Actor: e.Actor, Params: e.Params, Match: briefAll(t.Match), Data: t.State.Data,
		Day: now.Format(time.DateOnly), Now: now,
		longest: cmp.Or(e.Ticket.Limit, t.Account.TextLimit),
	}
}

// maxShown bounds what of a message is shown in answer to it, in bytes: a text of
// several takes it more than once, and must stay below Limit.
const maxShown = 8 << 10

// brief is the beginning of a text that is too long to be repeated.
func brief(s string) string { return clip.Dots(s, maxShown) }

func briefAll(match []string) []string {
	if !slices.ContainsFunc(match, func(s string) bool { return len(s) > maxShown }) {
		return match
	}
	match = slices.Clone(match)
	for i, s := range match {
		match[i] = brief(s)
	}
	return match
}

// Longest is how long a text in answer to the event may be in bytes, or
// otherwise where its platform does not say.
func (d *Data) Longest(otherwise int) int { return cmp.Or(d.longest, otherwise) }

// members is how a sentence lists those an event is about.
func members(e *engine.Event) string {
	if len(e.MemberNames) == 0 {
		return strings.Join(e.Members, "、")
	}
	shown := slices.Clone(e.MemberNames)
	for i := range shown {
		if shown[i] == "" && i < len(e.Members) {
			shown[i] = e.Members[i]
		}
	}
	return strings.Join(shown, "、")
}

// Scope is what will be there for a template of one place in the
// configuration, so that a reference to anything else is found at load.
type Scope struct {
	Groups int      // elements of .Match: the whole match and its groups; 0 where there is none
	Saves  []string // what .Data may hold
	// Response says that a web service has answered when the text is filled in.
	Response bool
	// Strict makes a text fail that is to show what the service's answer does not
	// hold, where it would be a sentence with a hole in it. {{if}}, {{range}},
	// default and the like still ask for what may be missing, and a null of JSON
	// (see Answer) shows as nothing.
	Strict bool
	// Only are the fields of Data that there is something in; none: all of them.
	Only []string
}

// Template is one text, ready to be filled in. It is safe for concurrent use.
type Template struct {
	tree    *template.Template
	program program // nil: the tree is too much for one
	fixed   bool    // it has no actions: the text is what it makes
	text    string
}

// Parse reads a text and checks all that it refers to. The error says what is
// wrong in words for the operator; where the text stands is for the caller to add.
func Parse(text string, s Scope) (*Template, error) {
	t, err := parseText(text, &checker{scope: s, last: shown})
	if err != nil {
		return nil, err
	}
	return &Template{
		tree: t, program: lower(t.Root),
		fixed: !strings.Contains(text, "{{"), text: strings.ToValidUTF8(text, "\uFFFD"),
	}, nil
}

// parseText reads a text as the checker says.
func parseText(text string, c *checker) (*template.Template, error) {
	t, err := template.New("text").Funcs(functions).Option("missingkey=zero").Parse(text)
	if err != nil {
		msg := plain(err)
		return nil, fmt.Errorf("bad template: %s%s", msg, hint(msg))
	}
	if len(t.Templates()) > 1 || t.Tree == nil {
		return nil, errors.New("bad template: a text cannot define templates of its own")
	}
	c.list(t.Root, root)
	if len(c.problems) > 0 {
		return nil, fmt.Errorf("bad template: %s", strings.Join(c.problems, "; "))
	}
	countRounds(t.Root)
	if !c.dynamic { // the walk knows names; a trial run knows the types of functions' arguments
		for _, value := range []string{"", "1", "a"} { // {{if .Text}} goes one way and the other, and not all texts are numbers
			if err := t.Execute(io.Discard, sample(c.scope, value)); err != nil {
				return nil, fmt.Errorf("bad template: %s", plain(err))
			}
		}
	}
	return t, nil
}

// Execute fills the text in: one without actions costs nothing, most others
// little. What is missing comes out empty; what the data holds is never read
// as a template. It fails when the result passes Limit.
func (t *Template) Execute(d *Data) (string, error) {
	var out string
	var err error
	switch {
	case t.fixed:
		return t.text, nil
	case t.program != nil:
		out, err = t.program.fill(d)
	default:
		out, err = walk(t.tree, d)
	}
	if err != nil {
		return "", fmt.Errorf("fill in template: %s", plain(err))
	}
	return strings.ToValidUTF8(out, "\uFFFD"), nil
}

// walk fills the text in by text/template.
func walk(tree *template.Template, d *Data) (out string, err error) {
	// text/template passes runtime errors of its own on as panics.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	b := bounded{left: Limit}
	counted := *d
	counted.rounds = new(int)
	err = tree.Execute(&b, counted)
	return b.text.String(), err
}

var errTooLong = fmt.Errorf("the text grows beyond %d bytes", Limit)

// bounded collects what a template writes, up to a limit.
type bounded struct {
	text strings.Builder
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errTooLong
	}
	return b.text.Write(p)
}

// sample is data of which every text has one value.
func sample(s Scope, value string) Data {
	d := Data{
		User: value, UserName: value, Conversation: value, Account: value, Text: value, Members: value, Actor: value,
		Match: slices.Repeat([]string{value}, s.Groups), Data: make(map[string]string), Now: time.Unix(0, 0).UTC(),
	}
	d.rounds = new(int)
	d.Day = d.Now.Format(time.DateOnly)
	for _, name := range s.Saves {
		d.Data[name] = value
	}
	return d
}

// plain takes the library's own coordinates off an error: the texts are short,
// and the caller adds the file and line.
func plain(err error) string {
	if missing, ok := errors.AsType[missingError](err); ok {
		return missing.Error() // the library would name functions that nobody wrote
	}
	msg := err.Error()
	for _, cut := range []string{"template: text:", "executing \"text\" at "} {
		if _, rest, ok := strings.Cut(msg, cut); ok {
			msg = rest
		}
	}
	if n, rest, ok := strings.Cut(msg, ": "); ok && strings.Trim(n, "0123456789:") == "" {
		msg = rest
	}
	return msg
}
