package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"time"

	"bot/engine"
	"bot/engine/broadcast"
	"bot/engine/contacts"
)

// NewBroadcast is what is posted to make one. To or Audience says whom it reaches,
// or the second part of the request does.
type NewBroadcast struct {
	Name     string         `json:"name,omitempty"`
	Account  string         `json:"account"`
	Action   string         `json:"action,omitempty"` // default send_text
	Text     string         `json:"text,omitempty"`
	Params   map[string]any `json:"params,omitempty"`
	Rate     string         `json:"rate,omitempty"` // "100/s"; default: the account's, or 10/s
	To       []string       `json:"to,omitempty"`
	Audience string         `json:"audience,omitempty"`
	// Of contacts, those that have all of Labels and none of Without, wrote lately
	// enough ("30d"), and are where it says (private, group).
	Labels       []string `json:"labels,omitempty"`
	Without      []string `json:"without,omitempty"`
	ActiveWithin string   `json:"active_within,omitempty"`
	Where        string   `json:"where,omitempty"`
	Start        bool     `json:"start,omitempty"`
	By           string   `json:"by,omitempty"`
}

// maxDefinition bounds the part of a request that says what a broadcast is.
const maxDefinition = 256 << 10

// readBroadcast reads the definition. lines are the recipients that follow it, nil
// for none.
func readBroadcast(w http.ResponseWriter, r *http.Request) (n NewBroadcast, lines io.Reader, err error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		return n, nil, decodeBroadcast(http.MaxBytesReader(w, r.Body, maxBody), &n)
	}
	r.Body = &patient{r.Body, http.NewResponseController(w)}
	parts, err := r.MultipartReader()
	if err != nil {
		return n, nil, err
	}
	part, err := parts.NextPart()
	if err != nil || part.FormName() != "broadcast" {
		return n, nil, errors.New(`the first part is named "broadcast" and holds JSON`)
	}
	if err := decodeBroadcast(http.MaxBytesReader(w, part, maxDefinition), &n); err != nil {
		return n, nil, err
	}
	part, err = parts.NextPart()
	if err != nil || part.FormName() != "to" {
		return n, nil, errors.New(`the second part is named "to" and holds the recipients, an id a line`)
	}
	return n, part, nil
}

func decodeBroadcast(body io.Reader, n *NewBroadcast) error {
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // ids in params never go through float64
	d.DisallowUnknownFields()
	if err := d.Decode(n); err != nil {
		return fmt.Errorf("not a broadcast: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more after the end of the JSON value")
	}
	return nil
}

// patience is how long a request with many recipients may pause.
const patience = 30 * time.Second

// patient lets a long body take its time, as long as it goes on coming.
type patient struct {
	io.ReadCloser
	rc *http.ResponseController
}

func (p *patient) Read(b []byte) (int, error) {
	p.rc.SetReadDeadline(time.Now().Add(patience)) // not supported: the server's own limit holds
	return p.ReadCloser.Read(b)
}

// BroadcastOf makes a request of what somebody wrote, checked as POST
// /api/v1/broadcasts checks it. lines are the recipients, an id a line; nil where n
// says whom it reaches.
func BroadcastOf(o Options, n NewBroadcast, lines io.Reader) (broadcast.Request, broadcast.Problems) {
	return (&api{o: o}).broadcastOf(n, lines)
}

// broadcastOf checks what was posted, with the checks of the task API.
func (a *api) broadcastOf(n NewBroadcast, lines io.Reader) (broadcast.Request, broadcast.Problems) {
	action := engine.SendText
	if given, known := engine.ParseAction(n.Action); known { // else it has been said
		action = given
	}
	r := broadcast.Request{Name: n.Name, Account: n.Account, Action: action, Text: n.Text, Params: n.Params, Start: n.Start, By: n.By}
	wrong := a.commandOfBroadcast(&n)
	if n.Rate != "" {
		if err := r.Rate.UnmarshalText([]byte(n.Rate)); err != nil {
			wrong = append(wrong, broadcast.Problem{Field: "rate", Message: err.Error()})
		}
	}
	wrong = append(wrong, a.audienceOf(&r, &n, lines)...)
	for _, p := range a.o.Broadcasts.Check(&r) {
		if !slices.ContainsFunc(wrong, func(w broadcast.Problem) bool { return w.Field == p.Field }) {
			wrong = append(wrong, p)
		}
	}
	return r, wrong
}

// audienceOf fills in whom it reaches.
func (a *api) audienceOf(r *broadcast.Request, n *NewBroadcast, lines io.Reader) (wrong broadcast.Problems) {
	given := 0
	for _, there := range []bool{lines != nil, len(n.To) > 0, n.Audience != "", n.chooses()} {
		if there {
			given++
		}
	}
	switch {
	case given == 0:
		return broadcast.Problems{{Field: "to", Message: "the audience is nobody"}}
	case given > 1:
		return broadcast.Problems{{Field: "to", Message: "one broadcast has one audience: to, audience, contacts by labels and the like, or a part of the request"}}
	case lines != nil:
		r.Audience, r.Said = broadcast.Lines{Reader: lines}, "file"
	case n.Audience != "":
		var err error
		r.Said = n.Audience
		if r.Audience, err = a.o.Audience(n.Account, n.Audience); err != nil {
			return broadcast.Problems{{Field: "audience", Message: err.Error()}}
		}
	case n.chooses():
		return a.chosen(r, n)
	default:
		r.Audience, r.Said = broadcast.List(n.To), "list"
	}
	return nil
}

// chooses tells whether it reaches contacts that are chosen by what is known of them.
func (n *NewBroadcast) chooses() bool {
	return len(n.Labels)+len(n.Without) > 0 || n.ActiveWithin != "" || n.Where != ""
}

// chosen fills in the contacts that it reaches.
func (a *api) chosen(r *broadcast.Request, n *NewBroadcast) (wrong broadcast.Problems) {
	q := contacts.Query{Labels: n.Labels, Without: n.Without}
	var err error
	if q.Where, err = whereOf(n.Where); err != nil {
		wrong = append(wrong, broadcast.Problem{Field: "where", Message: err.Error()})
	}
	if q.ActiveWithin, err = withinOf(n.ActiveWithin); err != nil {
		wrong = append(wrong, broadcast.Problem{Field: "active_within", Message: err.Error()})
	}
	r.Audience, r.Said = a.o.Chosen(n.Account, q), "contacts"
	return wrong
}

// commandOfBroadcast checks the command that a recipient would get.
func (a *api) commandOfBroadcast(n *NewBroadcast) (wrong broadcast.Problems) {
	e := envelope{TraceID: "broadcast", AccountID: n.Account, Action: n.Action, Timestamp: a.o.Now().Unix(), Params: maps.Clone(n.Params)}
	if e.Params == nil {
		e.Params = make(map[string]any)
	}
	if e.Action == "" {
		e.Action = string(engine.SendText)
	}
	const somebody = "recipient"
	action, _ := engine.ParseAction(e.Action)
	if place := action.Place(); place != "" && e.Params[place] == nil {
		e.Params[place] = somebody
	}
	if action.Speaks() {
		e.Params["content"] = n.Text
	}
	if (action == engine.AddMember || action == engine.RemoveMember) && e.Params["members"] == nil && e.Params["invited_wxid"] == nil {
		e.Params["members"], e.Params["invited_wxid"] = []any{somebody}, somebody // whichever the platform takes
	}
	_, bad := e.command(0, false, a.o.Needs, a.o.Now())
	for _, f := range bad {
		field := map[string]string{"account_id": "account", "params.content": "text"}[f.Field]
		if field == "" {
			field = f.Field
		}
		wrong = append(wrong, broadcast.Problem{Field: field, Message: f.Message})
	}
	return wrong
}
