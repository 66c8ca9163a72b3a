package loadtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"time"
)

var bulk = scenario{
	name: "bulk",
	says: "How long an answer, and a reply's arrival at the platform, take while the same account, which has no pace of its own, sends much in bulk, " +
		"against the same without it: a broadcast that is released faster than it can leave, and as many bulk commands " +
		"that are all in the outbox before the measurement begins. What is left at its end is not waited for. The load is that of latency, at its first rate.",
	plan: func(_ context.Context, b *bench) ([]group, []string, error) {
		quiet := b.chained(engineSetup{workers: handling, answers: true}).at(b.Rates[0])
		beside := func(what string, hand func(ctx context.Context, admin string) error) trial {
			return trial{name: "beside " + what, engine: true, replies: true, run: func(ctx context.Context) (Sample, error) {
				return b.besideBulk(ctx, quiet, hand)
			}}
		}
		return []group{{
			name: fmt.Sprintf("%.0f callbacks/s", b.Rates[0]), slowed: true,
			trials: []trial{
				b.engineTrial("quiet", quiet),
				beside(fmt.Sprintf("a broadcast to %d", b.Bulk), b.broadcast),
				beside(fmt.Sprintf("%d commands", b.Bulk), b.keepReady),
			},
		}}, nil, nil
	},
}

const (
	// bulkPage is how many commands are handed in at a time, as many as a call may hold.
	bulkPage = 1000
	// bulkMark begins what bulk says, which no reply does.
	bulkMark = "bulk "
	// bulkRate is what the broadcast is released at: more than leaves beside callbacks.
	bulkRate = "1000/s"
)

// besideBulk measures while what hand gives to the engine is being sent.
func (b *bench) besideBulk(ctx context.Context, m measurement, hand func(ctx context.Context, admin string) error) (Sample, error) {
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
	if err := hand(ctx, srv.admin); err != nil {
		return Sample{}, errors.Join(fmt.Errorf("hand the bulk in: %w", err), srv.ended())
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

// broadcast starts one to as many people as there would be commands.
func (b *bench) broadcast(ctx context.Context, admin string) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	write := func(part string, content []byte) {
		w, _ := form.CreateFormField(part) // a buffer takes all
		w.Write(content)
	}
	write("broadcast", fmt.Appendf(nil, `{"account":"load","rate":%q,"start":true,"text":"%sto all"}`, bulkRate, bulkMark))
	var to []byte
	for i := range b.Bulk {
		to = fmt.Appendf(to, "bulk_%d\n", i)
	}
	write("to", to)
	form.Close()
	return post(ctx, "http://"+admin+"/api/v1/broadcasts", form.FormDataContentType(), body.Bytes())
}

// keepReady hands the bulk commands to the engine, each for somebody of their own,
// and lets none leave before all are there.
func (b *bench) keepReady(ctx context.Context, admin string) error {
	api, account := "http://"+admin+"/api/v1/", []byte(`{"account":"load"}`)
	if err := post(ctx, api+"pause", "application/json", account); err != nil {
		return err
	}
	made := b.Now().Unix()
	for first := 0; first < b.Bulk; first += bulkPage {
		if err := post(ctx, api+"commands", "application/json", envelopes(first, min(first+bulkPage, b.Bulk), made)); err != nil {
			return err
		}
	}
	return post(ctx, api+"resume", "application/json", account)
}

// post hands something to the API of the engine, which must take it.
func post(ctx context.Context, url, kind string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", kind)
	resp, err := oneShot(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s answered %s: %s", url, resp.Status, said)
	}
	return nil
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
