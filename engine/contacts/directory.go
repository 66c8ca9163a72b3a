package contacts

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// Store is what a Directory writes to.
type Store interface {
	Memory
	Remember(ctx context.Context, account string, notes []engine.Note) error
}

// Options is what a Directory needs. Only Store is required. Funcs are called by
// many goroutines at once and must not block.
type Options struct {
	Store Store
	// Location is where an account is: its days begin there. nil = UTC.
	Location func(account string) *time.Location
	// Barred tells who is sent nothing unasked, whatever the directory says of
	// them: blocked, unsubscribed, not served. nil = nobody.
	Barred func(account, id string) bool
	// Within is how long ago a person may have written last to be sent something
	// unasked; 0 sets no limit. nil = no limit for any account.
	Within func(account string) time.Duration
	Now    func() time.Time // the store's clock
	Log    *slog.Logger
}

// Directory reads and changes the contacts of all accounts. In memory it keeps only
// the records of some thousand that wrote lately. Its methods are safe for
// concurrent use, but Learn for one conversation by one goroutine at a time.
type Directory struct {
	o    Options
	seen seen
}

// New returns a Directory.
func New(o Options) *Directory {
	if o.Location == nil {
		o.Location = func(string) *time.Location { return time.UTC }
	}
	if o.Barred == nil {
		o.Barred = func(string, string) bool { return false }
	}
	if o.Within == nil {
		o.Within = func(string) time.Duration { return 0 }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Directory{o: o}
}

// recorded is what events told of a contact; ok is false where they told nothing.
func (d *Directory) recorded(account, id string) (c Contact, ok bool, err error) {
	value, err := d.o.Store.Recall(account, contactKey(id))
	if err != nil {
		return Contact{}, false, fmt.Errorf("look up contact: %w", err)
	}
	c, ok = readRecord(id, value)
	return c, ok, nil
}

// Change is what people change of a contact.
type Change struct {
	ID string
	// Present says that the contact is there, whatever was told before. Without it
	// somebody who is gone stays so.
	Present     bool
	Group       bool    // of one that is not known yet
	Name        *string // "" forgets the name that was given
	Add, Remove []string
}

// maxGiven bounds what one contact can have been given and still be moved or
// forgotten in one act.
const maxGiven = 10_000

// Change makes changes of an account's contacts, all or nothing; whoever is not
// known yet is afterwards. Ids and labels must be valid. It may be repeated.
func (d *Directory) Change(ctx context.Context, account string, changes []Change) error {
	var notes []engine.Note
	for _, ch := range changes {
		more, err := d.given(account, ch)
		if err != nil {
			return err
		}
		notes = append(notes, more...)
	}
	if len(notes) == 0 {
		return nil
	}
	if err := d.o.Store.Remember(ctx, account, notes); err != nil {
		return fmt.Errorf("remember contacts: %w", err)
	}
	return nil
}

// given is the notes that a change amounts to.
func (d *Directory) given(account string, ch Change) ([]engine.Note, error) {
	c, known, err := d.recorded(account, ch.ID)
	if err != nil {
		return nil, err
	}
	notes, err := d.presence(account, ch, &c, known)
	if err != nil {
		return nil, err
	}
	var until time.Time
	if !c.Gone.IsZero() && !ch.Present {
		until = goneUntil(c.Gone) // no longer than the contact itself
	}
	for _, label := range ch.Remove {
		notes = append(notes, engine.Note{Key: labelKey(ch.ID, label)})
	}
	for _, label := range ch.Add {
		notes = append(notes, engine.Note{Key: labelKey(ch.ID, label), Value: "1", Expires: until})
	}
	if ch.Name != nil {
		notes = append(notes, engine.Note{Key: givenKey(ch.ID, named), Value: nameOf(*ch.Name), Expires: until})
	}
	return notes, nil
}

// presence is the note by which a changed contact is there: nobody told of it, or
// told that it went. One that was named before keeps being what it was named.
func (d *Directory) presence(account string, ch Change, c *Contact, known bool) ([]engine.Note, error) {
	note := engine.Note{Key: givenKey(ch.ID, present), Value: presentValue(ch.Group)}
	switch {
	case known && (c.Gone.IsZero() || !ch.Present):
		return nil, nil
	case known:
		note.Value = presentValue(c.Group)
	case !ch.Present:
		was, err := d.o.Store.Recall(account, note.Key)
		if err != nil || was != "" {
			return nil, err
		}
	}
	return []engine.Note{note}, nil
}

// Sent is what is learned of a command that its platform took: the labels and the
// remark of a contact. It is nil for all other commands.
func (d *Directory) Sent(c *engine.Command) []engine.Note {
	ch := Change{ID: c.Conversation}
	switch c.Action {
	case engine.SetLabel:
		ch.Add, ch.Remove = valid(channel.Params(c, "add")), valid(channel.Params(c, "remove"))
		if len(ch.Add)+len(ch.Remove) == 0 {
			return nil // in a form that only the platform understands
		}
	case engine.SetRemark:
		remark := channel.Param(c, "remark")
		ch.Name = &remark
	default:
		return nil
	}
	if !ValidID(ch.ID) {
		return nil
	}
	notes, err := d.given(c.Account, ch)
	if err != nil { // the settlement that follows will tell it too
		d.o.Log.Error("what a command changed of a contact is not kept", "account", c.Account, "task_id", c.TaskID, "error", err)
		return nil
	}
	return notes
}

func valid(labels []string) (all []string) {
	for _, label := range labels {
		if ValidLabel(label) {
			all = append(all, label)
		}
	}
	return all
}

// Forget takes all that the directory knows of a contact out of it. Whoever
// writes again is known again.
func (d *Directory) Forget(ctx context.Context, account, id string) error {
	given, err := d.o.Store.Recollect(account, givenKey(id, ""), "", maxGiven)
	if err != nil {
		return fmt.Errorf("list what a contact was given: %w", err)
	}
	notes := []engine.Note{{Key: contactKey(id)}}
	for _, n := range given {
		notes = append(notes, engine.Note{Key: n.Key})
	}
	// Before, so that nobody goes by a record that is no more; and after, lest one
	// that was read meanwhile has come back.
	d.seen.drop(account, id)
	defer d.seen.drop(account, id)
	if err := d.o.Store.Remember(ctx, account, notes); err != nil {
		return fmt.Errorf("forget contact: %w", err)
	}
	return nil
}

// Unwanted tells why a command is not to be sent any more, "" while it is. Only
// what is said unasked can be unwanted, and only to somebody who is known to be
// gone or, in a private conversation, not to have written within the account's
// time; somebody the directory does not know may well be there. It is two reads of
// the store at most.
func (d *Directory) Unwanted(c *engine.Command) string {
	if c.Lane == engine.LaneReply || !says(c.Action) || !ValidID(c.Conversation) {
		return ""
	}
	why, err := d.unwanted(c.Account, c.Conversation)
	if err != nil {
		d.o.Log.Error("a contact cannot be read and counts as there", "account", c.Account, "conversation", c.Conversation, "error", err)
	}
	return why
}

func (d *Directory) unwanted(account, id string) (string, error) {
	c, known, err := d.recorded(account, id)
	if err != nil || !known {
		return "", err
	}
	if !c.Gone.IsZero() {
		named, err := d.o.Store.Recall(account, givenKey(id, present))
		if err != nil {
			return "", fmt.Errorf("look up contact: %w", err)
		}
		if named != "" {
			return "", nil
		}
		return "contact: gone since " + dayOf(c.Gone, d.o.Location(account)).Format(time.DateOnly), nil
	}
	return d.silent(account, &c), nil
}

// silent tells that a person has not written within the account's time, "" where
// they have. One whom only people named is not known to be silent.
func (d *Directory) silent(account string, c *Contact) string {
	within := d.o.Within(account)
	if within == 0 || c.Group || c.Last().IsZero() || c.within(within, d.o.Now()) {
		return ""
	}
	return "contact: has not written since " + c.Last().Format(time.DateOnly) + " (push_active_within = " + days(within) + ")"
}

// says tells the actions that say something where they go to.
func says(a engine.Action) bool {
	return a.Place() == "to" && a != engine.RevokeMessage && a != engine.HandOver
}

// days writes a time as the configuration does.
func days(d time.Duration) string {
	switch {
	case d%day == 0:
		return fmt.Sprintf("%dd", d/day)
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return d.String()
}
