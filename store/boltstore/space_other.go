//go:build !linux && !darwin

package boltstore

import "errors"

func freeSpace(string) (int64, error) { return 0, errors.ErrUnsupported }
