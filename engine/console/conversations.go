package console

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"bot/engine"
	"bot/engine/api"
	"bot/engine/risk"
	"bot/engine/talk"
)

// Talk is one conversation and how it stands.
type Talk struct {
	Lines   []talk.Line
	States  []State
	Handed  bool // given to people by a skill
	Quiet   bool // somebody answers by hand
	Blocked bool // by hand
	Listed  bool // as blocked in the configuration
}

// State is where somebody stands with a skill.
type State struct {
	Sender      string // "" is all of the conversation
	Skill, Node string
	Data        []Field
	Expires     time.Time
}

// Field is something that a skill keeps, masked.
type Field struct{ Name, Value string }

// conversationsPage is the conversations that were lately active.
type conversationsPage struct {
	Accounts        []string
	Account, Search string
	Rows            []talk.Row
	Next            string // where the next page is; "" for none
	Query           string
}

func (c *console) conversations(r *http.Request) (any, error) {
	q := r.URL.Query()
	p := conversationsPage{Accounts: c.o.Accounts(), Account: q.Get("account"), Search: q.Get("q")}
	skip, _ := strconv.Atoi(q.Get("after"))
	skip = max(skip, 0)
	rows, more := c.o.Talks.Find(p.Account, p.Search, skip, rows)
	p.Rows = rows
	query := url.Values{"account": {p.Account}, "q": {p.Search}, "after": {strconv.Itoa(skip)}}
	p.Query = query.Encode()
	if more {
		query.Set("after", strconv.Itoa(skip+len(rows)))
		p.Next = "/conversations?" + query.Encode()
	}
	return p, nil
}

// ConversationPath is where one conversation is shown; its id may hold any character.
func ConversationPath(account, conversation string) string {
	return "/conversation?" + url.Values{"account": {account}, "conversation": {conversation}}.Encode()
}

// conversationPage is one conversation.
type conversationPage struct {
	engine.ConversationKey
	Talk
	Muted []risk.Muted
	Query string
	Times []string // for which it can be muted
}

var muteTimes = []string{"10m", "1h", "1d", "7d"}

func (c *console) conversation(r *http.Request) (any, error) {
	q := r.URL.Query()
	p := conversationPage{ConversationKey: engine.ConversationKey{Account: q.Get("account"), Conversation: q.Get("conversation")}, Times: muteTimes}
	if err := c.knows(p.ConversationKey); err != nil {
		return nil, err
	}
	var err error
	if p.Talk, err = c.read(r.Context(), p.ConversationKey); err != nil {
		return nil, err
	}
	for _, m := range c.o.Desk.Mutes.Status(p.Account, maxMuted).Muted {
		if m.User == p.Conversation || m.User == "" {
			p.Muted = append(p.Muted, m)
		}
	}
	p.Query = url.Values{"account": {p.Account}, "conversation": {p.Conversation}}.Encode()
	return p, nil
}

// maxMuted is how many of those muted are looked through.
const maxMuted = 100_000

// knows refuses what is no conversation of an account that there is.
func (c *console) knows(k engine.ConversationKey) error {
	if _, known, _ := c.o.Desk.Needs(k.Account, engine.SendText); !known || k.Conversation == "" {
		return problem{"said.noconversation", []any{k.Account, k.Conversation}}
	}
	return nil
}

// A conversation that is looked at is brought in every two seconds, and read from the
// files only where something happened or it was read long ago.
const (
	freshFor  = 30 * time.Second
	keptTalks = 32
)

// talks are conversations that were read lately.
type talks struct {
	mu sync.Mutex
	by map[engine.ConversationKey]readTalk
}

type readTalk struct {
	talk   Talk
	active time.Time // of the conversation, when it was read
	read   time.Time
}

// read is a conversation as it is now.
func (c *console) read(ctx context.Context, k engine.ConversationKey) (Talk, error) {
	now, active := c.o.Now(), c.o.Talks.Active(k)
	c.talks.mu.Lock()
	last, ok := c.talks.by[k]
	c.talks.mu.Unlock()
	// What was added in the last moment before it was read may not have been seen.
	settled := last.read.Sub(active) > time.Second
	if ok && settled && last.active.Equal(active) && now.Sub(last.read) < freshFor {
		return last.talk, nil
	}
	t, err := c.o.Talk(ctx, k.Account, k.Conversation)
	if err != nil {
		return Talk{}, err
	}
	c.talks.mu.Lock()
	defer c.talks.mu.Unlock()
	if c.talks.by == nil || len(c.talks.by) >= keptTalks {
		c.talks.by = make(map[engine.ConversationKey]readTalk)
	}
	c.talks.by[k] = readTalk{t, active, now}
	return t, nil
}

func (c *console) readAnew(k engine.ConversationKey) {
	c.talks.mu.Lock()
	defer c.talks.mu.Unlock()
	delete(c.talks.by, k)
}

// toConversation is an act upon the conversation that a form names.
func (c *console) toConversation(done string, do func(r *http.Request, k engine.ConversationKey) error) http.HandlerFunc {
	return c.act(func(r *http.Request) ([]any, error) {
		k := engine.ConversationKey{Account: r.PostFormValue("account"), Conversation: r.PostFormValue("conversation")}
		if err := c.knows(k); err != nil {
			return nil, err
		}
		if err := do(r, k); err != nil {
			return nil, err
		}
		c.readAnew(k)
		c.o.Log.Info("conversation changed", "account", k.Account, "conversation", k.Conversation, "done", r.URL.Path, "by", "console")
		return []any{done, k.Conversation}, nil
	})
}

func (c *console) muteTalk(r *http.Request, k engine.ConversationKey) error {
	lasts, err := api.ReadMute(r.PostFormValue("for"))
	if err != nil {
		return problem{"said.notime", []any{r.PostFormValue("for")}}
	}
	return c.o.Desk.Mutes.Mute(r.Context(), k.Account, k.Conversation, lasts.Std())
}

func (c *console) unmuteTalk(r *http.Request, k engine.ConversationKey) error {
	return c.o.Desk.Mutes.Unmute(r.Context(), k.Account, k.Conversation)
}

func (c *console) standing(change engine.Change) func(r *http.Request, k engine.ConversationKey) error {
	return func(r *http.Request, k engine.ConversationKey) error {
		return c.o.Desk.Contacts.SetStanding(r.Context(), k.Account, k.Conversation, change)
	}
}

func (c *console) release(r *http.Request, k engine.ConversationKey) error {
	err := c.o.Desk.Release(r.Context(), k.Account, k.Conversation)
	if errors.Is(err, api.ErrNotHeld) {
		return problem{"said.notheld", []any{k.Conversation}}
	}
	return err
}
