package loadtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

var bulk = scenario{
	name: "bulk",
	says: "How long an answer, and a reply's arrival at the platform, take while many bulk commands are being sent by the same account, " +
		"which has no pace of its own, against the same without them. All of them are in the outbox before the measurement begins; " +
		"what is left at its end is not waited for. The load is that of latency, at its first rate.",
	plan: func(_ context.Context, b *bench) ([]group, []string, error) {
		quiet := b.chained(engineSetup{workers: handling, answers: true})
		quiet.load.rate, quiet.load.connections = b.Rates[0], senders
		beside := trial{name: fmt.Sprintf("beside %d commands", b.Bulk), engine: true, replies: true, run: func(ctx context.Context) (Sample, error) {
			return b.besideBulk(ctx, quiet)
		}}
		return []group{{
			name: fmt.Sprintf("%.0f callbacks/s", b.Rates[0]), slowed: true,
			trials: []trial{b.engineTrial("quiet", quiet), beside},
		}}, nil, nil
	},
}

// bulkPage is how many commands are handed in at a time, as many as a call may hold.
const bulkPage = 1000

// bulkMark begins what a bulk command says, which no reply does.
const bulkMark = "bulk "

// besideBulk measures while commands are being sent.
func (b *bench) besideBulk(ctx context.Context, m measurement) (Sample, error) {
	r, err := b.rig(ctx, b.Manners, m.load.conversations, m.load.connections)
	if err != nil {
		return Sample{}, err
	}
	defer r.close()
	srv, err := m.start(ctx, r.platform.url())
	if err != nil {
		return Sample{}, err
	}
	defer srv.kill()
	if err := b.keepReady(ctx, srv.admin); err != nil {
		return Sample{}, errors.Join(err, srv.ended())
	}
	if err := r.untilBulk(ctx); err != nil {
		return Sample{}, errors.Join(err, srv.ended())
	}
	m.load.addr = srv.addr
	began, sent := time.Now(), r.platform.bulk.Load()
	s, err := b.observe(ctx, r, srv, newGenerator(m.load, r.ledger, b.Now()), m.replies)
	if err != nil {
		return Sample{}, errors.Join(err, srv.ended())
	}
	s.Malformed, s.Platform = int(r.platform.malformed.Load()), r.platform.counts()
	s.Bulk = per(float64(r.platform.bulk.Load()-sent), time.Since(began).Seconds())
	if int(r.platform.bulk.Load()) >= b.Bulk {
		return Sample{}, fmt.Errorf("all %d bulk commands had been sent before the measurement was over: -bulk must be larger, or -duration shorter", b.Bulk)
	}
	return s, nil
}

// untilBulk waits for the first bulk command to arrive.
func (r *rig) untilBulk(ctx context.Context) error {
	for since := time.Now(); r.platform.bulk.Load() == 0; {
		if time.Since(since) > patience {
			return errors.New("no bulk command came")
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// keepReady hands the bulk commands to the engine, each for somebody of their own,
// and lets none leave before all are there.
func (b *bench) keepReady(ctx context.Context, admin string) error {
	client := http.Client{Transport: &http.Transport{}} // without a proxy of the environment
	defer client.CloseIdleConnections()
	post := func(path string, body []byte, want int) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+admin+path, bytes.NewReader(body))
		if err != nil {
			return fmt.Errorf("hand bulk commands in: %w", err)
		}
		resp, err := client.Do(req)
		if err != nil {
			return fmt.Errorf("hand bulk commands in: %w", err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			return fmt.Errorf("hand bulk commands in: %s answered %s", path, resp.Status)
		}
		return nil
	}
	account := []byte(`{"account":"load"}`)
	if err := post("/api/v1/pause", account, http.StatusOK); err != nil {
		return err
	}
	made := b.Now().Unix()
	for first := 0; first < b.Bulk; first += bulkPage {
		if err := post("/api/v1/commands", envelopes(first, min(first+bulkPage, b.Bulk), made), http.StatusAccepted); err != nil {
			return err
		}
	}
	return post("/api/v1/resume", account, http.StatusOK)
}

// envelopes are those of the commands from first to before last.
func envelopes(first, last int, made int64) []byte {
	body := []byte{'['}
	for i := first; i < last; i++ {
		if i > first {
			body = append(body, ',')
		}
		body = fmt.Appendf(body, `{"task_id":"bulk-%d","account_id":"load","action":"send_text","lane":"bulk","timestamp":%d,"params":{"to":"bulk_%d","content":"%s%d"}}`,
			i, made, i, bulkMark, i)
	}
	return append(body, ']')
}

// Slower is latencies as multiples of the first row's, within rounds.
type Slower struct {
	AckP50 Ratio `json:"ack_p50"`
	AckP99 Ratio `json:"ack_p99"`
	WayP50 Ratio `json:"way_p50"`
	WayP99 Ratio `json:"way_p99"`
}

func slower(g group, rounds [][]Sample, i int) *Slower {
	of := func(f func(s *Sample) float64) Ratio {
		var all []float64
		for _, samples := range rounds {
			all = append(all, per(f(&samples[i]), f(&samples[0])))
		}
		return ratioTo(g.trials[0].name, all)
	}
	return &Slower{
		AckP50: of(func(s *Sample) float64 { return s.Ack.P50 }), AckP99: of(func(s *Sample) float64 { return s.Ack.P99 }),
		WayP50: of(func(s *Sample) float64 { return s.Way.P50 }), WayP99: of(func(s *Sample) float64 { return s.Way.P99 }),
	}
}
