package loadtest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestChannelsOfTheRealBinary(t *testing.T) {
	program := build(t)
	t.Run("each dialect's configuration is taken", func(t *testing.T) { isTaken(t, program) })
	t.Run("each message is answered once", func(t *testing.T) { isAnswered(t, program) })
}

func isTaken(t *testing.T, program string) {
	dir := t.TempDir()
	for i, d := range dialects {
		file := filepath.Join(dir, fmt.Sprintf("%d.toml", i))
		text := configuration(engineSetup{workers: 1, speaks: d.configuration}, "127.0.0.1:1", "127.0.0.1:2", "http://127.0.0.1:3")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(program, "check", "-config", file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", d.name, err, out)
		}
	}
}

// isAnswered measures two channels: one that rings and is fetched from, one
// that tells.
func isAnswered(t *testing.T, program string) {
	o, progress := few(t, program)
	o.Callers, o.Duration = 4, 400*time.Millisecond
	b := &bench{Options: o, dir: o.Dir, progress: newProgress(o.Progress, o.Live)}
	some := channels
	some.plan = func(ctx context.Context, b *bench) ([]group, []string, error) {
		groups, notes, err := channels.plan(ctx, b)
		groups[0].trials = slices.DeleteFunc(groups[0].trials, func(t trial) bool {
			return t.name != "wecom customer service" && t.name != "gewe v2.0"
		})
		return groups, notes, err
	}
	result, err := b.scenario(t.Context(), some)
	if err != nil {
		t.Fatal(err)
	}
	rows := result.Groups[0].Rows
	if r := (Report{Scenarios: []Result{result}}); !r.Sound() || len(rows) != 2 {
		t.Errorf("%d rows, sound: %v", len(rows), r.Sound())
	}
	for _, row := range rows {
		m := row.Median
		if !row.Ours || !row.Replies || m.Totals.Delivered == 0 || m.Totals.Delivered != m.Totals.Acked {
			t.Errorf("%s: counted %+v", row.Name, m.Totals)
		}
		if m.Rate <= 0 || m.Acks <= 0 || m.Ack.P50 <= 0 || m.Way.P50 <= 0 || m.Commits <= 0 {
			t.Errorf("%s: measured %+v", row.Name, m)
		}
	}
	if progress.Len() == 0 {
		t.Error("no progress is shown")
	}
	if left, _ := os.ReadDir(o.Dir); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
}

func TestCallersAreBounded(t *testing.T) {
	o := Options{Scenarios: []string{"channels"}, Rounds: 1, Duration: time.Second, Conversations: 1, Events: 1, Backlog: 1, Long: 100}
	for n, want := range map[int]bool{0: false, 1: true, maxCallers: true, maxCallers + 1: false} {
		o.Callers = n
		if err := o.Check(); (err == nil) != want || err != nil && !strings.Contains(err.Error(), "callers") {
			t.Errorf("%d callers: %v", n, err)
		}
	}
}

// metricsOf is a server whose looks find the backlogs given, then none.
func metricsOf(t *testing.T, rest string, backlogs ...int) (srv *server, looks *int) {
	looks = new(int)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := 0
		if *looks < len(backlogs) {
			n = backlogs[*looks]
		}
		*looks++
		fmt.Fprintf(w, "bot_backlog_events %d\n%s", n, rest)
	}))
	t.Cleanup(s.Close)
	return &server{admin: s.Listener.Addr().String()}, looks
}

func TestAnEngineHasSettledWhenItRests(t *testing.T) {
	srv, looks := metricsOf(t, "", 3, 0, 0, 1)
	left, err := settle(t.Context(), srv)
	if err != nil || left != 0 || *looks != 4+restLooks {
		t.Errorf("%d left after %d looks, %v", left, *looks, err)
	}
}

func TestWhatTheEngineGaveUpIsLeft(t *testing.T) {
	srv, _ := metricsOf(t, "bot_backlog_commands 2\nbot_commands_in_doubt 2\nbot_dead_letters 5\n")
	if left, err := settle(t.Context(), srv); err != nil || left != 7 {
		t.Errorf("%d left, %v", left, err)
	}
}

func TestAnEngineThatIsGoneDoesNotSettle(t *testing.T) {
	if _, err := settle(t.Context(), &server{admin: "127.0.0.1:1"}); err == nil {
		t.Error("it did")
	}
}
