package engine

import (
	"context"
	"time"
)

// Skill answers events. It never calls the engine: it is given a Turn and
// returns an Outcome, and may be run again for the same event, so it must not
// have effects of its own other than through idempotent calls.
// Handle may be called by many goroutines at once.
type Skill interface {
	Name() string
	Handle(ctx context.Context, t *Turn) (Outcome, error)
}

// Account is what skills may know of the account that received the event.
type Account struct {
	Name     string
	Channel  string
	Location *time.Location
	// TextLimit is the longest text in bytes; 0: unknown.
	TextLimit int
	Names     []string // what people call it in groups, without the @
	// StaffQuiet is how long the bot keeps quiet in a conversation in which
	// somebody typed an answer on the account by hand; 0: it does not.
	StaffQuiet time.Duration
	// MentionAll takes a mention of everybody for one of the account.
	MentionAll bool
	// Meets: what is known of its conversations is remembered, since its platform
	// tells new contacts and changed ones alike (Event.IfKnown).
	Meets bool
	// Hears is how long it is remembered that a person wrote, for the limit of
	// messages without an answer; 0: there is none, and nothing is.
	Hears time.Duration
}

// Turn is one event put before one skill.
type Turn struct {
	Event   *Event // shared, read only
	Account Account
	State   State    // this skill's own, a copy; zero when there is none
	Match   []string // the whole match and its groups; nil when the state chose the skill
	// Expired says that State had run out when the event was received.
	Expired bool
	// Taken lists the once-keys of this skill that were found taken when its
	// first outcome was committed. The skill is to answer kindly, without a grant.
	Taken []string
	// Chance returns a number in [0,1), for random delays.
	Chance func() float64
	// Progress shows an interim text where the channel can; never nil.
	Progress func(text string)
	// Recall returns what this skill remembered under a key (Outcome.Notes), ""
	// when that is nothing; Counted what it counted (Outcome.Counts). Never nil.
	Recall  func(key string) (string, error)
	Counted func(key string) (int, error)
	// Granted tells whether a once-key of this skill is taken already: to be asked
	// before anything is done that cannot be undone. The commit asks again. nil: it
	// cannot be told beforehand.
	Granted func(key string) (bool, error)
	// Broadcast makes and starts one broadcast of this event, however often it is
	// asked, and says in a few words what was made; nil: there is nothing that could.
	Broadcast func(ctx context.Context, o BroadcastOrder) (note string, err error)
}

// Outcome is all that handling an event is to change. It is committed whole or
// not at all.
type Outcome struct {
	// State replaces the conversation's state; nil leaves it as it is, a zero
	// State ends it.
	State *State
	// Commands in the order in which they are to leave. Account,
	// Conversation, TaskID, Created, Origin, Skill and Ticket are filled in
	// from the event where they are empty.
	Commands []Command
	// Once keys must all be free; a taken one refuses the outcome and runs the
	// skill again with Turn.Taken.
	Once []Once
	// Subscription changes the sender's; "" leaves it as it is, and so does any
	// for an event without a sender.
	Subscription Subscription
	// Notes and Counts are remembered for the skill and the event's account; keys
	// of different skills do not meet. They outlive states: what a skill knows of
	// somebody although the conversation is with another skill by now.
	Notes  []Note
	Counts []Count
	// Raise puts events into the log, as if they had come in: what concerns
	// another conversation is done at that conversation's turn. Account is the
	// event's own where it is empty.
	Raise []*Event
	// Pass lets the rules see the event too, as if this skill had not stopped it.
	Pass bool
	// Note says in a few words what the skill did, for log and trace.
	Note string
}

// Once is a key that can be taken one time until Keep has passed. Keys of
// different accounts and skills do not meet.
type Once struct {
	Key  string
	Keep time.Duration
}

// Count adds to a number that is kept until Expires (zero: for good) and begins
// at 0. It is added where the outcome is committed, so that none is lost between
// turns that run at the same time.
type Count struct {
	Key     string // of 1 to 256 bytes
	Add     int
	Expires time.Time
}

// Choice is a skill that is to answer an event, with what the router knows of it.
type Choice struct {
	Skill   Skill
	Match   []string
	Scope   Scope
	Timeout time.Duration // 0: the engine's default
	Stop    bool          // no later choice runs
	Aside   bool          // it does not talk to whoever it hears, and goes on where the bot keeps quiet
	// Waits says that the skill mostly waits for another system: its run takes
	// no worker, and Concurrency bounds how many of them there are at once.
	Waits       bool
	Concurrency int    // runs of the skill at once, over all conversations; 0: no limit
	Why         string // the rule that won, for people
}

// Scope says whose state a skill keeps.
type Scope uint8

// A state belongs to a sender unless the skill says otherwise, so that in a
// group one member's form is not answered by another.
const (
	ScopeSender Scope = iota
	ScopeConversation
)

// Router chooses the skills for an event, in the order in which they are to
// run. sender and shared are the states of the event's sender and of its whole
// conversation (zero when there is none): a live or expired state's skill
// comes first and alone. An expiry is about one of them: the sender's where the
// event has a sender. Routing the same event twice gives the same choices.
type Router interface {
	Route(e *Event, sender, shared State) []Choice
	// Rules is Route as if there were no state: what an event meets that a
	// stateful skill passed on.
	Rules(e *Event) []Choice
}

// Watcher is a Router with skills that take note of an event whoever answers it,
// or nobody: what they wait to hear calls off what they wanted to send.
type Watcher interface {
	// Watch returns the choices that run beside those of Route, before them. They
	// stop nobody, and run where the bot keeps quiet as well.
	Watch(e *Event) []Choice
}

// Holder is a Router that knows which skills give a whole conversation to people.
type Holder interface {
	// Holds tells that of the state that a conversation shares.
	Holds(shared State) bool
}

// Script is a dialogue that an operator wrote beside a skill: what is sent and
// what each reply must contain.
type Script struct {
	Skill   string
	Where   string // file:line:col of the script
	Account string // one on which the skill works; "" = any
	Group   bool   // the dialogue takes place in a group
	Send    []string
	Expect  []string
	// Answers are what other systems are taken to answer, in the order in which
	// skills ask; without one left a skill finds that it cannot reach them.
	Answers []Answer
}

// Answer is what another system is taken to answer in a Script.
type Answer struct {
	Status int // of HTTP; 0: 200
	Body   string
}

// SkillInfo is what people are shown of a skill.
type SkillInfo struct {
	Name        string `json:"name"`
	Kind        string `json:"kind"`
	On          string `json:"on"`
	Rule        string `json:"rule"`
	Where       string `json:"where"` // file:line
	Enabled     bool   `json:"enabled"`
	Concurrency int    `json:"concurrency,omitempty"` // 0: no limit of its own
}

// Verdict is what became of one skill when an event was put before all of them.
type Verdict struct {
	Skill string
	Where string // file:line
	Won   bool
	Why   string // the rule that won, or why it lost
	Near  bool   // it lost although its own keywords or patterns fit the text
}
