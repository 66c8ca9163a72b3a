package boltstore

import (
	"context"
	"io"
)

// Backup writes a copy of the store to path, which it replaces.
func (s *Store) Backup(ctx context.Context, path string) error {
	_, err := Save(path, true, func(w io.Writer) error {
		return s.Copy(ctx, func(int64) io.Writer { return w })
	})
	return err
}
