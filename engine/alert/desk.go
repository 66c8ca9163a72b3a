package alert

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"bot/engine/hours"
)

// The desk's own bounds.
const (
	gather      = 3 * time.Second  // from the first alert to its message, so that a storm is one
	maxGroups   = 512              // kinds of accounts
	maxSubjects = 32               // of a group
	maxLines    = 100              // of a message
	againAfter  = time.Minute      // when no way took a message; twice as long each time,
	againAtMost = 10 * time.Minute // up to this
	lastWords   = 5 * time.Second  // for what is serious, when Run is to end
)

// Settings are what an operator chooses; a reload may change them.
type Settings struct {
	Ways   []Way
	Kinds  []string // those that are told; none is all
	Except []string // those that are not
	// Every is the least time between two messages of one kind and account about
	// something new.
	Every time.Duration
	// AtMost messages are told in any Per; a quarter of them, and one at least where
	// there are two, is kept for what is serious. 0 is no limit.
	AtMost   int
	Per      time.Duration
	Hours    hours.Times // outside of them only what is serious is told; empty is always
	Language string
	Location *time.Location
}

// tells lets a kind through.
func (s *Settings) tells(kind string) bool {
	return (len(s.Kinds) == 0 || slices.Contains(s.Kinds, kind)) && !slices.Contains(s.Except, kind)
}

// Options is what a Desk needs; Settings is required.
type Options struct {
	Settings func() Settings
	Now      func() time.Time // for what is written; nil = time.Now
	// Counted is told what became of one thing that was to be told: told, failed,
	// or noted where there is no way. nil = nobody asks.
	Counted func(kind, outcome string)
	Log     *slog.Logger
}

// Desk takes alerts and tells them. Each kind and account is a group: the first
// alert of one is told a few seconds later, together with all else that came
// meanwhile; what follows at most once every Settings.Every, with its number and
// its latest text. What lasts is told to be over, if its beginning was told. What
// must wait, for hours or for Settings.AtMost, is told later and counted, not
// dropped; of groups without a place in memory the next message gives the number.
//
// Nothing is kept on disk: what goes on is told anew after a restart, what was
// not told yet is lost with a crash, and what is serious is told in the last
// seconds of an orderly end. Methods are safe for concurrent use; Raise never
// blocks.
type Desk struct {
	o    Options
	news chan struct{} // holds one: something is to be told

	mu      sync.Mutex
	groups  map[groupKey]*group
	omitted int
	told    []time.Time // of the last messages, oldest first
	tries   int         // messages in a row that no way took
	again   time.Time   // not before, after one that no way took
	telling bool        // a message is on its way, and may have to be taken back
	recent  []Record
}

type groupKey struct{ kind, account string }

// group is what is known of one kind and account.
type group struct {
	subjects map[string]*subject
	told     time.Time // when something new was told last
}

// subject is one thing of a group.
type subject struct {
	text, textZH string
	level        Level
	count        int       // raised and not told yet
	first        time.Time // of these
	began        time.Time // of the condition
	latest       time.Time
	told         bool // its beginning was told, or is being told
	over         bool // it has ended, which is not told yet
	ended        time.Time
}

// New makes a Desk; it tells nothing until Run.
func New(o Options) *Desk {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Counted == nil {
		o.Counted = func(string, string) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Desk{o: o, news: make(chan struct{}, 1), groups: make(map[groupKey]*group)}
}

// Raise takes an alert.
func (d *Desk) Raise(a Alert) {
	settings := d.o.Settings()
	d.mu.Lock()
	if a.Over {
		d.end(&a)
	} else if settings.tells(a.Kind) {
		d.begin(&a, settings.Every)
	}
	d.mu.Unlock()
	d.wake()
}

func (d *Desk) wake() {
	select {
	case d.news <- struct{}{}:
	default:
	}
}

// begin notes an alert in its group.
func (d *Desk) begin(a *Alert, every time.Duration) {
	now, key := d.o.Now(), groupKey{a.Kind, a.Account}
	g := d.groups[key]
	if g == nil {
		if len(d.groups) >= maxGroups {
			d.prune(now, every)
		}
		if len(d.groups) >= maxGroups {
			d.omitted++
			return
		}
		g = &group{subjects: make(map[string]*subject)}
		d.groups[key] = g
	}
	s := g.subjects[a.Subject]
	if s == nil {
		if len(g.subjects) >= maxSubjects {
			d.omitted++
			return
		}
		s = &subject{began: now}
		g.subjects[a.Subject] = s
	}
	if s.count == 0 {
		s.first = now
	}
	s.count++
	s.text, s.textZH, s.latest, s.over = a.Text, a.TextZH, now, false
	if s.level = a.Level; s.level == "" {
		s.level = traitOf(a.Kind).level
	}
}

// end notes that a condition is over. One that nobody was told of is forgotten.
func (d *Desk) end(a *Alert) {
	g := d.groups[groupKey{a.Kind, a.Account}]
	if g == nil || g.subjects[a.Subject] == nil {
		return
	}
	s := g.subjects[a.Subject]
	switch {
	case !s.told:
		delete(g.subjects, a.Subject)
	case !s.over:
		s.over, s.ended, s.count = true, d.o.Now(), 0
	}
}

// prune forgets groups of which nothing is to be told or remembered any more.
func (d *Desk) prune(now time.Time, every time.Duration) {
	if d.telling {
		return
	}
	for key, g := range d.groups {
		for name, s := range g.subjects {
			if s.count == 0 && !s.over && !traitOf(key.kind).lasts {
				delete(g.subjects, name)
			}
		}
		if len(g.subjects) == 0 && now.Sub(g.told) >= every {
			delete(d.groups, key)
		}
	}
}

// Keep forgets what concerns accounts that are not there any more.
func (d *Desk) Keep(there func(account string) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key := range d.groups {
		if key.account != "" && !there(key.account) {
			delete(d.groups, key)
		}
	}
}

// Run tells what is to be told until ctx is done, then what is serious and was
// not told yet. It returns nil.
func (d *Desk) Run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			d.farewell()
			return nil
		case <-d.news:
		case <-timer.C:
		}
		settings := d.o.Settings()
		due, wait := d.due(&settings)
		if due != nil {
			d.tell(ctx, &settings, due)
			wait = 0
		}
		timer.Reset(wait)
	}
}

// farewell tells what is serious and new without waiting for more.
func (d *Desk) farewell() {
	settings := d.o.Settings()
	d.mu.Lock()
	now := d.o.Now()
	due := d.collect(now, func(_ groupKey, _ *group, s *subject) bool { return s.level == Serious && !s.told })
	d.mu.Unlock()
	if due == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	d.tell(ctx, &settings, due)
}
