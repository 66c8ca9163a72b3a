package egress

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"
	"go.uber.org/goleak"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/metrics"
	"bot/engine/pace"
	"bot/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a store.Outbox that keeps its rows in memory: what egress uses of
// one, and faults on request.
type memory struct {
	store.Outbox // Submit, Find: not called by egress
	mu           sync.Mutex
	rows         []store.Delivery
	gone         map[uint64]store.Final
	progress     map[uint64]store.Progress // of those that are gone
	marks        int
	settles      int
	wrote, rode  map[engine.Lane]int // marks and ends by lane, and those of them that were in no hurry
	ride         time.Duration       // how long these wait besides
	notes        map[string]string   // by account and key
	noted        int                 // how often a note was written
	recalls      int
	disk         time.Duration // how long an act takes
	fault        func(act string, id uint64) error
	lost         func(act string, id uint64) error // after it was done
}

func (m *memory) find(id uint64) (*store.Delivery, error) {
	i, ok := slices.BinarySearchFunc(m.rows, id, func(d store.Delivery, id uint64) int { return int(d.ID) - int(id) })
	if !ok || m.gone[id] != "" {
		return nil, fmt.Errorf("row %d: %w", id, store.ErrGone)
	}
	return &m.rows[i], nil
}

func (m *memory) act(name string, id uint64) error {
	time.Sleep(m.disk)
	if m.fault == nil {
		return nil
	}
	return m.fault(name, id)
}

func (m *memory) ack(name string, id uint64) error {
	if m.lost == nil {
		return nil
	}
	return m.lost(name, id)
}

// tell adds to the account's notes, as a store does within an act.
func (m *memory) tell(account string, learned []engine.Note, counts []engine.Count) {
	for _, n := range learned {
		m.notes[account+" "+n.Key] = n.Value
	}
	for _, c := range counts {
		n, _ := strconv.Atoi(m.notes[account+" "+c.Key])
		m.notes[account+" "+c.Key] = strconv.Itoa(n + c.Add)
	}
}

func (m *memory) Recall(account, key string) (string, error) {
	if m.fault != nil {
		if err := m.fault("recall", 0); err != nil {
			return "", err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.recalls++
	return m.notes[account+" "+key], nil
}

func (m *memory) Deliveries(after uint64, limit int) ([]store.Delivery, error) {
	if err := m.act("deliveries", after); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	i, _ := slices.BinarySearchFunc(m.rows, after+1, func(d store.Delivery, id uint64) int { return int(d.ID) - int(id) })
	var out []store.Delivery
	for ; i < len(m.rows) && len(out) < limit; i++ {
		if m.gone[m.rows[i].ID] == "" {
			out = append(out, m.rows[i])
		}
	}
	return out, nil
}

func (m *memory) Delivery(id uint64) (store.Delivery, error) {
	if m.fault != nil {
		if err := m.fault("delivery", id); err != nil {
			return store.Delivery{}, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d, err := m.find(id)
	if err != nil {
		return store.Delivery{}, err
	}
	return *d, nil
}

func (m *memory) Attempt(ctx context.Context, id uint64, p store.Progress, counts ...engine.Count) error {
	m.await(ctx)
	if err := m.act("attempt", id); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d, err := m.find(id)
	if err != nil {
		return err
	}
	d.Progress = p
	m.marks++
	m.writes(ctx, d)
	m.tell(d.Command.Account, nil, counts)
	return m.ack("attempt", id)
}

// await is the wait of what rides for a commit.
func (m *memory) await(ctx context.Context) {
	if store.Rides(ctx) {
		time.Sleep(m.ride)
	}
}

// writes counts a mark or an end of a command.
func (m *memory) writes(ctx context.Context, d *store.Delivery) {
	if m.wrote == nil {
		m.wrote, m.rode = make(map[engine.Lane]int), make(map[engine.Lane]int)
	}
	m.wrote[d.Command.Lane]++
	if store.Rides(ctx) {
		m.rode[d.Command.Lane]++
	}
}

func (m *memory) Settle(ctx context.Context, s store.Settlement) error {
	m.await(ctx)
	if err := m.act("settle", s.ID); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d, err := m.find(s.ID)
	if err != nil {
		return err
	}
	m.settles++
	m.writes(ctx, d)
	m.noted += len(s.Learned)
	m.tell(d.Command.Account, s.Learned, s.Counts)
	if s.Final != "" {
		m.gone[s.ID], m.progress[s.ID] = s.Final, s.Progress
	} else {
		d.Progress = s.Progress
	}
	return m.ack("settle", s.ID)
}

func (m *memory) Cancel(_ context.Context, taskID string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range m.rows {
		if d.Command.TaskID == taskID && d.Progress.Phase == store.Waiting {
			m.gone[d.ID] = store.Cancelled
			return nil
		}
	}
	return store.ErrGone
}

// learned is the account's note of its pace, and how many notes were written at all.
func (m *memory) learned(account string) (note string, written int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.notes[account+" "+paceKey], m.noted
}

// put stores a command as a commit would.
func (m *memory) put(c engine.Command, p store.Progress) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	id := uint64(len(m.rows) + 1)
	if p.Phase == "" {
		p.Phase = store.Waiting
	}
	m.rows = append(m.rows, store.Delivery{ID: id, Command: &c, Progress: p})
	return id
}

// state is how a command stands: its end, or its phase in the outbox.
func (m *memory) state(taskID string) (string, store.Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range m.rows {
		if d.Command.TaskID != taskID {
			continue
		}
		if f := m.gone[d.ID]; f != "" {
			return string(f), m.progress[d.ID]
		}
		return string(d.Progress.Phase), d.Progress
	}
	return "unknown", store.Progress{}
}

// request is one call of the platform.
type request struct {
	task, conversation string
	at                 time.Duration // since the world began
}

// platform is a channel.Sender that notes what arrives and breaks the test
// when two requests of one conversation are in flight.
type platform struct {
	t       *testing.T
	began   time.Time
	latency func(*engine.Command) time.Duration // nil: none
	answer  func(*engine.Command) error         // nil: success

	mu       sync.Mutex
	requests []request
	flying   map[string]bool
	most     int // in flight at once
}

func (p *platform) Needs(engine.Action) ([]string, bool) { return nil, true }

func (p *platform) Send(ctx context.Context, c *engine.Command) (string, error) {
	p.arrive(c)
	defer p.leave(c)
	if p.latency != nil {
		select {
		case <-time.After(p.latency(c)):
		case <-ctx.Done():
			return "", &channel.SendError{Class: channel.Unsure, Note: ctx.Err().Error()}
		}
	}
	if p.answer == nil {
		return "", nil
	}
	return "", p.answer(c)
}

func (p *platform) arrive(c *engine.Command) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.flying[c.Conversation] {
		p.t.Errorf("two commands of conversation %s are in flight", c.Conversation)
	}
	p.flying[c.Conversation] = true
	p.most = max(p.most, len(p.flying))
	p.requests = append(p.requests, request{c.TaskID, c.Conversation, time.Since(p.began)})
}

func (p *platform) leave(c *engine.Command) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.flying, c.Conversation)
}

// tasks lists what arrived, in order.
func (p *platform) tasks() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, r := range p.requests {
		out = append(out, r.task)
	}
	return out
}

func (p *platform) arrived(task string) (at []time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.requests {
		if r.task == task {
			at = append(at, r.at)
		}
	}
	return at
}

func fails(class channel.Class) error {
	return &channel.SendError{Class: class, Status: 500, Note: "no"}
}

// world is an Egress in a bubble, with its outbox, platforms and log.
type world struct {
	t         *testing.T
	outbox    *memory
	platforms map[string]*platform
	metrics   *metrics.Metrics
	options   Options
	egress    *Egress
	looks     atomic.Int64 // at the wall clock, once or twice for each time the owner wakes
	log       lockedLog
	cancel    func() // asks the run to end
	end       func() error
}

type lockedLog struct {
	mu  sync.Mutex
	all strings.Builder
}

func (l *lockedLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(b)
}

func (l *lockedLog) count(s string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.all.String(), s)
}

func newWorld(t *testing.T, accounts map[string]Account) *world {
	w := &world{t: t, metrics: metrics.New(), platforms: map[string]*platform{},
		outbox: &memory{gone: map[uint64]store.Final{}, progress: map[uint64]store.Progress{}, notes: map[string]string{}}}
	began := time.Now()
	for name, a := range accounts {
		w.platforms[name] = &platform{t: t, began: began, flying: map[string]bool{}}
		a.Sender = w.platforms[name]
		accounts[name] = a
	}
	w.options = Options{
		Outbox: w.outbox, Recall: w.outbox.Recall, Accounts: accounts, Metrics: w.metrics, Grace: 20 * time.Second,
		Now:    func() time.Time { w.looks.Add(1); return time.Now() },
		Chance: rand.New(rand.NewPCG(1, 1)).Float64,
		Log:    slog.New(slog.NewTextHandler(&w.log, nil)),
	}
	return w
}

// start runs the egress until stop is called or the test ends.
func (w *world) start() {
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	w.egress = New(w.options)
	done := make(chan error, 1)
	go func() { done <- w.egress.Run(ctx) }()
	var once sync.Once
	var err error
	w.end = func() error {
		once.Do(func() { cancel(); err = <-done })
		return err
	}
}

func (w *world) stop() {
	w.t.Helper()
	if err := w.end(); err != nil {
		w.t.Errorf("Run ended with %v", err)
	}
}

// say stores commands: "lane conversation task".
func (w *world) say(account string, lines ...string) {
	for _, s := range lines {
		var lane, conversation, task string
		if _, err := fmt.Sscan(s, &lane, &conversation, &task); err != nil {
			w.t.Fatal(err)
		}
		l, _ := engine.ParseLane(lane)
		w.put(account, engine.Command{TaskID: task, Conversation: conversation, Lane: l})
	}
	if w.egress != nil {
		w.egress.Wake()
	}
}

func (w *world) put(account string, c engine.Command) uint64 {
	c.Account = account
	if c.Action == "" {
		c.Action = engine.SendText
	}
	if c.Created.IsZero() {
		c.Created = time.Now()
	}
	return w.outbox.put(c, store.Progress{})
}

// after lets time pass, then everything that is due happen.
func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (w *world) wantState(task, want string) store.Progress {
	w.t.Helper()
	got, p := w.outbox.state(task)
	if got != want {
		w.t.Errorf("%s is %s (%s), want %s", task, got, p.Reason, want)
	}
	return p
}

func (w *world) wantTasks(account string, want ...string) {
	w.t.Helper()
	if got := w.platforms[account].tasks(); !slices.Equal(got, want) {
		w.t.Errorf("%s was sent\n%v, want\n%v", account, got, want)
	}
}

// total adds up the series of a metric whose labels hold all the given values.
func (w *world) total(name string, labels ...string) float64 {
	families, err := w.metrics.Registry.Gather()
	if err != nil {
		w.t.Fatal(err)
	}
	var sum float64
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.Metric {
			if hasLabels(m, labels) {
				sum += m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return sum
}

func hasLabels(m *dto.Metric, values []string) bool {
	for _, v := range values {
		if !slices.ContainsFunc(m.Label, func(l *dto.LabelPair) bool { return l.GetValue() == v }) {
			return false
		}
	}
	return true
}

// quick is an account without limits of pace.
func quick() Account {
	return Account{OnDoubt: Resend, Attempts: 5, Backoff: engine.Range{Min: time.Second, Max: time.Minute},
		GiveUp: 24 * time.Hour, Timeout: 10 * time.Second, Limits: pace.Limits{Parallel: 16}}
}

// account is quick with a change.
func accountWith(change func(*Account)) Account {
	a := quick()
	change(&a)
	return a
}

func shop(a Account) map[string]Account { return map[string]Account{"shop": a} }
