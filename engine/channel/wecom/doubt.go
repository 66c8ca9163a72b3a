package wecom

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"bot/engine/channel"
)

// short is an id of fixed length, fit for keys and for the platform: 32
// hexadecimal digits.
func short(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}

// arrived looks at how an attempt ended that followed a doubtful one. A refusal
// as spent then proves that the doubtful one arrived, and arrived returns nil.
func arrived(ctx context.Context, err error, spent func(error) bool) error {
	if err != nil && channel.Doubted(ctx) && spent(err) {
		return nil
	}
	return err
}

// spentCode tells whether the platform refused for the code being used.
func spentCode(codes ...int) func(error) bool {
	return func(err error) bool {
		got := codeOf(err)
		for _, c := range codes {
			if got == c {
				return true
			}
		}
		return false
	}
}
