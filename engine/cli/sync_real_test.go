//go:build linux

package cli_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// A killed process proves nothing about power cuts: what it wrote survives in
// the page cache. So the calls are watched: between a callback and its answer
// the store's file is written and synced twice, its data and then the page that
// makes it valid.
func TestNothingIsAcknowledgedBeforeItIsSynced(t *testing.T) {
	t.Parallel()
	needStrace(t)
	l := newFileLife(t, true)
	if !l.awaited(l.begin(injection{}, true)) {
		t.Fatalf("it did not start: %v", l.p.tail())
	}
	type span struct{ asked, answered time.Time }
	var spans []span
	for n := range messages {
		asked := time.Now().Truncate(time.Microsecond)
		if status, _ := l.say(l.p, fmt.Sprint("m", n), fmt.Sprint("u", n), "t"); status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
		spans = append(spans, span{asked, time.Now()})
		l.idle(l.p) // so that no other message's commit is taken for this one's
	}
	l.end()
	ops := fileOps(t, l.trace, l.p.cmd.Process.Pid, l.dir)
	for n, s := range spans {
		missing := []string{"pwrite64", "fdatasync", "pwrite64", "fdatasync"}
		for _, o := range ops {
			if o.file == "bot.db" && !o.at.Before(s.asked) && o.at.Before(s.answered) && len(missing) > 0 && o.call == missing[0] {
				missing = missing[1:]
			}
		}
		if len(missing) > 0 {
			t.Errorf("message %d was acknowledged before %v", n, missing)
		}
	}
}
