package skilltest

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"testing"
	"time"

	"bot/engine"
)

// Start is when every Chat begins: a Monday morning in Shanghai.
var Start = time.Date(2026, 3, 2, 1, 0, 0, 0, time.UTC)

// Chat is a conversation with a router's skills, with states and once-keys
// kept in maps. Fields may be changed between two events.
type Chat struct {
	Router  engine.Router
	Account engine.Account
	User    string
	Group   string // "" = private chats
	Now     time.Time
	States  map[engine.StateKey]engine.State
	// Notes and Counts are what skills remembered, by skill and key.
	Notes  map[[2]string]engine.Note
	Counts map[[2]string]int
	// Why are the reasons of the choices made, the latest last.
	Why []string

	tb     testing.TB
	taken  map[string]time.Time // until when
	raised []*engine.Event
	serial int
}

// NewChat begins a conversation of the user "u1" on the account "shop".
func NewChat(tb testing.TB, r engine.Router) *Chat {
	return &Chat{
		Router:  r,
		Account: engine.Account{Name: "shop", Channel: "generic", Location: time.FixedZone("CST", 8*3600)},
		User:    "u1", Now: Start,
		States: make(map[engine.StateKey]engine.State),
		Notes:  make(map[[2]string]engine.Note), Counts: make(map[[2]string]int),
		tb: tb, taken: make(map[string]time.Time),
	}
}

// Event makes an event of the present user, to be changed as needed and given
// to Do.
func (c *Chat) Event(k engine.Kind) *engine.Event {
	c.serial++
	e := &engine.Event{
		Account: c.Account.Name, Kind: k, ID: strconv.Itoa(c.serial),
		Conversation: c.User, Sender: c.User, SenderName: "name of " + c.User,
		Time: c.Now, Received: c.Now,
	}
	if c.Group != "" && !k.OfFriend() {
		e.Conversation, e.Group = c.Group, true
	}
	if k.InGroup() {
		e.Members, e.MemberNames = []string{c.User}, []string{e.SenderName}
	}
	switch k {
	case engine.FriendRequest, engine.GroupInvitation, engine.JoinRequest:
		e.Params = map[string]string{"scene": "ticket-" + e.ID}
	}
	return e
}

// Message makes a text message, in groups one that mentions the bot.
func (c *Chat) Message(text string) *engine.Event {
	e := c.Event(engine.Message)
	e.Type, e.Text = "text", text
	if e.Group {
		e.Mention = engine.MentionMe
	}
	return e
}

// Say sends a text and returns what the bot says to it.
func (c *Chat) Say(text string) []string { return Texts(c.Do(c.Message(text))) }

// Do puts an event before the skills, then those that they raise, and returns
// their commands.
func (c *Chat) Do(e *engine.Event) []engine.Command {
	c.tb.Helper()
	out := c.do(e)
	for len(c.raised) > 0 {
		next := *c.raised[0]
		c.raised = c.raised[1:]
		next.Time, next.Received = c.Now, c.Now
		for _, command := range c.do(&next) {
			if command.Conversation == "" && next.Conversation != e.Conversation {
				command.Conversation = next.Conversation
			}
			out = append(out, command)
		}
	}
	return out
}

// do is Do as the engine does it: the state's skill first, the rules after one
// that passes.
func (c *Chat) do(e *engine.Event) []engine.Command {
	c.tb.Helper()
	sender, shared := c.keys(e)
	var out []engine.Command
	choices := c.Router.Route(e, c.States[sender].Clone(), c.States[shared].Clone())
	for passed := false; len(choices) > 0; {
		o := c.turn(e, choices[0], sender, shared)
		out = append(out, o.Commands...)
		switch {
		case o.Pass && !passed:
			passed, choices = true, c.Router.Rules(e)
		case choices[0].Stop:
			return out
		default:
			choices = choices[1:]
		}
	}
	return out
}

func (c *Chat) keys(e *engine.Event) (sender, shared engine.StateKey) {
	shared = engine.StateKey{Account: e.Account, Conversation: e.Conversation}
	sender = shared
	sender.Sender = e.Sender
	return sender, shared
}

// turn runs one skill, again if its once-key is taken, and applies the outcome.
func (c *Chat) turn(e *engine.Event, choice engine.Choice, sender, shared engine.StateKey) engine.Outcome {
	c.tb.Helper()
	key := sender
	if choice.Scope == engine.ScopeConversation {
		key = shared
	}
	c.Why = append(c.Why, choice.Why)
	name := choice.Skill.Name()
	t := &engine.Turn{
		Event: e, Account: c.Account, Match: choice.Match,
		Chance: func() float64 { return 0.5 }, Progress: func(string) {},
		Recall: func(key string) (string, error) {
			n := c.Notes[[2]string{name, key}]
			if !n.Expires.IsZero() && !n.Expires.After(c.Now) {
				return "", nil
			}
			return n.Value, nil
		},
		Granted: func(key string) (bool, error) { return c.taken[name+"\x00"+key].After(c.Now), nil },
		Counted: func(key string) (int, error) { return c.Counts[[2]string{name, key}], nil },
	}
	if s := c.States[key]; s.Skill == choice.Skill.Name() {
		t.State, t.Expired = s.Clone(), s.Expired(e.Received)
	}
	out := c.handle(choice.Skill, t)
	if out.State != nil {
		c.keep(key, *out.State)
	}
	for _, n := range out.Notes {
		c.Notes[[2]string{name, n.Key}] = n
	}
	for _, n := range out.Counts {
		c.Counts[[2]string{name, n.Key}] += n.Add
	}
	c.raised = append(c.raised, out.Raise...)
	return out
}

// handle runs a skill until none of the once-keys it asks for is taken, and
// takes them.
func (c *Chat) handle(s engine.Skill, t *engine.Turn) engine.Outcome {
	c.tb.Helper()
	for {
		out, err := s.Handle(context.Background(), t)
		if err != nil {
			c.tb.Fatalf("skill %s: %v", s.Name(), err)
		}
		told := len(t.Taken)
		for _, o := range out.Once {
			if slices.Contains(t.Taken, o.Key) {
				c.tb.Fatalf("skill %s asks again for the key %q, which is taken", s.Name(), o.Key)
			}
			if c.taken[s.Name()+"\x00"+o.Key].After(c.Now) {
				t.Taken = append(t.Taken, o.Key)
			}
		}
		if len(t.Taken) > told {
			continue
		}
		for _, o := range out.Once {
			c.taken[s.Name()+"\x00"+o.Key] = c.Now.Add(o.Keep)
		}
		return out
	}
}

// keep stores a state the way a store does, through JSON.
func (c *Chat) keep(key engine.StateKey, s engine.State) {
	if !s.Exists() {
		delete(c.States, key)
		return
	}
	b, err := json.Marshal(s)
	if err != nil {
		c.tb.Fatal(err)
	}
	var stored engine.State
	if err := json.Unmarshal(b, &stored); err != nil {
		c.tb.Fatal(err)
	}
	c.States[key] = stored
}

// Wait lets time pass and returns what the bot says meanwhile: states that run
// out and asked to be told raise their event, the others go silently.
func (c *Chat) Wait(d time.Duration) []string {
	c.tb.Helper()
	until := c.Now.Add(d)
	var said []string
	for _, key := range c.expired(until) {
		s := c.States[key]
		if c.Now = s.Expires.Add(time.Millisecond); !s.Notify {
			delete(c.States, key)
			continue
		}
		e := c.Event(engine.Expired)
		e.Conversation, e.Sender = key.Conversation, key.Sender
		said = append(said, Texts(c.Do(e))...)
	}
	c.Now = until
	return said
}

// Skip lets time pass while the engine is down: nothing expires by itself.
func (c *Chat) Skip(d time.Duration) { c.Now = c.Now.Add(d) }

func (c *Chat) expired(at time.Time) []engine.StateKey {
	var keys []engine.StateKey
	for k, s := range c.States {
		if s.Expired(at) {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b engine.StateKey) int { return c.States[a].Expires.Compare(c.States[b].Expires) })
	return keys
}
