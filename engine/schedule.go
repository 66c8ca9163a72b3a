package engine

import (
	"encoding/json"
	"time"
)

// Schedule is something that is done at certain times: one [[schedule]].
type Schedule struct {
	Name    string
	Enabled bool
	Account string // that does it
	// When is the times as the operator wrote them, zone included. Another When is
	// another schedule: what was to come of the old one does not.
	When string
	Does string // in a few words, for people
	// Next is its first time after another, zero when none comes.
	Next func(after time.Time) time.Time
	// Skip leaves a time out that was missed, since the engine did not run; else
	// all that were missed are made up for by one run.
	Skip bool
	// Skill is the name under which its skill remembers its runs, at RunsKey.
	Skill string
}

// Run is one time that a schedule came to be done.
type Run struct {
	Due    time.Time `json:"due"`
	Began  time.Time `json:"began"`
	TookMS int64     `json:"took_ms"` // of one that failed: with all attempts
	State  RunState  `json:"state"`
	Note   string    `json:"note,omitempty"` // what was done, or why it failed
}

// RunState says what became of a run, or of the latest one of a schedule.
type RunState string

// The states. A schedule is created until its first time comes.
const (
	RunCreated   RunState = "created"
	RunPending   RunState = "pending" // in the log, with its turn to come
	RunRunning   RunState = "running" // at its turn, attempts and the waits between them included
	RunSucceeded RunState = "succeeded"
	RunFailed    RunState = "failed" // in the dead letters
)

// RunsKey is the note in which a schedule's skill remembers its runs.
const RunsKey = "runs"

// keptRuns are how many of them.
const keptRuns = 20

// Runs reads the note, the latest run first. What cannot be read is no run.
func Runs(note string) (runs []Run) {
	if json.Unmarshal([]byte(note), &runs) != nil {
		return nil
	}
	return runs
}

// AddRun is the note with one run more; the oldest ones give way.
func AddRun(note string, r Run) string {
	runs := append([]Run{r}, Runs(note)...)
	text, err := json.Marshal(runs[:min(len(runs), keptRuns)])
	if err != nil { // a year beyond 9999
		return note
	}
	return string(text)
}

// DueEvent is what comes of a schedule at a time. id makes it one event however
// often it is made.
func (s *Schedule) DueEvent(id string, due time.Time) *Event {
	return &Event{
		Account: s.Account, Kind: Due, ID: id, Receiver: s.Name,
		Conversation: "schedule/" + s.Name, Time: due,
	}
}
