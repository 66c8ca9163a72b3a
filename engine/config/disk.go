package config

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

const (
	maxFile   = 16 << 20 // bytes of one configuration file
	maxSecret = 64 << 10 // bytes of one file with a secret
)

var errTooLarge = errors.New("file is too large")

// disk is what a configuration may ask of the file system.
type disk interface {
	// read returns a file's bytes, errTooLarge beyond the limit.
	read(path string, limit int64) ([]byte, error)
	// glob returns the files that match, sorted.
	glob(pattern string) ([]string, error)
}

// osDisk is the real file system.
type osDisk struct{}

func (osDisk) read(path string, limit int64) ([]byte, error) {
	// A pipe would keep whoever opens it waiting, a device need not end.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("not a file")}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read from: nothing to lose
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, errTooLarge
	}
	return data, nil
}

func (osDisk) glob(pattern string) ([]string, error) {
	found, err := filepath.Glob(pattern)
	slices.Sort(found)
	return found, err
}

// noDisk is a file system without files.
type noDisk struct{}

func (noDisk) read(path string, _ int64) ([]byte, error) {
	return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
}

func (noDisk) glob(pattern string) ([]string, error) {
	_, err := filepath.Match(pattern, "")
	return nil, err
}
