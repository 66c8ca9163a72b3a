package dispatch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"bot/engine"
	"bot/engine/dispatch"
	"bot/engine/turn"
)

// series reads one metric family: values by their labels' values, joined.
func series(t *testing.T, c prometheus.Collector) map[string]float64 {
	t.Helper()
	ch := make(chan prometheus.Metric, 100)
	c.Collect(ch)
	close(ch)
	out := make(map[string]float64)
	for m := range ch {
		var v dto.Metric
		if err := m.Write(&v); err != nil {
			t.Fatal(err)
		}
		key := ""
		for _, l := range v.Label {
			key += l.GetName() + "=" + l.GetValue() + " "
		}
		out[key] = v.GetCounter().GetValue() + float64(v.GetHistogram().GetSampleCount())
	}
	return out
}

func wantSeries(t *testing.T, name string, c prometheus.Collector, want map[string]float64) {
	t.Helper()
	if got := series(t, c); !maps.Equal(got, want) {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// silent chooses no skill for conversation "nobody".
type silent struct{ handler }

func (s silent) Route(e *engine.Event, a, b engine.State) []engine.Choice {
	if e.Conversation == "nobody" {
		return nil
	}
	return s.handler.Route(e, a, b)
}

func TestEveryEndIsCountedOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t, newLedger(), answering)
		setup := *r.setup.Load()
		setup.Router = silent{poison(failing)}
		r.setup.Store(&setup)
		committed := 0
		var handled []string
		r.dispatch = dispatch.New(dispatch.Options{
			Entries: r.queue.Entries(), Store: r.ledger, Setup: func() turn.Setup { return *r.setup.Load() },
			Attempts: 3, Chance: func() float64 { return 0.5 }, Metrics: r.metrics, Workers: 1,
			Committed: func() { committed++ },
			Handled:   func(e *engine.Event, r turn.Report) { handled = append(handled, e.Conversation+" "+string(r.Outcome)) },
		})
		r.start()
		r.say("u1", "nobody")
		r.append(poisoned("u2"))
		for _, text := range []string{"", "poison"} {
			e := poisoned("u3")
			e.Kind, e.Text, e.Params = engine.Expired, text, map[string]string{"version": "7"}
			if text == "poison" { // its state stands: the skill is asked
				e.Conversation, e.Sender = "u4", "u4"
				r.ledger.look(func() {
					r.ledger.states[engine.StateKey{Account: "shop", Conversation: "u4", Sender: "u4"}] = engine.State{Skill: "s", Version: 7}
				})
			}
			r.append(e)
		}
		pass(time.Minute)
		r.stop()

		m := r.metrics
		wantSeries(t, "handled", m.Handled, map[string]float64{
			"account=shop outcome=reply skill=s ":   1,
			"account=shop outcome=no_reply skill= ": 1,
		})
		wantSeries(t, "expired", m.Expired, map[string]float64{"outcome=void ": 1, "outcome=dead ": 1})
		wantSeries(t, "failed", m.Failed, map[string]float64{"account=shop skill=s ": 6})
		wantSeries(t, "retries", m.Retries, map[string]float64{"stage=handle ": 4})
		wantSeries(t, "dead", m.Dead, map[string]float64{"account=shop what=event ": 1})
		wantSeries(t, "created", m.Created, map[string]float64{"account=shop action=send_text ": 1})
		wantSeries(t, "queue wait", m.QueueWait, map[string]float64{"": 5})
		wantSeries(t, "handle", m.Handle, map[string]float64{"": 3})
		slices.Sort(handled)
		if want := []string{"nobody no_reply", "u1 reply", "u3 void"}; !slices.Equal(handled, want) {
			t.Errorf("Handled called for %q, want %q: each that was committed, none that was given up", handled, want)
		}
		if committed != 1 {
			t.Errorf("Committed called %d times, want once for the one with a command", committed)
		}
	})
}

func TestOneLineTellsTheLifeOfAnEvent(t *testing.T) {
	for name, tc := range map[string]struct {
		event *engine.Event
		want  []map[string]any // the fields looked at, line by line
		stack bool
	}{
		"handled": {message("shop", "u1"), []map[string]any{{
			"level": "INFO", "msg": "handled", "skill": "s", "rule": "always", "outcome": "reply", "attempt": 1.0, "took_ms": 250.0,
		}}, false},
		"buried": {poisoned("u1"), []map[string]any{
			{"level": "WARN", "msg": "attempt failed", "skill": "s", "attempt": 1.0, "retry_in_ms": 500.0, "error": `skill "s" panicked: boom`},
			{"level": "ERROR", "msg": "event given up", "skill": "s", "attempt": 2.0, "error": `skill "s" panicked: boom`},
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var out bytes.Buffer
				h := poison(func(context.Context, *engine.Turn) (engine.Outcome, error) { panic("boom") })
				r := newRig(t, newLedger(), func(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
					time.Sleep(250 * time.Millisecond)
					return h(ctx, t)
				}, attempts(2), func(o *dispatch.Options) { o.Log = slog.New(slog.NewJSONHandler(&out, nil)) }).start()
				r.append(tc.event)
				pass(time.Minute)
				r.stop()
				synctest.Wait()

				lines := slices.Collect(bytes.Lines(out.Bytes()))
				if len(lines) != len(tc.want) {
					t.Fatalf("%d lines, want %d:\n%s", len(lines), len(tc.want), out.Bytes())
				}
				for i, want := range tc.want {
					want["event_id"], want["msg_id"], want["account"] = tc.event.Ref(), tc.event.ID, "shop"
					want["conversation"], want["user"], want["kind"] = "u1", "u1", "message"
					var got map[string]any
					if err := json.Unmarshal(lines[i], &got); err != nil {
						t.Fatal(err)
					}
					for k, v := range want {
						if got[k] != v {
							t.Errorf("line %d: %s = %v, want %v", i+1, k, got[k], v)
						}
					}
					if _, has := got["stack"]; has != tc.stack {
						t.Errorf("line %d has a stack: %v", i+1, has)
					}
				}
			})
		})
	}
}
