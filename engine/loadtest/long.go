package loadtest

import (
	"context"
	"errors"
	"fmt"
	"time"
)

var long = scenario{
	name: "long",
	says: "The whole way, as in chain, for very many events: whether a commit takes as long at the end as at the beginning " +
		"(the last tenth of the events against the first), and how large the file is then.",
	plan: func(_ context.Context, b *bench) ([]group, []string, error) {
		return []group{{
			name:   fmt.Sprintf("%d events", b.Long),
			trials: []trial{{name: engineName, engine: true, replies: true, run: b.runLong}},
		}}, nil, nil
	},
}

// runLong is one round of it.
func (b *bench) runLong(ctx context.Context) (Sample, error) {
	r, err := b.rig(ctx, b.Manners, b.Conversations, Middle)
	if err != nil {
		return Sample{}, err
	}
	defer r.close()
	srv, err := b.engine(engineSetup{workers: handling, answers: true})(ctx, r.platform.url())
	if err != nil {
		return Sample{}, err
	}
	defer srv.kill()
	begin, err := b.look(ctx, r, srv)
	if err != nil {
		return Sample{}, err
	}
	g := newGenerator(load{
		addr: srv.addr, connections: Middle, conversations: b.Conversations, events: b.Long,
	}, r.ledger, b.Now())
	loading := b.begin(ctx, g)
	defer loading.stop()
	// The looks at the ends of the first tenth and the ninth, and at all's.
	var looks [3]look
	for i, share := range []int{1, 9, 10} {
		if err := r.until(ctx, srv, b.Long/10*share); err != nil {
			return Sample{}, err
		}
		if looks[i], err = b.look(ctx, r, srv); err != nil {
			return Sample{}, err
		}
	}
	s := between(begin, looks[2], loading.stop(), 0, true)
	s.Growth = per(commitTime(looks[1].series, looks[2].series), commitTime(begin.series, looks[0].series))
	file := looks[2].series["bot_store_bytes"]
	s.FileToLive = per(file, file-looks[2].series["bot_store_free_bytes"])
	s.Malformed, s.Platform = int(r.platform.malformed.Load()), r.platform.counts()
	return s, srv.ended()
}

// until waits for so many replies.
func (r *rig) until(ctx context.Context, srv *server, delivered int) error {
	last, since := 0, time.Now()
	for {
		n := r.ledger.sum().Delivered
		if n >= delivered {
			return nil
		}
		if n != last {
			last, since = n, time.Now()
		}
		if time.Since(since) > patience {
			return fmt.Errorf("only %d of %d replies came", n, delivered)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
		if err := srv.ended(); err != nil {
			return errors.Join(err, ctx.Err())
		}
	}
}

// commitTime is the mean time of the commits between two looks.
func commitTime(before, after series) float64 {
	delta := func(name string) float64 { return after[name] - before[name] }
	return per(delta("bot_commit_seconds_sum"), delta("bot_commit_seconds_count"))
}
