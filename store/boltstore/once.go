package boltstore

import (
	"time"

	"bot/store"

	bolt "go.etcd.io/bbolt"
)

// oncePeriod is the span of Until whose keys share a bucket and go together.
const oncePeriod = 30 * 24 * time.Hour

func periodOf(until time.Time) uint64 { return uint64(max(0, until.UnixNano())) / uint64(oncePeriod) }

// onceWrite is a store.Once ready to be written.
type onceWrite struct {
	skill string
	key   string // as the skill named it
	owner string
	hash  []byte
	until time.Time
}

func prepareOnce(o store.Once, owner string) onceWrite {
	return onceWrite{skill: o.Skill, key: o.Key, owner: owner, hash: hashKey(o.Account, o.Skill, o.Key), until: o.Until}
}

// free answers *store.TakenError when another owner holds the key.
func (t *txn) free(o onceWrite) error {
	var held error
	err := eachPeriod(t.bucket(bOnce), func(_ []byte, b *bolt.Bucket) {
		v := b.Get(o.hash)
		if len(v) < 8 || !unbeTime(v).After(t.now) {
			return
		}
		if owner := string(v[8:]); owner != o.owner {
			held = &store.TakenError{Key: o.key, Skill: o.skill, Owner: owner}
		}
	})
	if err != nil {
		return err
	}
	return held
}

// Granted looks a key up without writing.
func (s *Store) Granted(account, skill, key string) (taken bool, err error) {
	hash := hashKey(account, skill, key)
	err = s.read(func(tx *bolt.Tx) error {
		now := s.Now()
		return eachPeriod(tx.Bucket(bOnce), func(_ []byte, b *bolt.Bucket) {
			v := b.Get(hash)
			taken = taken || len(v) >= 8 && unbeTime(v).After(now)
		})
	})
	return taken, wrap("look up once-key", err)
}

// take writes the key, and takes out what is left of it in other periods.
func (t *txn) take(o onceWrite) {
	once, period := t.bucket(bOnce), be(periodOf(o.until))
	t.check(eachPeriod(once, func(name []byte, b *bolt.Bucket) {
		if string(name) != string(period) && b.Get(o.hash) != nil {
			t.del(b, o.hash)
		}
	}))
	if b := t.newBucket(once, period); b != nil {
		t.put(b, o.hash, append(beTime(o.until), o.owner...))
	}
}

// eachPeriod visits the periods, some fourteen when keys are kept for 400 days.
func eachPeriod(once *bolt.Bucket, f func(name []byte, b *bolt.Bucket)) error {
	return once.ForEachBucket(func(name []byte) error {
		f(name, once.Bucket(name))
		return nil
	})
}
