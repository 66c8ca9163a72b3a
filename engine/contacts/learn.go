package contacts

import (
	"fmt"
	"time"

	"bot/engine"
)

// news is what an event says of its conversation.
type news int

const (
	nothing news = iota
	known        // it is one of the account's
	came         // it has become one just now
	wrote        // the other side said or did something in it
	parted       // it is one no more
)

func newsOf(e *engine.Event) news {
	switch e.Kind {
	case engine.Message, engine.Button, engine.Feedback, engine.EnterChat, engine.Pat, engine.FileStarted:
		if e.Self {
			return known
		}
		return wrote
	case engine.FriendAdded, engine.GroupCreated:
		return came
	case engine.ContactChanged:
		return known
	}
	switch {
	case e.Kind.Parts():
		return parted
	case e.Kind.InGroup():
		return known
	}
	return nothing
}

// Learn is the notes by which an event changes the directory, for the act that
// handles it: none where all is known already, as with every message of a day but
// the first. The event has the kind that skills see. It costs one read of the
// store, and none while the contact is among those seen lately and nothing is new;
// only a contact that goes or comes back costs more.
func (d *Directory) Learn(e *engine.Event) ([]engine.Note, error) {
	what := newsOf(e)
	if what == nothing || !ValidID(e.Conversation) {
		return nil, nil
	}
	value, at := d.seen.record(e.Account, e.Conversation)
	if before, had := readRecord(e.Conversation, value); had {
		if after := d.after(before, had, what, e); after.told(&before) {
			return nil, nil
		}
	}
	value, err := d.o.Store.Recall(e.Account, contactKey(e.Conversation))
	if err != nil {
		return nil, fmt.Errorf("look up contact: %w", err)
	}
	before, had := readRecord(e.Conversation, value)
	after := d.after(before, had, what, e)
	if had && after.told(&before) {
		if before.Gone.IsZero() { // whoever is gone is forgotten one day
			d.seen.keep(e.Account, e.Conversation, value, at)
		}
		return nil, nil
	}
	d.seen.drop(e.Account, e.Conversation)
	note := engine.Note{Key: contactKey(e.Conversation), Value: after.record()}
	if after.Gone.IsZero() && before.Gone.IsZero() {
		return []engine.Note{note}, nil
	}
	return d.moved(e.Account, note, &after, !after.Gone.Equal(before.Gone))
}

// told tells that events told no more of c than of another state of it.
func (c *Contact) told(of *Contact) bool {
	return c.Name == of.Name && c.Since.Equal(of.Since) && c.Active.Equal(of.Active) && c.Gone.Equal(of.Gone)
}

// after is a contact after an event. Platforms tell old things again: what lies
// before the day of what is known changes nothing of it.
func (d *Directory) after(c Contact, had bool, what news, e *engine.Event) Contact {
	at := e.Time
	if at.IsZero() || at.After(e.Received) {
		at = e.Received
	}
	today := dayOf(at, d.o.Location(e.Account))
	if !had {
		c = Contact{ID: e.Conversation, Group: e.Group || e.Kind.InGroup()}
	}
	// Some platforms have two names for one person, now this one and now that: a
	// message alone does not change what is there.
	if name := nameIn(e); name != "" && (c.Name == "" || what != wrote || today.After(c.Active)) {
		c.Name = name
	}
	back := c.Gone.IsZero() || !at.Before(c.Gone)
	switch {
	case what == parted && !today.Before(c.Last()) && back:
		c.Gone = at.UTC().Truncate(time.Second)
	case (what == came || what == wrote) && back:
		if !had || !c.Gone.IsZero() || what == came && c.Since.IsZero() {
			c.Since = today
		}
		c.Gone = time.Time{}
		if what == wrote && today.After(c.Active) {
			c.Active = today
		}
	}
	return c
}

// nameIn is the name that an event tells of its conversation, "" for none.
func nameIn(e *engine.Event) string {
	switch {
	case e.Kind == engine.GroupRenamed:
		return nameOf(e.Text)
	case !e.Group && !e.Self && !e.Kind.InGroup(): // then whoever speaks is the other side
		return nameOf(e.SenderName)
	}
	return ""
}

// moved has all that a contact was given go and come back with it: what is gone is
// forgotten in the end. That people named it once does not outlast that it went.
func (d *Directory) moved(account string, note engine.Note, c *Contact, now bool) ([]engine.Note, error) {
	given, err := d.o.Store.Recollect(account, givenKey(c.ID, ""), "", maxGiven)
	if err != nil {
		return nil, fmt.Errorf("list what a contact was given: %w", err)
	}
	if !c.Gone.IsZero() {
		note.Expires = goneUntil(c.Gone)
	}
	notes := []engine.Note{note}
	for _, n := range given {
		if n.Expires = note.Expires; now && !c.Gone.IsZero() && n.Key == givenKey(c.ID, present) {
			n.Value = ""
		}
		notes = append(notes, n)
	}
	return notes, nil
}
