package boltstore

import "testing"

// The harness of the conformance suite asks for what this shows to be counted.
func TestOpenReadIsCounted(t *testing.T) {
	s := mustOpen(t, testOptions(t, path(t)))
	tx, err := s.db.Begin(false)
	if err != nil {
		t.Fatal(err)
	}
	if n := s.db.Stats().OpenTxN; n != 1 {
		t.Errorf("%d reads are open, want 1", n)
	}
	if err := tx.Rollback(); err != nil {
		t.Error(err)
	}
	if n := s.db.Stats().OpenTxN; n != 0 {
		t.Errorf("%d reads are open, want none", n)
	}
}
