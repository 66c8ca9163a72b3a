package store

import (
	"context"
	"io"
	"time"
)

// Copier is a store that can be copied while it is in use.
type Copier interface {
	// Copy writes the store as it is now, whole or with an error. begin is called
	// once, when it is known how long the copy is, and returns where it goes. The
	// longer that takes, the more the store grows. Errors: ErrFull when there is too
	// little room to grow in; what begin's writer answered; that of ctx.
	Copy(ctx context.Context, begin func(bytes int64) io.Writer) error
}

// Contents is what a copy of a store holds.
type Contents struct {
	AsOf     time.Time `json:"as_of"` // of its latest change
	Events   int       `json:"events_waiting"`
	Commands int       `json:"commands_waiting"`
	Letters  int       `json:"dead_letters"`
	Bytes    int64     `json:"bytes"`
}
