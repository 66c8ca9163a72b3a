// Package store declares what the engine asks of its storage: a log of events
// with dedup (Inbox), the commit of a handled event (Turns), who must not be written
// to (Contacts), notes by account and key (Memory), the commands that are to leave
// (Outbox) and what could not be done (DeadLetters). Every method that changes
// something is one atomic act of the domain; when it returns nil its effect is on disk.
//
// Implementations are safe for concurrent use and pass storetest.Run. The
// records they take and return are shared and must not be changed afterwards.
package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"bot/engine"
)

// What an act may answer besides success. Backends wrap these with context.
var (
	// ErrGone: the log entry, command or letter is not there (any more): it was
	// settled by someone else. The act had no effect.
	ErrGone = errors.New("already settled")
	// ErrConflict: a state changed since it was read. Read again and rerun.
	ErrConflict = errors.New("state changed meanwhile")
	// ErrFull: there is no room. Nothing was written; the act may be tried
	// again when there is space. Reading and settling go on.
	ErrFull = errors.New("store is full")
	// ErrFailed: the store cannot tell what is on disk any more (a failed
	// sync). It takes no further act; the process must end and start again.
	ErrFailed = errors.New("store failed")
	// ErrClosed: the store was closed.
	ErrClosed = errors.New("store is closed")
	// ErrHeld: another process has the store open; HeldError names it.
	ErrHeld = errors.New("store is held by another process")
	// ErrDamaged: the file is not a store of ours, or is broken. It was not touched.
	ErrDamaged = errors.New("store is damaged")
)

// TakenError refuses a commit whose once-key is taken.
type TakenError struct {
	Key   string
	Skill string // whose key it is: two skills may name theirs alike
	Owner string // Ref of the event that took it
}

func (e *TakenError) Error() string { return "once-key " + e.Key + " is taken by event " + e.Owner }

// Entry is an event in the log.
type Entry struct {
	Seq   uint64
	Event *engine.Event
	// Tries says how often handling it failed; zero for an ordinary event.
	Tries Tries
}

// Tries is the record of failed attempts at an event.
type Tries struct {
	Count     int       `json:"count,omitempty"`
	First     time.Time `json:"first,omitzero"`
	NotBefore time.Time `json:"not_before,omitzero"`
	Error     string    `json:"error,omitempty"`
}

// Appended is the outcome of an Append, one element per event.
type Appended struct {
	Seqs      []uint64 // 0 for a duplicate
	Duplicate []bool
}

// Inbox is the log of events that are not handled yet.
type Inbox interface {
	// Append logs the events of one callback with their dedup keys, all or
	// nothing, and sets their Received to the store's time. Duplicates within
	// window (at least, and at most a twelfth of the store's window more) are
	// told apart and not logged. A duplicate of an event still being
	// written waits for it. Errors: ErrFull, ErrFailed, ErrClosed.
	// ctx bounds the wait only; the events may be stored all the same, and a
	// repeat then meets them as duplicates.
	Append(ctx context.Context, events []*engine.Event, window time.Duration) (Appended, error)
	// AppendPage is Append of what was fetched for an account, and the notes
	// that say how far it was fetched, in one act: a crash can repeat a page and
	// lose none. events may be empty.
	AppendPage(ctx context.Context, events []*engine.Event, window time.Duration, account string, notes []engine.Note) (Appended, error)
	// Seen tells, without writing, whether an Append now would find the key a
	// duplicate. In-flight keys count as not seen.
	Seen(k engine.Key, window time.Duration) (bool, error)
	// Backlog counts the events in the log, from memory.
	Backlog() int
	// CommitWait estimates how long an act handed in now waits for the disk.
	CommitWait() time.Duration
	// Read returns entries after seq in log order, at most limit. It sees
	// every entry whose Append returned, and an entry it did not show will not
	// appear later below one it did. An entry that a bad disk spoiled is
	// reported and left out, where it is, so that it does not stop the others;
	// Deliveries and Letters do the same.
	Read(after uint64, limit int) ([]Entry, error)
	// Entry returns one entry, or ErrGone.
	Entry(seq uint64) (Entry, error)
}

// StateWrite replaces (State.Exists) or removes a state that was read at
// version Read (0: there was none).
type StateWrite struct {
	Key   engine.StateKey
	Read  uint64
	State engine.State
}

// Once takes a key until Until. Keys of different (account, skill) don't meet.
type Once struct {
	Account, Skill, Key string
	Until               time.Time
}

// Commit is everything that handling one event changes.
type Commit struct {
	Seq      uint64
	Owner    string // Ref of the event
	States   []StateWrite
	Once     []Once
	Commands []engine.Command
	// Mark is what Attempt would write of Commands[0] in a commit of its own, for one
	// that leaves as soon as this is on disk; nil: it waits as all others do.
	Mark *Progress
	// Subscription changes how Sender stands with Account; "" changes nothing,
	// and then neither need be given.
	Subscription    engine.Subscription
	Account, Sender string
	// Learned is remembered for Account, after which Counts are added to the notes
	// under their keys: numbers in decimal, which begin at 0 and so do again where
	// a note has expired or is none. The expiry is that of the last addition.
	Learned []engine.Note
	Counts  []engine.Count
	// Raised are logged behind the entry, with Received set to the store's time.
	// Nothing is asked of their keys: a commit happens once.
	Raised []*engine.Event
}

// Failure records a failed attempt at an event.
type Failure struct {
	Seq   uint64
	Tries Tries
	Skill string
	Bury  bool // move it to the dead letters
}

// Turns is what handling events needs.
type Turns interface {
	// State returns a copy, zero when there is none. An expired state is still
	// returned until it is ended or swept.
	State(k engine.StateKey) (engine.State, error)
	// Granted tells, without writing, whether a once-key is taken. What it says may
	// be over by the time of the commit, which asks again.
	Granted(account, skill, key string) (bool, error)
	// Commit removes the entry and applies its outcome in one act, or leaves
	// everything as it was: ErrGone when the entry is not in the log,
	// ErrConflict when a state moved, *TakenError when a once-key is held by
	// another owner, ErrFull, ErrFailed, ErrClosed.
	Commit(ctx context.Context, c Commit) error
	// Fail records the attempt, or buries the event. ErrGone as for Commit.
	Fail(ctx context.Context, f Failure) error
	// Begin notes that the event is about to run, cheaply and without waiting
	// for the disk, so that a process that dies of it is followed by one that
	// finds it among Suspects. The returned func takes the note back.
	Begin(seq uint64) (end func())
	// Suspects are the events that were begun and not ended when the last
	// process died, in log order. Run them alone, each after a Charge.
	Suspects() []uint64
	// Charge counts, durably and before it runs, an attempt at a suspect.
	Charge(ctx context.Context, seq uint64) (Tries, error)
}

// Contact is somebody whose standing with an account is not the ordinary one.
type Contact struct {
	User                  string
	Blocked, Unsubscribed time.Time // since when, by the store's clock; zero: not
}

// Contacts is how people stand with the accounts.
type Contacts interface {
	// Standing answers from memory and never waits. It sees every change whose
	// act returned.
	Standing(account, user string) engine.Standing
	// SetStanding makes a change durable, even where there is no room for what adds to
	// the store, as long as anything can be written; one that changes nothing keeps
	// what was there, its time included. Errors: ErrFull, ErrFailed, ErrClosed.
	SetStanding(ctx context.Context, account, user string, change engine.Change) error
	// Barred returns the account's contacts in the order of their bytes, those
	// behind the user after ("" begins), at most limit.
	Barred(account, after string, limit int) ([]Contact, error)
}

// Memory is small values that are kept for accounts: tokens, cursors, learned
// ids. Notes are checked with CheckNote, and one act takes any number of them.
type Memory interface {
	// Recall returns the value under the key, "" when there is none or it has
	// expired by the store's clock. It sees every act that returned.
	Recall(account, key string) (string, error)
	// Remember writes the notes, all or nothing; a value of "" forgets. Errors:
	// ErrFull, ErrFailed, ErrClosed.
	Remember(ctx context.Context, account string, notes []engine.Note) error
	// Recollect returns the account's notes whose keys begin with prefix, those
	// behind the key after ("" begins), in the order of their bytes, at most
	// limit, expired ones left out.
	Recollect(account, prefix, after string, limit int) ([]engine.Note, error)
}

// Limits of a note.
const (
	MaxNoteKey   = 512
	MaxNoteValue = 64 << 10
)

// CheckNote refuses what cannot be kept.
func CheckNote(n engine.Note) error {
	switch {
	case n.Key == "" || len(n.Key) > MaxNoteKey:
		return fmt.Errorf("note: a key of %d bytes, want 1 to %d", len(n.Key), MaxNoteKey)
	case len(n.Value) > MaxNoteValue:
		return fmt.Errorf("note %q: a value of %d bytes, want at most %d", n.Key, len(n.Value), MaxNoteValue)
	}
	return nil
}

// Phase is where a command stands in the outbox.
type Phase string

// The phases. A command that was sent for good, is dead or was cancelled is no
// longer in the outbox.
const (
	Waiting Phase = "waiting"
	Sending Phase = "sending"  // marked before the request, not settled yet
	InDoubt Phase = "in_doubt" // nobody knows whether it went out; held for a person
	// Unconfirmed: sent, and the platform has not said yet that it was carried out.
	Unconfirmed Phase = "unconfirmed"
)

// Try is one attempt at sending.
type Try struct {
	Time   time.Time `json:"time"`
	Class  string    `json:"class,omitempty"` // a channel.Class where it failed, else a Final: Sent or Confirmed; "" while it runs
	Status int       `json:"status,omitempty"`
	Note   string    `json:"note,omitempty"`
}

// Progress is what has happened to a command so far. Stores keep the last
// MaxTries of Tries; Attempts counts all that are charged.
type Progress struct {
	Phase     Phase     `json:"phase"`
	Attempts  int       `json:"attempts,omitempty"`
	NotBefore time.Time `json:"not_before,omitzero"` // of a retry
	Reason    string    `json:"reason,omitempty"`
	Tries     []Try     `json:"tries,omitempty"`
	// Awaits is the key by which the platform will confirm an Unconfirmed command,
	// AwaitsUntil how long that is waited for. The key stays with a command that is
	// InDoubt or Waiting to be sent again: its confirmation may come late.
	Awaits      string    `json:"awaits,omitempty"`
	AwaitsUntil time.Time `json:"awaits_until,omitzero"`
}

// MaxTries bounds the history kept with a command.
const MaxTries = 20

// Delivery is a command in the outbox. ID rises in the order of storing.
type Delivery struct {
	ID       uint64
	Command  *engine.Command
	Progress Progress
}

// Final is how a command left the outbox.
type Final string

// The ends of a command.
const (
	Sent      Final = "sent"
	Confirmed Final = "confirmed"
	Dead      Final = "dead"
	Cancelled Final = "cancelled"
)

// Settlement ends an attempt at the command ID.
type Settlement struct {
	ID uint64
	// Final ends the command; "" keeps it with Progress.
	Final    Final
	Progress Progress
	// Learned and Counts are remembered for the command's account, as by a Commit.
	Learned []engine.Note
	Counts  []engine.Count
}

// Outbox is the commands that have not left for good.
type Outbox interface {
	// Submit stores commands from outside, all or nothing, and tells which
	// were duplicates (their task id is in the outbox, dead, or settled less
	// than window ago; or stands earlier in the same call).
	Submit(ctx context.Context, cmds []engine.Command, window time.Duration) (duplicate []bool, err error)
	// SubmitPage is Submit of a part of a larger job, and the notes that say how
	// far an account's job has come, in one act: a crash repeats no part and leaves
	// none out. cmds may be empty.
	SubmitPage(ctx context.Context, cmds []engine.Command, window time.Duration, account string, notes []engine.Note) (duplicate []bool, err error)
	// Deliveries returns commands after id in ascending order, at most limit.
	// Like Inbox.Read it never shows a later one before an earlier one.
	Deliveries(after uint64, limit int) ([]Delivery, error)
	// Delivery returns one, or ErrGone.
	Delivery(id uint64) (Delivery, error)
	// Attempt marks the command as Sending before the first byte leaves, adds a
	// Try, and adds counts to the notes of the command's account, as a Commit does.
	// ErrGone when it is not in the outbox. It may be Riding, and so may Settle.
	Attempt(ctx context.Context, id uint64, p Progress, counts ...engine.Count) error
	// Settle records how the attempt ended. ErrGone when it is not in the outbox.
	Settle(ctx context.Context, s Settlement) error
	// Cancel takes a waiting command out; ErrGone when it is not waiting.
	Cancel(ctx context.Context, taskID string) error
	// Resolve ends the doubt about a command in a person's stead: it arrived, and
	// is Confirmed, or it is to be sent again. Then it counts as created now, loses a
	// deadline that has passed and joins the tail of the outbox under another id,
	// with its Tries, what it Awaits and no attempt charged. One that was given up may
	// have arrived as well: then its letter goes. ErrGone when it is not InDoubt, nor
	// dead and arrived. Of what has arrived learned is remembered for its account in
	// the same act, and counts are added to the account's notes, as a Commit does.
	Resolve(ctx context.Context, taskID string, arrived bool, learned []engine.Note, counts ...engine.Count) error
	// Doubts returns those of Deliveries that are InDoubt. It costs what they cost,
	// however many others there are.
	Doubts(after uint64, limit int) ([]Delivery, error)
	// Find looks a task id up: in the outbox (a Delivery), or how it ended if
	// that is still known; the Delivery's Progress then tells what was tried.
	// ErrGone when it is unknown.
	Find(taskID string) (Delivery, Final, error)
}

// Letter is an event or a command that was given up.
type Letter struct {
	ID      uint64
	Event   *engine.Event   // nil for a command
	Command *engine.Command // nil for an event
	Tries   []Try           // of a command
	Count   int             // attempts made
	Skill   string
	Error   string
	Time    time.Time
}

// DeadLetters is what was given up and waits for a person.
type DeadLetters interface {
	// Letters returns letters after id in ascending order, at most limit.
	Letters(after uint64, limit int) ([]Letter, error)
	// Letter returns one, or ErrGone.
	Letter(id uint64) (Letter, error)
	// Replay puts it back in one act: an event to the end of the log with its
	// own identity, a command to the tail of the outbox, and there counts are added
	// to the notes of its account, as a Commit does. ErrGone.
	Replay(ctx context.Context, id uint64, counts ...engine.Count) error
	// Drop forgets it. ErrGone.
	Drop(ctx context.Context, id uint64) error
}

// Stats is what the store holds now.
type Stats struct {
	Events       int       // in the log
	Commands     int       // in the outbox
	InDoubt      int       // of Commands
	Letters      int       // dead
	OldestEvent  time.Time // receipt of the first event in the log, zero when empty
	DedupKeys    int
	FileBytes    int64
	FreeBytes    int64 // of FileBytes, unused
	RoomBytes    int64 // unused in the file and on its disk; 0 where that cannot be asked
	Commits      uint64
	Acts         uint64
	OldestReader time.Duration // age of the oldest open read transaction
}

// Store is one backend.
type Store interface {
	Inbox
	Turns
	Contacts
	Memory
	Outbox
	DeadLetters
	// Fire ends what is due by now: an expired state that asked for it
	// (State.Notify) puts an Expired event into the log, once; any other is
	// removed. It returns how many events it logged and how many states it
	// ended. It works through at most a few hundred rows; more tells the
	// caller to come back at once.
	Fire(ctx context.Context) (events, ended int, more bool, err error)
	// NextExpiry is the time of the earliest expiry, zero when there is none.
	NextExpiry() (time.Time, error)
	// Sweep drops what has outlived its window: dedup slices, once-keys,
	// settled task ids, notes. Call it every minute or so.
	Sweep(ctx context.Context) error
	// Now is the store's clock: the wall clock, but never before a time it has stored.
	Now() time.Time
	Stats() (Stats, error)
	// Failed is closed when an act ended with ErrFailed; Err then tells why.
	Failed() <-chan struct{}
	Err() error
	// Close flushes what was handed in and leaves a clean mark.
	Close() error
}

// HeldError names the process that holds the store. It is ErrHeld.
type HeldError struct {
	Path string
	PID  int // 0 when unknown
}

func (e *HeldError) Is(target error) bool { return target == ErrHeld }

func (e *HeldError) Error() string {
	if e.PID == 0 {
		return "store " + e.Path + " is held by another process; stop it first, or give this one a file of its own (store.path)"
	}
	return "store " + e.Path + " is held by process " + strconv.Itoa(e.PID) + "; stop it first, or give this one a file of its own (store.path)"
}
