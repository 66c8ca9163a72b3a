package loadtest

import (
	"net/http"
	"slices"
	"testing"
	"time"
)

func TestRedeliverySchedule(t *testing.T) {
	tests := []struct {
		name   string
		how    string
		hurry  float64
		silent bool
		want   []time.Duration // since the first telling's end
	}{
		{"WeCom comes back at once, three times, when it is refused", "wecom", 1, false, []time.Duration{0, 0, 0}},
		{"WeCom waits five seconds for an answer that does not come", "wecom", 1, true, []time.Duration{5 * time.Second, 10 * time.Second, 15 * time.Second}},
		{"a gateway comes back minutes later", "generic", 1, false, []time.Duration{time.Minute, 3 * time.Minute, 8 * time.Minute, 18 * time.Minute}},
		{"in a hurry everything is sooner", "generic", 60, false, []time.Duration{time.Second, 3 * time.Second, 8 * time.Second, 18 * time.Second}},
		{"some never come back", "none", 1, true, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			how, err := RedeliveryNamed(tt.how)
			if err != nil {
				t.Fatal(err)
			}
			r := retellings{how: how, hurry: tt.hurry}
			var got []time.Duration
			now, told := int64(1), 1
			for ; r.missed(7, told, now, tt.silent); told++ {
				due := r.waiting[0].due
				if _, early := r.next(due - 1); early {
					t.Error("it is told again before it is due")
				}
				again, ok := r.next(due)
				if !ok || again.index != 7 || again.told != told {
					t.Fatalf("at its time there is %+v, %v", again, ok)
				}
				now = due
				got = append(got, time.Duration(due-1))
			}
			if !slices.Equal(got, tt.want) || len(r.waiting) != 0 {
				t.Errorf("told again at %v, want %v", got, tt.want)
			}
		})
	}
	if _, err := RedeliveryNamed("pigeon"); err == nil {
		t.Error("there is a redelivery by pigeon")
	}
}

func TestWhatIsDueFirstIsToldAgainFirst(t *testing.T) {
	r := retellings{hurry: 1, waiting: []retelling{{1, 1, 30}, {2, 1, 10}, {3, 1, 20}}}
	var order []uint64
	for {
		again, ok := r.next(25)
		if !ok {
			break
		}
		order = append(order, again.index)
	}
	if !slices.Equal(order, []uint64{2, 3}) {
		t.Errorf("told again: %v", order)
	}
}

func TestRefusedCallbacksAreToldAgainUntilTheyAreTaken(t *testing.T) {
	target, addr := newTarget(t, func(n int) int {
		if n%3 == 0 {
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	})
	wecom, _ := RedeliveryNamed("wecom")
	led := newLedger()
	// With a second connection one event could be the third four times in a row.
	g := newGenerator(load{addr: addr, connections: 1, conversations: 10, events: 100, retell: wecom}, led, noon)
	sent, err := g.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if led.sum().Acked != 100 || sent.retold != 50 || sent.gaveUp != 0 {
		t.Errorf("%d acked, %d told again, %d given up", led.sum().Acked, sent.retold, sent.gaveUp)
	}
	if len(target.ids) != 100 {
		t.Errorf("%d different events arrived", len(target.ids))
	}
}

func TestAnswersThatAreLostOnTheWayBringTheCallbackAgain(t *testing.T) {
	target, addr := newTarget(t, always(http.StatusOK))
	wecom, _ := RedeliveryNamed("wecom")
	led := newLedger()
	g := newGenerator(load{addr: addr, connections: 2, conversations: 10, events: 200, retell: wecom, hurry: 10_000, deaf: 0.2}, led, noon)
	sent, err := g.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again := 0
	for _, n := range target.ids {
		again += n - 1
	}
	if sent.unheard < 20 || sent.retold == 0 || again != sent.retold || led.sum().Acked+sent.gaveUp != 200 {
		t.Errorf("%d answers lost, %d told again, %d came again, %d acked, %d given up", sent.unheard, sent.retold, again, led.sum().Acked, sent.gaveUp)
	}
}

func TestAPlatformThatNeverHearsGivesUp(t *testing.T) {
	target, addr := newTarget(t, always(http.StatusInternalServerError))
	wecom, _ := RedeliveryNamed("wecom")
	g := newGenerator(load{addr: addr, connections: 1, conversations: 1, events: 1, retell: wecom}, newLedger(), noon)
	sent, err := g.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := len(target.orders["wxid_load_00000000"]); sent.gaveUp != 1 || got < 2 {
		t.Errorf("given up %d after %d tellings", sent.gaveUp, got)
	}
}
