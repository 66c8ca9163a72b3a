// Package ingress is where platforms call. A callback is read, verified and
// understood by its channel's Receiver, looked up among the known ones, asked
// whether it is welcome, made durable and answered, in this order; nothing else
// happens on that request. What the events mean is for others.
package ingress

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/julienschmidt/httprouter"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/metrics"
	"bot/store"
)

// Policy is how the events of one account are taken in.
type Policy struct {
	Window time.Duration // of dedup
	// MaxAge is beyond which a message is acknowledged and not queued; 0 = no
	// limit. Friend and group events are never too old.
	MaxAge time.Duration
	// ComesBack says that the sender retries for hours, so that a long backlog
	// may send it away. Others give up within seconds: for them a 503 is a
	// lost message.
	ComesBack bool
	// HearsSelf has admit asked about what the account itself said as well.
	HearsSelf bool
}

// Self is the reason that what an account said itself is not queued: the bot's own
// echo would be answered.
const Self = "self"

// Unwelcome tells why an event is acknowledged and not queued, "" when it is
// welcome; the reason is a metric label. admit may be nil.
func (p *Policy) Unwelcome(e *engine.Event, now time.Time, admit func(e *engine.Event) (reason string)) string {
	switch {
	case e.Self && !p.HearsSelf:
		return Self
	case e.Kind == engine.Message && p.MaxAge > 0 && !e.Time.IsZero() && now.Sub(e.Time) > p.MaxAge:
		return "age"
	case admit != nil:
		return admit(e)
	}
	return ""
}

// Route is one path and who is called there.
type Route struct {
	Path     string
	Methods  []string // nil = POST alone
	Channel  string
	Receiver channel.Receiver
	Accounts map[string]Policy
	// Account labels what is refused before the account is known: the only or
	// the first one of the path.
	Account string
	// Secrets are texts that no log is to show, whoever sends them and to whichever
	// path.
	Secrets []string
}

// Inbox is what is asked of the store.
type Inbox interface {
	Append(ctx context.Context, events []*engine.Event, window time.Duration) (store.Appended, error)
	Seen(k engine.Key, window time.Duration) (bool, error)
	CommitWait() time.Duration
}

// Options is what an Ingress works with. Inbox is required.
type Options struct {
	Inbox Inbox
	// Admit says why an event is not welcome, "" when it is; the reason is a
	// metric label. It is not asked of known duplicates; of copies that arrive
	// at the same instant it may be asked more than once. It may mark an event
	// (engine.Event.Degraded). nil = all are welcome.
	Admit func(e *engine.Event) (reason string)
	// Ring makes doorbells durable; it is required if any Receiver has them.
	Ring func(ctx context.Context, bells []channel.Doorbell) error
	// Seen is told what became of each event of a callback, before that is answered:
	// it was queued, was a duplicate, or was refused for a reason. It must not block.
	// nil = nobody asks.
	Seen func(e *engine.Event, outcome, reason string)
	// Backlog is how many events wait, MaxBacklog beyond which senders that
	// come back are sent away, MaxCommitWait the wait for the disk beyond which
	// everybody is. Each is asked anew every time; nil or 0 = no limit.
	Backlog       func() int
	MaxBacklog    func() int
	MaxCommitWait func() time.Duration
	// Heard is told of each callback on a known path, once it is answered; it must
	// not block. nil = nobody asks.
	Heard   func(h Heard)
	MaxBody int64            // bytes; 0 = 1 MiB
	Now     func() time.Time // for signatures and ages; nil = time.Now
	Log     *slog.Logger     // nil = none
	Metrics *metrics.Metrics // nil = its own
}

// Ingress is the handler of the callback listener. It is safe for concurrent
// use; routes may be exchanged while requests are under way, and each request
// ends by the routes it began with.
type Ingress struct {
	o      Options
	router atomic.Pointer[httprouter.Router]
	idle   sync.Pool // of *callback
	sample sampler
}

// New makes an Ingress without routes: everything is 404 until SetRoutes.
func New(o Options) *Ingress {
	if o.MaxBody <= 0 {
		o.MaxBody = 1 << 20
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Metrics == nil {
		o.Metrics = metrics.New()
	}
	i := &Ingress{o: o, sample: newSampler()}
	i.router.Store(newRouter())
	return i
}

// newRouter matches paths as they are. A redirect to a similar one would be
// lost on platforms, which do not follow any.
func newRouter() *httprouter.Router {
	r := httprouter.New()
	r.RedirectTrailingSlash, r.RedirectFixedPath, r.HandleOPTIONS = false, false, false
	return r
}

// SetRoutes replaces all routes at once, or none if one of them is wrong.
func (i *Ingress) SetRoutes(routes []Route) error {
	use, err := i.Routes(routes)
	if err != nil {
		return err
	}
	use()
	return nil
}

// Routes prepares what SetRoutes would set, for a caller to whom more can go wrong
// before they are used.
func (i *Ingress) Routes(routes []Route) (use func(), err error) {
	router, byPath := newRouter(), make(map[string]*route, len(routes))
	var secrets []string
	for _, r := range routes {
		secrets = append(secrets, r.Secrets...)
	}
	redactor := newRedactor(secrets)
	for _, r := range routes {
		if err := checkPath(r.Path); err != nil {
			return nil, err
		}
		if byPath[r.Path] != nil {
			return nil, fmt.Errorf("path %q is routed twice", r.Path)
		}
		rt := newRoute(r, i.o.Metrics, redactor)
		byPath[r.Path] = rt
		for _, method := range rt.Methods {
			router.Handle(method, r.Path, func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
				i.serve(w, r, rt, everyStep)
			})
		}
	}
	router.MethodNotAllowed = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.serve(w, r, byPath[r.URL.Path], wrongMethod)
	})
	return func() { i.router.Store(router) }, nil
}

// checkPath keeps out what the router would read as a pattern.
func checkPath(path string) error {
	switch {
	case !strings.HasPrefix(path, "/"):
		return fmt.Errorf("path %q does not begin with a slash", path)
	case strings.ContainsAny(path, ":*"):
		return fmt.Errorf("path %q: ':' and '*' are not possible in a path", path)
	}
	return nil
}

// ServeHTTP answers one callback.
func (i *Ingress) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.router.Load().ServeHTTP(w, r)
}

// serve takes a callback through steps. It is counted before it is answered,
// and logged afterwards: a log that is slow to take its line delays no answer.
func (i *Ingress) serve(w http.ResponseWriter, r *http.Request, rt *route, steps []step) {
	c := i.begin(r, rt)
	answer := c.decide(steps)
	took := time.Since(c.start)
	rt.count(c)
	if i.o.Seen != nil {
		for n, e := range c.receipt.Events {
			i.o.Seen(e, string(c.fates[n].outcome), c.fates[n].reason)
		}
	}
	i.o.Metrics.Ack.Observe(took.Seconds())
	write(w, answer)
	i.hear(rt, c)
	c.log(answer.Status, took)
	i.end(c)
}

// storeReason sorts a failure of the store.
func storeReason(err error) (reason string, answer channel.Answer) {
	if errors.Is(err, store.ErrFull) {
		return "full", busy
	}
	return "store", failed
}
