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

// idle is how long to wait where nothing is to be told; whatever is raised ends it.
const idle = time.Hour

// due takes what is to be told now, or says how long to wait before asking again.
func (d *Desk) due(s *Settings) (*draft, time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.o.Now()
	d.prune(now, s.Every)
	if now.Before(d.again) {
		return nil, d.again.Sub(now)
	}
	open := d.open(s, now)
	wait := idle
	var first bool // something is to be told now
	for _, g := range d.groups {
		for _, sub := range g.subjects {
			at, pending := g.at(sub, s.Every)
			if !pending {
				continue
			}
			if at, pending = d.place(s, now, at, sub.level, open); !pending {
				wait = min(wait, closedLook)
				continue
			}
			if !at.After(now) {
				first = true
			} else {
				wait = min(wait, at.Sub(now))
			}
		}
	}
	if !first {
		return nil, wait
	}
	// With the one that may be told goes everything else that might be: it is one
	// message in any case.
	return d.collect(now, func(_ groupKey, g *group, sub *subject) bool {
		at, pending := g.at(sub, s.Every)
		return pending && !at.After(now) && (open || sub.level == Serious)
	}), 0
}

// closedLook is how often it is asked whether the hours have begun.
const closedLook = time.Minute

// open tells whether what is not serious may be told.
func (d *Desk) open(s *Settings, now time.Time) bool {
	if len(s.Hours) == 0 {
		return true
	}
	if s.Location != nil {
		now = now.In(s.Location)
	}
	return s.Hours.Open(now)
}

// at is when something may be told as far as its group is concerned.
func (g *group) at(s *subject, every time.Duration) (at time.Time, pending bool) {
	switch {
	case s.over:
		return s.ended.Add(gather), true
	case s.count == 0:
		return time.Time{}, false
	}
	at = s.first.Add(gather)
	if next := g.told.Add(every); !g.told.IsZero() && next.After(at) {
		at = next
	}
	return at, true
}

// place is when there is a place for it among the messages of an hour; ok is
// false where it waits for the hours.
func (d *Desk) place(s *Settings, now, at time.Time, level Level, open bool) (time.Time, bool) {
	if level != Serious && !open {
		return at, false
	}
	if s.AtMost <= 0 {
		return at, true
	}
	limit := s.AtMost
	if level != Serious && limit > 1 {
		limit -= max(1, limit/4)
	}
	var within []time.Time
	for _, t := range d.told {
		if now.Sub(t) < s.Per {
			within = append(within, t)
		}
	}
	if n := len(within); n >= limit {
		if free := within[n-limit].Add(s.Per); free.After(at) {
			at = free
		}
	}
	return at, true
}

// draft is a message on its way, and how to take it back.
type draft struct {
	Message
	undo []func()
}

// collect takes what is to be told out of the groups.
func (d *Desk) collect(now time.Time, wanted func(groupKey, *group, *subject) bool) *draft {
	m := &draft{Message: Message{Time: now, Omitted: d.omitted}}
	for key, g := range d.groups {
		told, anew := g.told, false // once one thing is told the others of the group would wait
		for name, s := range g.subjects {
			if !wanted(key, g, s) {
				continue
			}
			m.Lines = append(m.Lines, line(key, name, s))
			undo := d.take(key, name, g, s)
			m.undo = append(m.undo, func() { g.told = told; undo() })
			anew = anew || !s.over
		}
		if anew {
			g.told = now
		}
	}
	if m.Lines == nil {
		return nil
	}
	omitted := d.omitted
	m.undo = append(m.undo, func() { d.omitted += omitted })
	d.omitted = 0
	slices.SortFunc(m.Lines, byWeight)
	if more := len(m.Lines) - maxLines; more > 0 {
		m.Lines, m.Omitted = m.Lines[:maxLines], m.Omitted+more
	}
	d.telling = true
	return m
}

func line(key groupKey, name string, s *subject) Line {
	l := Line{
		Kind: key.kind, Account: key.account, Subject: name, Level: s.level, State: Firing,
		Text: s.text, TextZH: s.textZH, Count: s.count, Since: s.first, Latest: s.latest,
	}
	if s.over {
		l.State, l.Count, l.Since, l.Latest = Recovered, 0, s.began, s.ended
	}
	return l
}

// take notes that a thing is told, and returns how to note that it was not.
func (d *Desk) take(key groupKey, name string, g *group, s *subject) (undo func()) {
	before := *s
	s.count = 0
	if s.over {
		delete(g.subjects, name)
		return func() {
			if d.groups[key] == g && g.subjects[name] == nil {
				g.subjects[name] = &before
			}
		}
	}
	s.told = true
	return func() {
		if !before.told && s.over { // it came and went while nobody could be told
			delete(g.subjects, name)
			return
		}
		s.told = before.told
		if !s.over {
			s.count, s.first = s.count+before.count, before.first
		}
	}
}
