package boltstore

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"bot/engine"
	"bot/store"
)

// fireLimit bounds the expiries of one act, so that a herd of them does not
// hold the acts behind it.
const fireLimit = 256

func expiryRow(at, key []byte) []byte { return append(append([]byte(nil), at...), key...) }

// NextExpiry is the time of the first expiry row, those to come included.
func (s *Store) NextExpiry() (time.Time, error) {
	var at time.Time
	err := s.view(func(tx *snapshot) error {
		c := tx.Bucket(bExpiry).Cursor()
		for k, _ := c.First(); k != nil; k, _ = c.Next() {
			if _, moved := tx.journal.find(tState, k[8:]); !moved {
				at = unbeTime(k)
				break
			}
		}
		for v := range tx.journal.states() {
			if e := expiryOf(v); e != nil && (at.IsZero() || unbeTime(e).Before(at)) {
				at = unbeTime(e)
			}
		}
		return nil
	})
	return at, wrap("read expiries", err)
}

// Fire ends what is due.
func (s *Store) Fire(ctx context.Context) (events, ended int, more bool, err error) {
	next, err := s.NextExpiry()
	if err != nil || next.IsZero() || !next.Before(s.Now()) {
		return 0, 0, false, err
	}
	// The act may still be running when ctx ends: what it writes is its own until
	// it is done.
	var fired struct {
		events, ended int
		more          bool
	}
	err = s.do(ctx, &act{folds: true, grows: true, size: 64 << 10, run: func(t *txn) (err error) {
		fired.events, fired.ended, fired.more, err = t.fire()
		return err
	}})
	if err != nil {
		return 0, 0, false, wrap("fire expiries", err)
	}
	return fired.events, fired.ended, fired.more, nil
}

// due is one expiry row that has passed.
type due struct {
	row    []byte
	key    []byte
	raise  bool // the state asked to be told
	end    bool // the state goes with its row
	expire expired
}

type expired struct {
	event *engine.Event
	rec   []byte
}

func (t *txn) fire() (events, ended int, more bool, err error) {
	rows, more, err := t.dueRows()
	if err != nil {
		return 0, 0, false, err
	}
	expiry := t.bucket(bExpiry)
	for _, d := range rows {
		t.del(expiry, d.row)
		switch {
		case d.raise:
			t.log(d.expire.event, d.expire.rec)
			events++
		case d.end:
			t.unset(tState, d.key)
			t.then(func() { t.s.cache.drop(stateCacheKey(d.key)) })
			ended++
		}
	}
	return events, ended, more, nil
}

// dueRows collects before anything is deleted: a cursor skips rows when the
// bucket changes under it.
func (t *txn) dueRows() (rows []due, more bool, err error) {
	c := t.bucket(bExpiry).Cursor()
	for k, version := c.First(); k != nil && unbeTime(k).Before(t.now); k, version = c.Next() {
		if len(rows) == fireLimit {
			return rows, true, nil
		}
		d := due{row: append([]byte(nil), k...)}
		d.key = d.row[8:]
		v := t.get(tState, d.key)
		if len(v) >= stateJSONAt && unbe(v) == unbe(version) {
			if v[stateFlagsAt]&flagNotify == 0 {
				d.end = true
			} else if d.expire, err = t.expiredEvent(d.key, unbe(v)); err != nil {
				return nil, false, err
			} else {
				d.raise = true
			}
		}
		rows = append(rows, d)
	}
	return rows, false, nil
}

func (t *txn) expiredEvent(key []byte, version uint64) (expired, error) {
	k, err := parseStateKey(key)
	if err != nil {
		return expired{}, fmt.Errorf("%w: %w", store.ErrDamaged, err)
	}
	v := strconv.FormatUint(version, 10)
	e := &engine.Event{
		Account: k.Account, Kind: engine.Expired, ID: v,
		Conversation: k.Conversation, Sender: k.Sender,
		Params: map[string]string{"version": v},
		Time:   t.now, Received: t.now,
	}
	return expired{e, store.EncodeEvent(e)}, nil
}
