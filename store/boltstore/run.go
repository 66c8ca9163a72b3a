package boltstore

import (
	"encoding/json"
	"fmt"
	"os"

	"bot/store"
)

// Run says who has a store open and where to reach it. It lies beside the
// store while it is open, and stays when its process dies.
type Run struct {
	PID      int    `json:"pid"`
	Admin    string `json:"admin,omitempty"`    // address of the operator's listener
	Callback string `json:"callback,omitempty"` // address that platforms call
}

func runPath(store string) string { return store + ".run" }

// WriteRun replaces what is said of the store at path. Only who has it open
// may call it. store.ErrFull when the disk has no room for it: what was said
// before stays.
func WriteRun(path string, r Run) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write run file: %w", err)
	}
	fresh := path + newSuffix + "run" // whoever has the store open is alone with it
	err = os.WriteFile(fresh, append(b, '\n'), 0o600)
	if err == nil {
		err = os.Rename(fresh, runPath(path))
	}
	if err != nil {
		os.Remove(fresh)
		return noRun(err)
	}
	return nil
}

func noRun(err error) error {
	if noSpace(err) {
		err = fmt.Errorf("%w: %w", store.ErrFull, err)
	}
	return fmt.Errorf("write run file: %w", err)
}

// ReadRun reads what is said of the store at path. fs.ErrNotExist when nobody
// has it open.
func ReadRun(path string) (Run, error) {
	b, err := os.ReadFile(runPath(path))
	if err != nil {
		return Run{}, fmt.Errorf("read run file: %w", err)
	}
	var r Run
	if err := json.Unmarshal(b, &r); err != nil {
		return Run{}, fmt.Errorf("read run file %s: %w", runPath(path), err)
	}
	return r, nil
}
