package boltstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"bot/engine"
	"bot/store"

	bolt "go.etcd.io/bbolt"
)

// contact is what the file keeps of somebody. Who has nothing but zeroes has
// no row.
type contact struct {
	Blocked      time.Time `json:"blocked,omitzero"`
	Unsubscribed time.Time `json:"unsubscribed,omitzero"`
}

func (c contact) standing() engine.Standing {
	return engine.Standing{Blocked: !c.Blocked.IsZero(), Unsubscribed: !c.Unsubscribed.IsZero()}
}

// after is the contact once the change was made; what held before holds since
// then.
func (c contact) after(change engine.Change, now time.Time) contact {
	since := func(before time.Time, holds bool) time.Time {
		switch {
		case !holds:
			return time.Time{}
		case before.IsZero():
			return now
		}
		return before
	}
	to := c.standing().With(change)
	return contact{since(c.Blocked, to.Blocked), since(c.Unsubscribed, to.Unsubscribed)}
}

func readContact(v []byte) (c contact, err error) {
	if v == nil {
		return c, nil
	}
	if err := json.Unmarshal(v, &c); err != nil {
		return c, fmt.Errorf("%w: contact: %w", store.ErrDamaged, err)
	}
	return c, nil
}

// who is a contact's name in memory.
type who struct{ account, user string }

// contacts is everybody's standing that is not the ordinary one, so that a
// callback and a send need not ask the disk. It takes some hundred bytes each.
type contacts struct {
	mu sync.RWMutex
	of map[who]engine.Standing
}

func (c *contacts) get(w who) engine.Standing {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.of[w]
}

func (c *contacts) set(w who, s engine.Standing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s == (engine.Standing{}) {
		delete(c.of, w)
		return
	}
	if c.of == nil {
		c.of = make(map[who]engine.Standing)
	}
	c.of[w] = s
}

// accountPrefix is what the keys of one account begin with. The user follows as
// it is, so that they lie in the order of their bytes.
func accountPrefix(account string) []byte {
	return append(binary.AppendUvarint(nil, uint64(len(account))), account...)
}

func parseContactKey(k []byte) (who, error) {
	n, w := binary.Uvarint(k)
	if w <= 0 || n > uint64(len(k)-w) {
		return who{}, fmt.Errorf("%w: contact key %x is broken", store.ErrDamaged, k)
	}
	at := w + int(n)
	return who{account: string(k[w:at]), user: string(k[at:])}, nil
}

// loadContacts fills the memory at open.
func (s *Store) loadContacts(tx *bolt.Tx) error {
	return tx.Bucket(bContacts).ForEach(func(k, v []byte) error {
		w, err := parseContactKey(k)
		if err != nil {
			return err
		}
		c, err := readContact(v)
		if err != nil {
			return err
		}
		s.contacts.set(w, c.standing())
		return nil
	})
}

// contactWrite is a change of a contact ready to be made.
type contactWrite struct {
	who    who
	key    []byte
	change engine.Change
}

func prepareContact(account, user string, change engine.Change) (*contactWrite, error) {
	if user == "" {
		return nil, errors.New("a contact has no name")
	}
	key := append(accountPrefix(account), user...)
	if len(key) > bolt.MaxKeySize {
		return nil, fmt.Errorf("contact key has %d bytes, more than %d", len(key), bolt.MaxKeySize)
	}
	return &contactWrite{who{account, user}, key, change}, nil
}

// contactChange reads what a change starts from and returns the func that
// writes it; that of a change that is nil, or changes nothing, writes nothing.
func (t *txn) contactChange(w *contactWrite) (write func(), err error) {
	if w == nil {
		return func() {}, nil
	}
	b := t.bucket(bContacts)
	from, err := readContact(b.Get(w.key))
	if err != nil {
		return nil, err
	}
	to := from.after(w.change, t.now)
	if to == from {
		return func() {}, nil
	}
	js, err := json.Marshal(to)
	if err != nil {
		return nil, fmt.Errorf("encode contact: %w", err)
	}
	return func() {
		if to == (contact{}) {
			t.del(b, w.key)
		} else {
			t.put(b, w.key, js)
		}
		t.then(func() { t.s.contacts.set(w.who, to.standing()) })
	}, nil
}

// Standing tells how somebody stands with an account.
func (s *Store) Standing(account, user string) engine.Standing {
	return s.contacts.get(who{account, user})
}

// SetStanding changes how somebody stands with an account.
func (s *Store) SetStanding(ctx context.Context, account, user string, change engine.Change) error {
	w, err := prepareContact(account, user, change)
	if err != nil {
		return wrap("set standing", err)
	}
	// It is let through when there is no room: what takes a bar away makes the file
	// smaller, and because of a bar less goes on, which is what such a disk wants.
	err = s.do(ctx, &act{size: len(w.key) + 128, run: func(t *txn) error {
		write, err := t.contactChange(w)
		if err == nil {
			write()
		}
		return err
	}})
	return wrap("set standing", err)
}

// Barred lists the contacts of an account.
func (s *Store) Barred(account, after string, limit int) ([]store.Contact, error) {
	var out []store.Contact
	prefix := accountPrefix(account)
	last := append(bytes.Clone(prefix), after...)
	err := s.view(func(tx *snapshot) error {
		c := tx.Bucket(bContacts).Cursor()
		k, v := c.Seek(last)
		if bytes.Equal(k, last) {
			k, v = c.Next()
		}
		for ; bytes.HasPrefix(k, prefix) && len(out) < limit; k, v = c.Next() {
			r, err := readContact(v)
			if err != nil {
				return err
			}
			out = append(out, store.Contact{User: string(k[len(prefix):]), Blocked: r.Blocked, Unsubscribed: r.Unsubscribed})
		}
		return nil
	})
	if err != nil {
		return nil, wrap("read contacts", err)
	}
	return out, nil
}
