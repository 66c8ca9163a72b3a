// Package handoff is the kind of skill that gives a conversation to people: staff
// are told, and the bot is silent there until they, the operator or time give it
// back.
//
// While it lasts the conversation's shared state is the skill's, which hears every
// message and says nothing. Staff release it by a word in the conversation itself,
// or from their own, naming the conversation; the latter, like the operator, by an
// event that is put into the conversation's own queue.
package handoff

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"bot/engine"
	"bot/skills/carry"
	"bot/skills/kind"
	"bot/skills/match"
	"bot/skills/render"
	"bot/skills/webcall"
)

// skill hands over. It keeps nothing between turns.
type skill struct {
	kind.Base
	until                                     time.Duration
	account, staff                            string // whom to tell; staff "": nobody
	release                                   match.Rule
	folding                                   match.Folding
	relays                                    bool
	ticket                                    *webcall.Service // nil: none is opened
	reply, notice, released, expired, changed *render.Template
	accounts                                  []string
	limit                                     int
	can                                       func(account string, a engine.Action) bool
}

// What a state holds, for templates as well.
const (
	asker    = "user"     // who asked for a person
	name     = "name"     // theirs
	messages = "messages" // how many came while people were there
)

var saved = []string{asker, name, messages}

// Handle implements engine.Skill.
func (s *skill) Handle(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
	v := &visit{skill: s, turn: t, event: t.Event, data: render.Of(t)}
	if t.State.Exists() {
		return v.during()
	}
	if words, ok := s.Hears(t.Event); ok {
		return v.giveBack(words)
	}
	if s.atStaff(t.Event) {
		return engine.Outcome{Note: "not handed over: this is where staff are", Pass: true}, nil
	}
	return v.begin(ctx)
}

// WaitsIn implements kind.Waiter: a ticket is opened when the conversation is taken.
func (s *skill) WaitsIn(st engine.State) bool { return s.ticket != nil && !st.Exists() }

// visit is one turn of a hand-off.
type visit struct {
	*skill
	turn  *engine.Turn
	event *engine.Event
	data  *render.Data
}

// begin tells the customer and staff, and takes the conversation. A ticket that
// could not be opened keeps nobody from a person: the note says so.
func (v *visit) begin(ctx context.Context) (engine.Outcome, error) {
	due := v.Due(v.turn)
	out, granted, err := v.Guard(v.turn, due, v.data)
	if err != nil || !granted {
		return out, err
	}
	opened, err := v.open(ctx, webcall.KeyOf(v.turn, &v.Base, out))
	if err != nil {
		return engine.Outcome{}, err
	}
	said, err := v.Say(due, v.reply, v.data)
	if err != nil {
		return engine.Outcome{}, err
	}
	told, err := v.tell()
	if err != nil {
		return engine.Outcome{}, err
	}
	e := v.event
	out.State = &engine.State{
		Skill: v.Name(), Node: "staff", Notify: true, Expires: e.Received.Add(v.until),
		Data: map[string]string{asker: e.Sender, name: cmp.Or(e.SenderName, e.Sender), messages: "0"},
	}
	out.Commands, out.Note = append(said, told...), "handed over"+opened
	return out, nil
}

// open opens a ticket where one is wanted, and says in words for the log what came
// of it.
func (v *visit) open(ctx context.Context, key string) (note string, err error) {
	if v.ticket == nil {
		return "", nil
	}
	r, err := v.ticket.Call(ctx, v.data, key)
	switch {
	case err != nil:
		return "", err
	case r.Why != "":
		return ", no ticket: " + r.Why, nil
	case !r.OK():
		return ", no ticket: status " + r.StatusText(), nil
	}
	v.data.Response = r.Response
	return ", ticket opened", nil
}

// howToGiveBack stands above the line that staff send.
const howToGiveBack = "回复下面这行交还机器人 / to give it back to the bot, send:"

// tell lets staff know, with the words that give the conversation back.
func (v *visit) tell() ([]engine.Command, error) {
	if v.staff == "" || v.notice == nil {
		return nil, nil
	}
	text, err := v.notice.Execute(v.data)
	if err != nil {
		return nil, err
	}
	if len(v.release.Keywords) > 0 {
		text += "\n\n" + howToGiveBack + "\n" + v.release.Keywords[0].Typed + " " + v.named(v.event)
	}
	return v.toStaff(kind.Texts(text, v.limit)), nil
}

// named is how staff name the event's conversation.
func (v *visit) named(e *engine.Event) string {
	if v.account != "" && v.account != e.Account {
		return e.Account + "/" + e.Conversation
	}
	return e.Conversation
}

// toStaff addresses commands to the staff's conversation.
func (v *visit) toStaff(commands []engine.Command) []engine.Command {
	for i := range commands {
		commands[i].Account, commands[i].Conversation, commands[i].Lane = v.account, v.staff, engine.LanePush
	}
	return commands
}

// during is a turn while people have the conversation.
func (v *visit) during() (engine.Outcome, error) {
	e := v.event
	switch {
	case e.Kind == engine.Released:
		return v.end(v.released, "given back", false)
	case e.Kind == engine.Expired:
		return v.end(v.expired, "nobody said anything for "+v.until.String(), false)
	case v.turn.Expired: // what came after the time is the bot's again
		return v.end(nil, "its time was over", true)
	case e.Spoken() && v.release.Hits(v.folding.Read(e.Text)):
		text := v.released
		if e.Self { // staff, by hand: they say themselves what is to be said
			text = nil
		}
		return v.end(text, "given back", false)
	}
	st := v.turn.State.Clone()
	if st.Data == nil {
		st.Data = make(map[string]string)
	}
	st.Expires = e.Received.Add(v.until)
	out := engine.Outcome{State: &st, Note: "people have the conversation"}
	if e.Self {
		return out, nil
	}
	n, _ := strconv.Atoi(st.Data[messages]) // it is our own
	st.Data[messages] = strconv.Itoa(n + 1)
	if v.relays && (!e.Group || e.Sender == st.Data[asker]) {
		out.Commands = v.toStaff(carry.Read(e).Commands(cmp.Or(e.SenderName, e.Sender)+"：", v.limit, func(a engine.Action) bool {
			return v.can(cmp.Or(v.account, e.Account), a)
		}))
	}
	return out, nil
}

// end gives the conversation back to the bot; pass lets the rules answer.
func (v *visit) end(text *render.Template, note string, pass bool) (engine.Outcome, error) {
	said, err := v.Say(v.Due(v.turn), text, v.data)
	return engine.Outcome{State: new(engine.State), Commands: said, Note: note, Pass: pass}, err
}
