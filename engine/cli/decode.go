package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/app"
	"bot/engine/channel"
)

// maxCaptured bounds a captured body, as the largest max_body does.
const maxCaptured = 64 << 20

// headers collects -header flags.
type headers http.Header

func (h headers) String() string { return "" }

func (h headers) Set(s string) error {
	name, value, found := strings.Cut(s, ":")
	if !found || strings.TrimSpace(name) == "" {
		return fmt.Errorf("%q is not a header (like \"Name: value\")", s)
	}
	http.Header(h).Add(strings.TrimSpace(name), strings.TrimSpace(value))
	return nil
}

// decodeVerb tells what a captured callback reads as, or why it is refused.
func decodeVerb(_ context.Context, c *call) int {
	h := make(http.Header)
	account := c.flags.String("account", "", "whose callback it is: the `name` in the configuration")
	query := c.flags.String("query", "", "what stood behind the ? of its address")
	method := c.flags.String("method", "", "GET or POST; GET for one that has a query and no body")
	c.flags.Var(headers(h), "header", "a header, like \"Name: value\"; may be repeated")
	if code, ok := c.parse(1, 1); !ok {
		return code
	}
	q, err := c.captured(*query, *method)
	if err != nil {
		c.say(err)
		return exitUsage
	}
	q.Header = h
	plan, err := c.plan()
	if err != nil {
		return c.sayConfig(err, exitUsage)
	}
	if *account == "" && len(plan.Config.Accounts) == 1 {
		*account = plan.Config.Accounts[0].Name
	}
	d, err := plan.Decode(*account, q)
	if err != nil {
		c.say(fmt.Errorf("-account: %w", err))
		return exitUsage
	}
	return c.sayDecoded(d, q.Method)
}

// captured reads the request from the file that is named, or from the input.
func (c *call) captured(query, method string) (*channel.Request, error) {
	in, closeFile, err := c.open(c.args[0])
	if err != nil {
		return nil, err
	}
	defer closeFile()
	body, err := io.ReadAll(io.LimitReader(in, maxCaptured))
	if err != nil {
		return nil, fmt.Errorf("read callback: %w", err)
	}
	values, err := url.ParseQuery(strings.TrimPrefix(query, "?"))
	if err != nil {
		return nil, fmt.Errorf("-query: %w", err)
	}
	if method == "" {
		method = http.MethodPost
		if len(bytes.TrimSpace(body)) == 0 && len(values) > 0 {
			method = http.MethodGet
		}
	}
	return &channel.Request{Method: strings.ToUpper(method), Query: values, Body: body, Now: c.Now()}, nil
}

// decoded is an event as it is printed.
type decoded struct {
	Kind         engine.Kind       `json:"kind"`
	Type         string            `json:"type"`
	Account      string            `json:"account"`
	ID           string            `json:"id"`
	Conversation string            `json:"conversation"`
	Sender       string            `json:"sender"`
	SenderName   string            `json:"sender_name,omitempty"`
	Self         bool              `json:"self"`
	Group        bool              `json:"group"`
	Mention      engine.Mention    `json:"mention"`
	Text         string            `json:"text"`
	Members      []string          `json:"members"`
	Actor        string            `json:"actor"`
	Media        []engine.Media    `json:"media"`
	Quoted       string            `json:"quoted,omitempty"`
	Revoked      string            `json:"revoked,omitempty"`
	Mute         string            `json:"mute,omitempty"`
	Params       map[string]string `json:"params,omitempty"`
	IfKnown      engine.Kind       `json:"if_known,omitempty"`
	Fact         string            `json:"fact,omitempty"`
	Time         *time.Time        `json:"time"`
}

func (c *call) sayDecoded(d app.Decoded, method string) int {
	if r := d.Refusal; r != nil {
		c.indented(map[string]any{"refused": r.Reason, "status": r.Answer.Status, "detail": r.Detail})
		return exitFailed
	}
	if d.Stale != 0 {
		fmt.Fprintf(c.Err, "note: it was signed %s ago by this clock; a running engine would refuse it (max_skew)\n", d.Stale.Round(time.Second))
	}
	if d.Receipt.Foreign != "" {
		fmt.Fprintf(c.Err, "note: it is for %q, which is no account of this configuration; it would be acknowledged and dropped\n", d.Receipt.Foreign)
	}
	for _, b := range d.Receipt.Doorbells {
		fmt.Fprintf(c.Err, "note: a doorbell: account %q would fetch from %s\n", b.Account, b.Source)
	}
	if method == http.MethodGet && len(d.Receipt.Events) == 0 {
		c.indented(map[string]any{"answer": string(d.Receipt.Answer.Body)})
		return exitOK
	}
	events := make([]decoded, len(d.Receipt.Events))
	for i, e := range d.Receipt.Events {
		events[i] = readable(e)
	}
	c.indented(events)
	return exitOK
}

func readable(e *engine.Event) decoded {
	r := decoded{
		Kind: e.Kind, Type: e.Type, Account: e.Account, ID: e.ID, Conversation: place(e),
		Sender: e.Sender, SenderName: e.SenderName, Self: e.Self, Group: e.Group, Mention: e.Mention, Text: e.Text,
		Members: append([]string{}, e.Members...), Actor: e.Actor, Media: append([]engine.Media{}, e.Media...),
		Quoted: e.Params["quoted"], Revoked: e.Params["revoked"], Mute: e.Mute,
		Params: e.Params, IfKnown: e.IfKnown, Fact: e.Fact,
	}
	if !e.Time.IsZero() {
		t := e.Time.UTC()
		r.Time = &t
	}
	return r
}

// place is where the event can be answered. One that came from nobody knows
// where was given a conversation of its own, which ends with its id: to an
// operator that is none.
func place(e *engine.Event) string {
	if e.Mute != "" && strings.HasSuffix(e.Conversation, e.ID) {
		return ""
	}
	return e.Conversation
}
