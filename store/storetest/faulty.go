package storetest

import (
	"context"
	"sync"
	"time"

	"bot/engine"
	"bot/store"
)

// Fault is what happens to one call. The zero Fault lets it pass.
type Fault struct {
	// Delay passes before anything else, or until the call's context ends.
	Delay time.Duration
	// Err is answered instead of making the call.
	Err error
	// Lost is answered after the call was made: it took effect, and the
	// caller does not learn it.
	Lost error
}

// Plan decides about the n-th call (from 1) of a method, which is named as in
// store.Store. It may be called by many goroutines, though never by two at once.
type Plan func(method string, n int) Fault

// FailOn is a plan that answers err to the n-th call of a method.
func FailOn(method string, n int, err error) Plan {
	return func(m string, i int) Fault {
		if m == method && i == n {
			return Fault{Err: err}
		}
		return Fault{}
	}
}

// Faulty returns st with faults by plan. Only methods with an error are
// subject to it; Close is not.
func Faulty(st store.Store, plan Plan) store.Store {
	return &faulty{Store: st, plan: plan, calls: make(map[string]int)}
}

type faulty struct {
	store.Store
	plan  Plan
	mu    sync.Mutex
	calls map[string]int
}

func (f *faulty) fault(method string) Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[method]++
	return f.plan(method, f.calls[method])
}

// act makes a call with its fault.
func act[T any](ctx context.Context, f *faulty, method string, call func() (T, error)) (T, error) {
	var none T
	fault := f.fault(method)
	if fault.Delay > 0 {
		timer := time.NewTimer(fault.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return none, ctx.Err()
		}
	}
	if fault.Err != nil {
		return none, fault.Err
	}
	v, err := call()
	if err == nil && fault.Lost != nil {
		return none, fault.Lost
	}
	return v, err
}

// do is act for calls that answer an error only.
func do(ctx context.Context, f *faulty, method string, call func() error) error {
	_, err := act(ctx, f, method, func() (struct{}, error) { return struct{}{}, call() })
	return err
}

func (f *faulty) Append(ctx context.Context, events []*engine.Event, window time.Duration) (store.Appended, error) {
	return act(ctx, f, "Append", func() (store.Appended, error) { return f.Store.Append(ctx, events, window) })
}

func (f *faulty) AppendPage(ctx context.Context, events []*engine.Event, window time.Duration, account string, notes []engine.Note) (store.Appended, error) {
	return act(ctx, f, "AppendPage", func() (store.Appended, error) { return f.Store.AppendPage(ctx, events, window, account, notes) })
}

func (f *faulty) Seen(k engine.Key, window time.Duration) (bool, error) {
	return act(context.Background(), f, "Seen", func() (bool, error) { return f.Store.Seen(k, window) })
}

func (f *faulty) Read(after uint64, limit int) ([]store.Entry, error) {
	return act(context.Background(), f, "Read", func() ([]store.Entry, error) { return f.Store.Read(after, limit) })
}

func (f *faulty) Entry(seq uint64) (store.Entry, error) {
	return act(context.Background(), f, "Entry", func() (store.Entry, error) { return f.Store.Entry(seq) })
}

func (f *faulty) State(k engine.StateKey) (engine.State, error) {
	return act(context.Background(), f, "State", func() (engine.State, error) { return f.Store.State(k) })
}

func (f *faulty) Commit(ctx context.Context, c store.Commit) error {
	return do(ctx, f, "Commit", func() error { return f.Store.Commit(ctx, c) })
}

func (f *faulty) Fail(ctx context.Context, failure store.Failure) error {
	return do(ctx, f, "Fail", func() error { return f.Store.Fail(ctx, failure) })
}

func (f *faulty) Charge(ctx context.Context, seq uint64) (store.Tries, error) {
	return act(ctx, f, "Charge", func() (store.Tries, error) { return f.Store.Charge(ctx, seq) })
}

func (f *faulty) SetStanding(ctx context.Context, account, user string, change engine.Change) error {
	return do(ctx, f, "SetStanding", func() error { return f.Store.SetStanding(ctx, account, user, change) })
}

func (f *faulty) Barred(account, after string, limit int) ([]store.Contact, error) {
	return act(context.Background(), f, "Barred", func() ([]store.Contact, error) { return f.Store.Barred(account, after, limit) })
}

func (f *faulty) Granted(account, skill, key string) (bool, error) {
	return act(context.Background(), f, "Granted", func() (bool, error) { return f.Store.Granted(account, skill, key) })
}

func (f *faulty) Recall(account, key string) (string, error) {
	return act(context.Background(), f, "Recall", func() (string, error) { return f.Store.Recall(account, key) })
}

func (f *faulty) Remember(ctx context.Context, account string, notes []engine.Note) error {
	return do(ctx, f, "Remember", func() error { return f.Store.Remember(ctx, account, notes) })
}

func (f *faulty) Recollect(account, prefix, after string, limit int) ([]engine.Note, error) {
	return act(context.Background(), f, "Recollect", func() ([]engine.Note, error) { return f.Store.Recollect(account, prefix, after, limit) })
}

func (f *faulty) Submit(ctx context.Context, cmds []engine.Command, window time.Duration) ([]bool, error) {
	return act(ctx, f, "Submit", func() ([]bool, error) { return f.Store.Submit(ctx, cmds, window) })
}

func (f *faulty) Deliveries(after uint64, limit int) ([]store.Delivery, error) {
	return act(context.Background(), f, "Deliveries", func() ([]store.Delivery, error) { return f.Store.Deliveries(after, limit) })
}

func (f *faulty) Delivery(id uint64) (store.Delivery, error) {
	return act(context.Background(), f, "Delivery", func() (store.Delivery, error) { return f.Store.Delivery(id) })
}

func (f *faulty) SubmitPage(ctx context.Context, cmds []engine.Command, window time.Duration, account string, notes []engine.Note) ([]bool, error) {
	return act(ctx, f, "SubmitPage", func() ([]bool, error) { return f.Store.SubmitPage(ctx, cmds, window, account, notes) })
}

func (f *faulty) Resolve(ctx context.Context, taskID string, arrived bool, learned []engine.Note, counts ...engine.Count) error {
	return do(ctx, f, "Resolve", func() error { return f.Store.Resolve(ctx, taskID, arrived, learned, counts...) })
}

func (f *faulty) Doubts(after uint64, limit int) ([]store.Delivery, error) {
	return act(context.Background(), f, "Doubts", func() ([]store.Delivery, error) { return f.Store.Doubts(after, limit) })
}

func (f *faulty) Attempt(ctx context.Context, id uint64, p store.Progress, counts ...engine.Count) error {
	return do(ctx, f, "Attempt", func() error { return f.Store.Attempt(ctx, id, p, counts...) })
}

func (f *faulty) Settle(ctx context.Context, s store.Settlement) error {
	return do(ctx, f, "Settle", func() error { return f.Store.Settle(ctx, s) })
}

func (f *faulty) Cancel(ctx context.Context, taskID string) error {
	return do(ctx, f, "Cancel", func() error { return f.Store.Cancel(ctx, taskID) })
}

// found is what Find answers besides its error.
type found struct {
	d store.Delivery
	f store.Final
}

func (f *faulty) Find(taskID string) (store.Delivery, store.Final, error) {
	got, err := act(context.Background(), f, "Find", func() (found, error) {
		d, final, err := f.Store.Find(taskID)
		return found{d, final}, err
	})
	return got.d, got.f, err
}

func (f *faulty) Letters(after uint64, limit int) ([]store.Letter, error) {
	return act(context.Background(), f, "Letters", func() ([]store.Letter, error) { return f.Store.Letters(after, limit) })
}

func (f *faulty) Letter(id uint64) (store.Letter, error) {
	return act(context.Background(), f, "Letter", func() (store.Letter, error) { return f.Store.Letter(id) })
}

func (f *faulty) Replay(ctx context.Context, id uint64, counts ...engine.Count) error {
	return do(ctx, f, "Replay", func() error { return f.Store.Replay(ctx, id, counts...) })
}

func (f *faulty) Drop(ctx context.Context, id uint64) error {
	return do(ctx, f, "Drop", func() error { return f.Store.Drop(ctx, id) })
}

// fired is what Fire answers besides its error.
type fired struct {
	events, ended int
	more          bool
}

func (f *faulty) Fire(ctx context.Context) (events, ended int, more bool, err error) {
	got, err := act(ctx, f, "Fire", func() (fired, error) {
		events, ended, more, err := f.Store.Fire(ctx)
		return fired{events, ended, more}, err
	})
	return got.events, got.ended, got.more, err
}

func (f *faulty) NextExpiry() (time.Time, error) {
	return act(context.Background(), f, "NextExpiry", f.Store.NextExpiry)
}

func (f *faulty) Sweep(ctx context.Context) error {
	return do(ctx, f, "Sweep", func() error { return f.Store.Sweep(ctx) })
}

func (f *faulty) Stats() (store.Stats, error) {
	return act(context.Background(), f, "Stats", f.Store.Stats)
}
