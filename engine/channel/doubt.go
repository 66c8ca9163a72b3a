package channel

import "context"

type doubted struct{}

// WithDoubt marks the attempts of a command of which an earlier one may have
// arrived: nobody read the answer, or the process died before it did.
func WithDoubt(ctx context.Context) context.Context {
	return context.WithValue(ctx, doubted{}, true)
}

// Doubted tells a Sender whether an earlier attempt at this command may have
// arrived. Where a platform gives a permission for one use, its refusal of a
// repeat is then the proof that it did.
func Doubted(ctx context.Context) bool { return ctx.Value(doubted{}) != nil }
