package store

import "context"

type ridingKey struct{}

// Riding is a context for acts that are in no hurry: such an act is committed along
// with the next one that is, or by itself when none has come for as long as two commits
// take, which is 20 ms at most. It is as durable as any other when it is answered, and
// keeps its place in the order of acts.
func Riding(ctx context.Context) context.Context { return context.WithValue(ctx, ridingKey{}, true) }

// Rides tells whether a context is one of Riding.
func Rides(ctx context.Context) bool { return ctx.Value(ridingKey{}) != nil }
