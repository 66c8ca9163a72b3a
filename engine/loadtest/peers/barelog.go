package peers

import (
	"context"
	"net/http"
)

// BareLog is L, the least that a durable answer costs in a bbolt file: H, and each body
// and a key to know it by are on disk before the answer, in one commit with all
// that waited meanwhile. It reads nothing from a body, knows nobody, looks nothing
// up, hands nothing on and takes nothing out.
type BareLog struct {
	http.Handler
	file
}

// NewBareLog makes it in a new file.
func NewBareLog(path, callbacks string) (*BareLog, error) {
	f, err := newFile(path)
	if err != nil {
		return nil, err
	}
	l := &BareLog{file: f}
	l.Handler = receive(callbacks, func(body []byte) error {
		_, err := f.log(body)
		return err
	})
	return l, nil
}

// Run commits until ctx is done or the disk fails, and closes the file.
func (l *BareLog) Run(ctx context.Context) error {
	defer l.db.Close()
	return l.commits(ctx)
}
