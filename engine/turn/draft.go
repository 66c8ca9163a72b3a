package turn

import (
	"context"
	"slices"
	"time"

	"bot/engine"
	"bot/store"
)

// draft collects what the skills want of one event until it is committed.
type draft struct {
	*play
	board    *board
	created  time.Time // of everything the turn creates
	commands []engine.Command
	once     []store.Once
	// subscription is what the sender wants; "" where nobody said anything.
	subscription engine.Subscription
	remembered   []engine.Note
	counts       []engine.Count
	raised       []*engine.Event
	whys         []string
	notes        []string
	report       Report
}

// run asks the router and lets its choices answer one after the other.
func (d *draft) run(ctx context.Context) error {
	d.hush()
	if err := d.watch(ctx); err != nil {
		return err
	}
	quiet, err := d.quiet()
	if err != nil {
		return err
	}
	ask, rules := d.route, d.rules
	if quiet { // whatever state somebody is in stays as it is, or ends without a word
		rules = func() []engine.Choice { return aside(d.rules()) }
		ask = rules
	}
	choices, err := guarded(ask)
	if err != nil {
		return err
	}
	var p plan
	if !quiet && d.byState(choices) {
		p.choices = choices
	} else {
		p.add(choices)
	}
	for i := 0; i < len(p.choices); i++ {
		c := p.choices[i]
		out, err := d.handle(ctx, c)
		if err != nil {
			return err
		}
		if out.Pass {
			if choices, err = guarded(rules); err != nil {
				return err
			}
			p.add(choices)
			continue
		}
		if c.Stop {
			break
		}
	}
	d.endOverdue()
	return nil
}

// byState reports whether a skill was chosen by its own state. When it passes,
// its rule may choose it as well: a form whose time ran out says so, and begins anew if the
// answer happens to be its keyword.
func (d *draft) byState(choices []engine.Choice) bool {
	if len(choices) == 0 || choices[0].Match != nil {
		return false
	}
	return d.board.of(choices[0].Skill.Name(), choices[0].Scope).Exists()
}

// plan is the choices that are to run. No rule's skill is in it twice, however
// often the rules are added.
type plan struct {
	choices []engine.Choice
	ruled   []string // skills that rules chose
}

func (p *plan) add(choices []engine.Choice) {
	for _, c := range choices {
		if name := c.Skill.Name(); !slices.Contains(p.ruled, name) {
			p.ruled = append(p.ruled, name)
			p.choices = append(p.choices, c)
		}
	}
}

// route shows the router the states. An expiry with a sender is about theirs.
func (d *draft) route() []engine.Choice {
	return d.Setup.Router.Route(d.event, d.board.sender.state, d.board.shared.state)
}

func (d *draft) rules() []engine.Choice { return d.Setup.Router.Rules(d.event) }

// watch runs what takes note of the event, whoever answers it. What found nothing
// to note did not run, as far as people are concerned.
func (d *draft) watch(ctx context.Context) error {
	w, ok := d.Setup.Router.(engine.Watcher)
	if !ok {
		return nil
	}
	choices, err := guarded(func() []engine.Choice { return w.Watch(d.event) })
	if err != nil {
		return err
	}
	for _, c := range choices {
		out, err := d.ask(ctx, c)
		if err != nil {
			return err
		}
		if len(out.Notes) > 0 {
			d.take(c, out)
		}
	}
	return nil
}

// handle runs one choice and takes over its outcome.
func (d *draft) handle(ctx context.Context, c engine.Choice) (engine.Outcome, error) {
	out, err := d.ask(ctx, c)
	if err == nil {
		d.take(c, out)
	}
	return out, err
}

// ask runs one choice.
func (d *draft) ask(ctx context.Context, c engine.Choice) (engine.Outcome, error) {
	name, limit := c.Skill.Name(), c.Timeout
	if limit == 0 {
		limit = d.Timeout
	}
	st := d.board.of(name, c.Scope)
	leave, ok := d.enter(c)
	if !ok {
		return engine.Outcome{}, &BusyError{Skill: name, Most: c.Concurrency}
	}
	defer leave()
	turn := &engine.Turn{
		Event:    d.event,
		Account:  d.account,
		State:    st,
		Match:    c.Match,
		Expired:  st.Expired(d.event.Received) || st.Exists() && d.event.Kind == engine.Expired,
		Taken:    slices.Clone(d.taken[name]),
		Chance:   d.Chance,
		Progress: d.progress,
		Recall:   func(key string) (string, error) { return d.Memory.Recall(d.event.Account, SkillKey(name, key)) },
		Counted:  func(key string) (int, error) { return d.counted(SkillKey(name, key)) },
		Granted:  func(key string) (bool, error) { return d.Memory.Granted(d.event.Account, name, key) },
	}
	if d.Setup.Broadcast != nil {
		turn.Broadcast = func(ctx context.Context, o engine.BroadcastOrder) (string, error) {
			return d.Setup.Broadcast(ctx, d.event, o)
		}
	}
	return d.call(ctx, limit, c.Skill, turn)
}

// take takes over what a choice came to.
func (d *draft) take(c engine.Choice, out engine.Outcome) {
	name := c.Skill.Name()
	d.report.Skills = append(d.report.Skills, name)
	if c.Why != "" {
		d.whys = append(d.whys, c.Why)
	}
	d.merge(name, c.Scope, out)
}

// progress shows a text where the event's answer will stand.
func (d *draft) progress(text string) {
	if d.Show != nil {
		d.Show(d.event, text)
	}
}

// merge adds a skill's outcome to those of the skills before it; where two
// write one state, or change the subscription, the later one stays.
func (d *draft) merge(skill string, scope engine.Scope, out engine.Outcome) {
	if out.State != nil {
		d.board.slot(scope).set(skill, *out.State)
	}
	for _, c := range out.Commands {
		d.fill(&c, skill)
		if d.mute(&c) {
			d.notes = append(d.notes, "not sent: "+d.event.Mute)
			continue
		}
		d.commands = append(d.commands, c)
	}
	for _, o := range out.Once {
		d.once = append(d.once, store.Once{
			Account: d.event.Account, Skill: skill, Key: o.Key, Until: d.created.Add(o.Keep),
		})
	}
	for _, n := range out.Notes {
		n.Key = SkillKey(skill, n.Key)
		d.remembered = append(d.remembered, n)
	}
	for _, n := range out.Counts {
		n.Key = SkillKey(skill, n.Key)
		d.counts = append(d.counts, n)
	}
	for _, e := range out.Raise {
		d.raised = append(d.raised, d.raise(e))
	}
	// An event without a sender is nobody's wish.
	if out.Subscription != "" && d.event.Sender != "" {
		d.subscription = out.Subscription
	}
	if out.Note != "" {
		d.notes = append(d.notes, out.Note)
	}
}

// mute tells whether the command would say something where the platform takes
// nothing.
func (d *draft) mute(c *engine.Command) bool {
	return d.event.Mute != "" && c.Action.Place() == "to" && c.ConversationKey() == d.event.ConversationKey()
}

// fill completes a command from the event it answers. The ticket permits a
// reply in the event's own conversation and no message to anybody else.
func (d *draft) fill(c *engine.Command, skill string) {
	e := d.event
	set := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	set(&c.Account, e.Account)
	set(&c.Conversation, e.Conversation)
	set(&c.TaskID, engine.TaskIDOf(d.ref, len(d.commands)))
	set(&c.TraceID, e.ID)
	set(&c.Origin, d.ref)
	set(&c.Skill, skill)
	if c.Unless != "" {
		c.Unless = SkillKey(skill, c.Unless)
	}
	if c.Created.IsZero() {
		c.Created = d.created
	}
	if c.Ticket == (engine.Ticket{}) && c.ConversationKey() == e.ConversationKey() {
		c.Ticket = e.Ticket
	}
}

// endOverdue ends the state whose time limit an Expired event reports, unless
// a skill wrote a new one. Nobody would ask for it a second time, also when its
// skill is gone from the configuration.
func (d *draft) endOverdue() {
	if s := d.board.slot(engine.ScopeSender); d.event.Kind == engine.Expired && !s.written {
		s.set("", engine.State{})
	}
}
