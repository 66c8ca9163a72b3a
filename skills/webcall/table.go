// Package webcall calls one web service as a table of the configuration
// describes it: the request as templates that no value can break out of, time
// limits, retries, a bounded answer. Kinds of skills use it; what an answer means
// is theirs to say.
package webcall

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"bot/engine"
	"bot/skills/breaker"
	"bot/skills/kind"
	"bot/skills/render"
)

// Table is a call of a web service: the request, and how long and how often it is tried.
type Table struct { // embedded, by value, in the struct of a kind's own table
	// `GET`, `HEAD`, `POST`, `PUT`, `PATCH` or `DELETE`.
	Method string `toml:"method" is:"GET|HEAD|POST|PUT|PATCH|DELETE" default:"'\"GET\"', with something to send '\"POST\"'"`
	// The address, the host written out, then templates.
	URL string `toml:"url" default:"required"`
	// The hosts that `url` may come out with where its host is a template: `["*.example.com"]`.
	Allow []string `toml:"allow"`
	// Headers by their names; texts are templates.
	Headers map[string]string `toml:"headers"`
	// What to send: a text, a template.
	Body string `toml:"body"`
	// What to send: a table or a list, in which texts are templates.
	JSON any `toml:"json" is:"$table|$list"`
	// What to send: the fields of a web form; texts are templates.
	Form map[string]string `toml:"form"`
	// Of one attempt.
	Timeout engine.Duration `toml:"timeout" is:"..30s"`
	// Further attempts.
	Retries int `toml:"retries" is:"0..10"`
	// The service does the same `Idempotency-Key` once.
	Idempotent bool `toml:"idempotent"`
	// A longer answer is a failure.
	Max engine.Size `toml:"max_response" is:"1B..16MiB"`
}

// The defaults, and how far each may go.
const (
	defaultTimeout = 5 * time.Second
	maxTimeout     = 30 * time.Second // somebody waits for the answer
	defaultRetries = 2
	maxRetries     = 10
	defaultMax     = 1 << 20
	maxMax         = 16 << 20 // it is held in memory, once for each call that is under way
	atOnce         = 16       // calls of one skill
)

// Defaults is a table with the values of the keys that are left out.
func Defaults() Table {
	return Table{Timeout: engine.Duration(defaultTimeout), Retries: defaultRetries, Max: defaultMax}
}

// DefaultsFor is a table that was decoded without them, such as one in a list,
// with the defaults of the keys that are not there.
func DefaultsFor(t Table, has func(key string) bool) Table {
	d := Defaults()
	if !has("timeout") {
		t.Timeout = d.Timeout
	}
	if !has("retries") {
		t.Retries = d.Retries
	}
	if !has("max_response") {
		t.Max = d.Max
	}
	return t
}

// Service is one web service as a skill calls it. It is safe for concurrent use.
type Service struct {
	method     string
	address    *address
	headers    []header
	payload    *payload // nil: none
	timeout    time.Duration
	retries    int
	repeatable bool // what may have reached the service may be sent again
	max        int64
	client     *http.Client
	now        func() time.Time
	breaker    *breaker.Breaker
}

// New makes the service of a table, which was decoded into Defaults() and stands
// at the key prefix of the draft; scope is what its templates may refer to. What
// is wrong with it is noted in the draft. The draft's skill is made one that
// waits, with a time limit that all attempts of a call fit into.
func New(d *kind.Draft, prefix string, t Table, scope render.Scope) *Service {
	b := builder{Draft: d, prefix: prefix, scope: scope}
	s := &Service{
		timeout: t.Timeout.Std(), retries: t.Retries, max: int64(t.Max), now: time.Now,
		breaker: breaker.New(time.Now),
	}
	s.address = b.address(&t)
	s.headers = b.headers(t.Headers)
	s.payload = b.payload(&t)
	s.method = b.method(&t, s.payload != nil)
	s.repeatable = t.Idempotent || s.method != http.MethodPost && s.method != http.MethodPatch
	b.limits(&t)
	s.client = s.newClient(d.World.Fetch)
	s.bound(d)
	return s
}

// bound says in the draft how long and how often the skill may run.
func (s *Service) bound(d *kind.Draft) {
	d.Waits = true
	if !d.Has("concurrency") {
		d.Concurrency = atOnce
	}
	if !d.Has("timeout") {
		d.Timeout = max(d.Timeout, engine.Duration(s.longest()+5*time.Second))
	}
}

// longest is how long a call may take.
func (s *Service) longest() time.Duration {
	tries := time.Duration(max(s.retries, 0))
	return (tries+1)*s.timeout + tries*maxWait
}

// builder reads the table at a prefix of a draft.
type builder struct {
	*kind.Draft
	prefix string
	scope  render.Scope
}

func (b *builder) at(parts ...any) string { return kind.Path(append([]any{b.prefix}, parts...)...) }

func (b *builder) has(key string) bool { return b.Has(b.at(key)) }

// wrong notes a problem with a key of the table.
func (b *builder) wrong(key, format string, args ...any) { b.Problem(b.at(key), format, args...) }

// text parses the template at a key; it may come out empty.
func (b *builder) text(key, text string) *render.Template {
	t, err := render.Parse(text, b.scope)
	if err != nil {
		b.Problem(key, "%v", err)
	}
	if doubt := render.Doubt(text); doubt != "" {
		b.Warn(key, "%s", doubt)
	}
	return t
}

// pieces is text for a place that escapes; own is what ParsePieces takes.
func (b *builder) pieces(key, text, own string) *render.Pieces {
	p, err := render.ParsePieces(text, b.scope, own)
	if err != nil {
		b.wrong(key, "%v", err)
	}
	if doubt := render.Doubt(text); doubt != "" {
		b.Warn(b.at(key), "%s", doubt)
	}
	return p
}

var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
}

// method is GET, or POST where there is something to send, unless it is said.
func (b *builder) method(t *Table, sends bool) string {
	switch {
	case !b.has("method") && sends:
		return http.MethodPost
	case !b.has("method"):
		return http.MethodGet
	}
	m := strings.ToUpper(t.Method)
	if !slices.Contains(methods, m) {
		if !b.Lacks(b.at("method"), true) && m == "" {
			return http.MethodGet // it could not be read, and that has been said
		}
		b.wrong("method", "unknown method %q (%s)", t.Method, strings.Join(methods, ", "))
	}
	if sends && safe(m) {
		b.wrong("method", `%s sends nothing along (method = "POST", or leave out %s)`, m, b.given("body", "json", "form")[0])
	}
	return m
}

// safe tells whether a method only asks.
func safe(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// given are those of the keys that the table has.
func (b *builder) given(keys ...string) []string {
	return slices.DeleteFunc(keys, func(k string) bool { return !b.has(k) })
}

func (b *builder) limits(t *Table) {
	if d := t.Timeout.Std(); b.Lacks(b.at("timeout"), d <= 0) || d > maxTimeout {
		b.wrong("timeout", `timeout is the time of one attempt, above zero and up to %v (timeout = "5s")`, maxTimeout)
	}
	if t.Retries < 0 || t.Retries > maxRetries {
		b.wrong("retries", "retries is a number from 0 to %d, not %d", maxRetries, t.Retries)
	}
	if n := int64(t.Max); b.Lacks(b.at("max_response"), n <= 0) || n > maxMax {
		b.wrong("max_response", `max_response is above zero and up to %v (max_response = "1MiB")`, engine.Size(maxMax))
	}
}

// Key is the Idempotency-Key of the n-th call (from 0) that a skill makes for a
// turn's event: the same whenever the event is handled again, another one for
// every other event, skill and n.
func Key(t *engine.Turn, skill string, n int) string {
	return engine.TaskIDOf(t.Event.Ref()+"-"+digest(skill, 4), n)
}

// KeyOf is the key of the one call of a skill: that of its grant, where the outcome
// that its Guard began takes a once-key, else that of the event.
func KeyOf(t *engine.Turn, b *kind.Base, out engine.Outcome) string {
	if b.Grants() && len(out.Once) > 0 {
		return onceKey(t.Event.Account, b.Name(), out.Once[0])
	}
	return Key(t, b.Name(), 0)
}

// onceKey is the Idempotency-Key of a call that grants what a once-key guards: the
// same for all events that ask for the same grant.
func onceKey(account, skill string, o engine.Once) string {
	return "once-" + digest(fmt.Sprintf("%q %q %q", account, skill, o.Key), 16)
}
