// Package contacts is the directory of whom an account can reach: the people it
// talks with in private and the groups it is in, when they last wrote, and the
// labels they have. It is learned from events in the acts that handle them, and
// from commands in the acts that settle them; audiences are chosen from it, and
// before something is said unasked it tells whether its receiver is still there.
//
// It is kept in notes of the account, of two sorts that never write over each
// other, so that nothing is read, changed and written back by two at once:
//
//	contact/<id>          what events told (see record); written by the turns of
//	                      the conversation, of which there is one at a time
//	given/<id> NUL i      people named the contact (import): "p", or "g" a group
//	given/<id> NUL l<label>   a label
//	given/<id> NUL n      a name that the contact was given
//
// Each of the second sort is written whole, whatever was there before.
package contacts

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"bot/engine"
)

// Contact is a person or a group that an account knows. Days are of the account's
// zone, given as their midnight in UTC.
type Contact struct {
	ID    string
	Group bool
	// Name is what the account calls the contact (a remark), or else what the
	// contact calls itself; "" where neither was told.
	Name   string
	Labels []string // in the order of their bytes
	// Since is the day on which they became a contact, or were first heard of;
	// zero where no event told.
	Since time.Time
	// Active is the day on which they last wrote, in a group anybody; zero: never.
	Active time.Time
	// Gone is when they were lost; zero: they are there.
	Gone time.Time
}

// Last is the later one of Since and Active: whoever has only just come cannot
// have written yet. It is zero where no event told anything.
func (c *Contact) Last() time.Time {
	if c.Since.After(c.Active) {
		return c.Since
	}
	return c.Active
}

// within tells whether Last is no longer ago than d. Days are counted whole and
// in favour of the contact, the day of now not among them; somebody of whom
// nothing is known is not within any time.
func (c *Contact) within(d time.Duration, now time.Time) bool {
	last := c.Last()
	return !last.IsZero() && !last.Before(now.Add(-d).UTC().Truncate(day))
}

const day = 24 * time.Hour

// Bounds of what is kept. Conversations with longer ids are not in the directory.
const (
	MaxID    = 256 // bytes
	MaxLabel = 128 // bytes
	maxName  = 128 // bytes; longer names are cut
)

// goneKeep is how long somebody who is gone is remembered.
const goneKeep = 400 * day

// The keys of the notes.
const (
	contactPrefix = "contact/"
	givenPrefix   = "given/"
	present       = "i"
	labelled      = "l"
	named         = "n"
)

func contactKey(id string) string        { return contactPrefix + id }
func givenKey(id, what string) string    { return givenPrefix + id + "\x00" + what }
func labelKey(id, label string) string   { return givenKey(id, labelled+label) }
func presentValue(group bool) string     { return map[bool]string{false: "p", true: "g"}[group] }
func goneUntil(gone time.Time) time.Time { return gone.Add(goneKeep) }

// ValidID tells whether a conversation of that id can be in the directory.
func ValidID(id string) bool {
	return id != "" && len(id) <= MaxID && !strings.ContainsRune(id, 0)
}

// ValidLabel tells whether that can be a label: 1 to MaxLabel bytes of text
// without control characters and without blanks around it.
func ValidLabel(label string) bool {
	return label != "" && len(label) <= MaxLabel && utf8.ValidString(label) &&
		strings.TrimSpace(label) == label && !strings.ContainsFunc(label, unicode.IsControl)
}

// nameOf makes a name one that can be kept.
func nameOf(name string) string {
	name = strings.ToValidUTF8(name, "")
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, name))
	for len(name) > maxName {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	return name
}

// record writes what events told of a contact: a version, p or g, the days of
// Since and Active, Gone in Unix seconds (each "-" for none), and the name.
//
//	1 p 20260301 20260801 - 张三
func (c *Contact) record() string {
	b := make([]byte, 0, 40+len(c.Name))
	b = append(b, "1 "...)
	b = append(b, presentValue(c.Group)...)
	for _, t := range []time.Time{c.Since, c.Active} {
		b = append(b, ' ')
		if t.IsZero() {
			b = append(b, '-')
		} else {
			b = t.AppendFormat(b, dayForm)
		}
	}
	b = append(b, ' ')
	if c.Gone.IsZero() {
		b = append(b, '-')
	} else {
		b = strconv.AppendInt(b, c.Gone.Unix(), 10)
	}
	b = append(b, ' ')
	return string(append(b, c.Name...))
}

const dayForm = "20060102"

// readRecord reads what record wrote. ok is false for anything else, which counts
// as nothing known: it can only be damage, and one note must not stop an audience.
func readRecord(id, value string) (c Contact, ok bool) {
	var parts [5]string
	rest := value
	for i := range parts {
		var found bool
		if parts[i], rest, found = strings.Cut(rest, " "); !found {
			return Contact{}, false
		}
	}
	c = Contact{ID: id, Group: parts[1] == "g", Name: rest}
	if parts[0] != "1" || parts[1] != "g" && parts[1] != "p" || rest != nameOf(rest) {
		return Contact{}, false
	}
	since, okSince := readDay(parts[2])
	active, okActive := readDay(parts[3])
	if !okSince || !okActive {
		return Contact{}, false
	}
	c.Since, c.Active = since, active
	if parts[4] != "-" {
		seconds, err := strconv.ParseInt(parts[4], 10, 64)
		if err != nil || strconv.FormatInt(seconds, 10) != parts[4] || seconds < 0 || seconds > lastSecond {
			return Contact{}, false
		}
		c.Gone = time.Unix(seconds, 0).UTC()
	}
	return c, true
}

// lastSecond is the end of the year 9999.
const lastSecond = 253402300799

func readDay(s string) (t time.Time, ok bool) {
	if s == "-" {
		return time.Time{}, true
	}
	t, err := time.Parse(dayForm, s)
	return t, err == nil && !t.IsZero()
}

// dayOf is the day of a time in a zone.
func dayOf(t time.Time, l *time.Location) time.Time {
	y, m, d := t.In(l).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// Memory is what the directory asks of the store; store.Memory says what the
// methods promise.
type Memory interface {
	Recall(account, key string) (string, error)
	Recollect(account, prefix, after string, limit int) ([]engine.Note, error)
}
