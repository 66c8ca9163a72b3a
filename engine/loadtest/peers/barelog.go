package peers

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"

	"github.com/julienschmidt/httprouter"
	bolt "go.etcd.io/bbolt"
)

// BareLog is L, the least that a durable answer costs in a bbolt file: H, and each body
// and a key to know it by are on disk before the answer, in one commit with all
// that waited meanwhile. It reads nothing from a body, knows nobody, looks nothing
// up, hands nothing on and takes nothing out.
type BareLog struct {
	http.Handler
	db   *bolt.DB
	line *line
}

var bucketLog, bucketKeys = []byte("log"), []byte("keys")

// NewBareLog makes it in a new file, with the engine's own settings of bbolt.
func NewBareLog(file, path string) (*BareLog, error) {
	db, err := bolt.Open(file, 0o600, &bolt.Options{NoFreelistSync: true, FreelistType: bolt.FreelistMapType, InitialMmapSize: 1 << 30})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		for _, name := range [][]byte{bucketLog, bucketKeys} {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("write %s: %w", file, err)
	}
	l := &BareLog{db: db, line: newLine()}
	router := httprouter.New()
	router.POST(path, l.take)
	l.Handler = router
	return l, nil
}

func (l *BareLog) take(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "invalid_data", http.StatusBadRequest)
		return
	}
	key := sha256.Sum256(body)
	if err := l.line.add(key[:16], body); err != nil {
		http.Error(w, "error", http.StatusInternalServerError)
		return
	}
	io.WriteString(w, "success")
}

// Run commits until ctx is done or the disk fails, and closes the file.
func (l *BareLog) Run(ctx context.Context) error {
	defer l.db.Close()
	return l.line.serve(ctx, l.commit)
}

func (l *BareLog) commit(b *batch) error {
	err := l.db.Update(func(tx *bolt.Tx) error {
		log, keys := tx.Bucket(bucketLog), tx.Bucket(bucketKeys)
		log.FillPercent, keys.FillPercent = 0.9, 0.9
		var block []byte
		for i, body := range b.bodies {
			n, err := log.NextSequence()
			if err != nil {
				return err
			}
			if err := log.Put(binary.BigEndian.AppendUint64(nil, n), body); err != nil {
				return err
			}
			block = append(block, b.ids[i]...)
		}
		return keys.Put(binary.BigEndian.AppendUint64(nil, log.Sequence()), block)
	})
	if err != nil {
		return fmt.Errorf("commit %d callbacks: %w", len(b.bodies), err)
	}
	return nil
}
