package boltstore

import "slices"

// fold brings the old generation a step nearer its end.
func (t *txn) fold() {
	g := t.s.journal.old
	switch {
	case g == nil:
		return
	case t.s.scant():
		t.shed(g)
		return
	}
	keys := g.order()
	t.folded = min(g.folded+t.s.journal.step(), len(keys))
	t.foldKeys(g, keys[g.folded:t.folded])
	if t.folded == len(keys) {
		t.oldDone = true
		t.dropJournals(g)
	}
}

// folds tells whether the transaction folds anything.
func (t *txn) folds() bool {
	return t.folded > 0 || len(t.shedding) > 0 || t.oldDone || t.renewed && !t.rotated
}

// foldAll leaves nothing in the journal but what this transaction goes on to
// change. It is for those who need the trees as they are, and for the end.
func (t *txn) foldAll() {
	j := &t.s.journal
	if g := j.old; g != nil {
		t.foldKeys(g, g.order()[g.folded:])
		t.oldDone = true
		t.dropJournals(g)
	}
	if len(j.young.numbers) > 0 && j.young.size > 0 {
		g := &generation{layer: j.young.layer, numbers: j.young.numbers}
		for _, k := range g.order() {
			t.settleRow(k, g.rows[k.t][k.key])
		}
		t.renewed = true
		t.dropJournals(g)
	}
}

// reclaim folds what there is in the journal, as far as there is room for it,
// and tells whether that was anything.
func (s *Store) reclaim() bool {
	j := &s.journal
	before, regrouped := j.unfolded(), false
	for range maxReclaims {
		left := j.unfolded()
		if left == 0 || s.Err() != nil {
			break
		}
		s.foldOnce()
		switch {
		case j.unfolded() < left:
		case regrouped || !j.regroup():
			return j.unfolded() < before
		default:
			regrouped, j.poor = true, 1
		}
	}
	return j.unfolded() < before
}

// foldOnce is a commit that folds and does nothing else.
func (s *Store) foldOnce() {
	now, steady := s.clock.stamp()
	s.commitOnce([]*act{{folds: !s.scant(), own: true, now: now, steady: steady, run: func(t *txn) error {
		t.wrote = true
		return nil
	}}})
}

// foldKeys leaves out what the young generation will fold with a newer value.
func (t *txn) foldKeys(g *generation, keys []treeKey) {
	young := &t.s.journal.young.layer
	for _, k := range keys {
		if _, newer := young.rows[k.t][k.key]; !newer {
			t.settleRow(k, g.rows[k.t][k.key])
		}
	}
}

// settleRow writes a row where it belongs.
func (t *txn) settleRow(k treeKey, c change) {
	name, key := treeNames[k.t], []byte(k.key)
	if k.t == tState {
		t.moveExpiry(key, getRow(t.Tx, name, key), c.value)
	}
	if c.value == nil {
		t.delRow(name, key)
	} else {
		t.putRow(name, key, c.value)
	}
}

// moveExpiry has the expiry row follow a state that is replaced.
func (t *txn) moveExpiry(key, old, new []byte) {
	expiry := t.bucket(bExpiry)
	if at := expiryOf(old); at != nil {
		t.del(expiry, expiryRow(at, key)) // which is not there if it was fired
	}
	if at := expiryOf(new); at != nil {
		t.put(expiry, expiryRow(at, key), new[:stateExpiryAt])
	}
}

func (t *txn) dropJournals(g *generation) {
	parent := t.bucket(bJournal)
	for _, n := range g.numbers {
		if parent.Bucket(be(n)) != nil {
			t.dropBucket(parent, be(n))
		}
	}
}

// writeJournal writes the transaction's changes down. Those of the young generation
// become the old one's when there is no other to be folded, and its time is up.
func (t *txn) writeJournal() {
	j := &t.s.journal
	if !t.renewed && (j.old == nil || t.oldDone) && j.due() {
		t.renewed, t.rotated = true, true
	}
	if len(t.changes) == 0 {
		return
	}
	number, row := j.young.numbers[0], j.young.written
	if t.renewed {
		number, row = number+1, 0
	}
	b := t.newBucket(t.bucket(bJournal), be(number))
	b.FillPercent = 0.9
	var all []byte
	for _, c := range t.changes {
		all = appendChange(all, c.treeKey, c.change)
	}
	for v := range slices.Chunk(all, journalRow) {
		row++
		t.put(b, be(row), v)
	}
	t.rows = row
}

// publish makes the transaction's changes, which are on disk now, visible.
func (j *journal) publish(t *txn) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case t.oldDone:
		j.old = nil
	case t.folded > 0:
		j.old.folded = t.folded
	case len(t.shedding) > 0:
		j.old.leave(t.shedding)
	}
	if t.rotated {
		j.old = j.young
	}
	if t.renewed {
		j.young = j.newGeneration(j.young.numbers[0] + 1)
	}
	for _, c := range t.changes {
		j.young.set(c.treeKey, c.change)
	}
	if len(t.changes) > 0 {
		j.young.written = t.rows
	}
}
