package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"bot/engine/api"
	"bot/engine/broadcast"
)

// broadcastVerb makes broadcasts and looks after them.
func broadcastVerb(ctx context.Context, c *call) int {
	n := newBroadcast{c: c}
	n.flags()
	if code, ok := c.parse(0, 1000); !ok {
		return code
	}
	what, ids := "list", []string(nil)
	if len(c.args) > 0 {
		what, ids = c.args[0], c.args[1:]
	}
	switch {
	case what == "create" && len(ids) == 0:
		return n.create(ctx)
	case what == "list" && len(ids) == 0:
		return c.broadcastList(ctx)
	case what == "show" && len(ids) > 0:
		return c.broadcasts(ctx, ids, "", func(a *adminClient, id string) error { return c.broadcastShow(ctx, a, id) })
	case what == "results" && len(ids) > 0:
		return c.broadcasts(ctx, ids, "", func(a *adminClient, id string) error { return c.broadcastResults(ctx, a, id) })
	case what == "delete" && len(ids) > 0:
		return c.broadcasts(ctx, ids, "deleted", func(a *adminClient, id string) error {
			return a.do(ctx, http.MethodDelete, broadcastPath(id), nil, nil)
		})
	case broadcastDone[what] != "" && len(ids) > 0:
		return c.broadcasts(ctx, ids, broadcastDone[what], func(a *adminClient, id string) error {
			return a.do(ctx, http.MethodPost, broadcastPath(id)+"/"+what, nil, nil)
		})
	}
	c.flags.Usage()
	return exitUsage
}

// broadcastDone says what was done by a verb.
var broadcastDone = map[string]string{"start": "started", "pause": "paused", "resume": "resumed", "cancel": "cancelled"}

func broadcastPath(id string) string { return "/api/v1/broadcasts/" + url.PathEscape(id) }

func (c *call) broadcasts(ctx context.Context, ids []string, done string, act func(a *adminClient, id string) error) int {
	a, code := c.admin()
	if a == nil {
		return code
	}
	return c.each("broadcast", ids, done, func(id string) error { return act(a, id) })
}

// newBroadcast is what `create` is told.
type newBroadcast struct {
	c *call
	api.NewBroadcast
	to, params      string
	labels, without labelList
	yes             bool
}

func (n *newBroadcast) flags() {
	f := n.c.flags
	f.StringVar(&n.Account, "account", "", "create: the `account` that sends")
	f.StringVar(&n.Name, "name", "", "create: a `name` for people")
	f.StringVar(&n.Text, "text", "", "create: the `text`, a template that knows .User .Account .Day .Now")
	f.StringVar(&n.Action, "do", "", "create: an `action` other than send_text")
	f.StringVar(&n.params, "params", "", "create: its params as `JSON`; texts in it are templates")
	f.StringVar(&n.to, "to", "", "create: a `file` of recipients, an id a line; - reads standard input")
	f.StringVar(&n.Audience, "audience", "", "create: the `name` of an audience")
	f.Var(&n.labels, "label", "create: to contacts with all of these `labels`, with commas; may be repeated")
	f.Var(&n.without, "without", "create: to contacts with none of these `labels`, likewise")
	f.StringVar(&n.ActiveWithin, "active", "", "create: to contacts who wrote within that `time`, such as 30d")
	f.StringVar(&n.Where, "where", "", "create: to contacts that are private or group")
	f.StringVar(&n.Rate, "rate", "", "create: how fast, such as `100/s` (default the account's own rate, or 10/s)")
	f.BoolVar(&n.Start, "start", false, "create: start it; on a terminal after a question")
	f.BoolVar(&n.yes, "yes", false, "create: start it without the question")
}

func (n *newBroadcast) create(ctx context.Context) int {
	c := n.c
	if n.Account == "" {
		fmt.Fprintln(c.Err, "say which account sends: -account NAME")
		return exitUsage
	}
	n.Labels, n.Without = n.labels, n.without
	chosen := len(n.Labels)+len(n.Without) > 0 || n.ActiveWithin != "" || n.Where != ""
	if given := []bool{n.to != "", n.Audience != "", chosen}; count(given) != 1 {
		fmt.Fprintln(c.Err, "say whom it reaches, in one way: -to FILE, -audience NAME, or contacts by -label, -without, -active, -where")
		return exitUsage
	}
	if n.params != "" {
		var err error
		if n.Params, err = readParams("-params", n.params); err != nil {
			c.say(err)
			return exitUsage
		}
	}
	a, code := c.admin()
	if a == nil {
		return code
	}
	start := n.Start
	n.Start, n.By = false, "command line" // the estimate comes first
	var made api.Broadcast
	if err := n.post(ctx, a, &made); err != nil {
		c.sayAPI(err)
		return exitFailed
	}
	return n.offer(ctx, a, &made, start)
}

func count(all []bool) (n int) {
	for _, b := range all {
		if b {
			n++
		}
	}
	return n
}

// post has the broadcast made; a file is read while it is sent.
func (n *newBroadcast) post(ctx context.Context, a *adminClient, made *api.Broadcast) error {
	const path = "/api/v1/broadcasts"
	if n.to == "" {
		return a.do(ctx, http.MethodPost, path, n.NewBroadcast, made)
	}
	file, closeFile, err := n.c.open(n.to)
	if err != nil {
		return err
	}
	defer closeFile()
	out, in := io.Pipe()
	parts := multipart.NewWriter(in)
	go func() { in.CloseWithError(n.write(parts, file)) }()
	defer out.Close() // ends the writer, should the engine answer before it has read all
	long := *a
	long.http = &http.Client{} // a million recipients take longer than most answers
	return long.send(ctx, http.MethodPost, path, parts.FormDataContentType(), out, made)
}

func (n *newBroadcast) write(parts *multipart.Writer, file io.Reader) error {
	w, err := parts.CreateFormField("broadcast")
	if err != nil {
		return err
	}
	if err := json.NewEncoder(w).Encode(n.NewBroadcast); err != nil {
		return err
	}
	if w, err = parts.CreateFormFile("to", "recipients"); err != nil {
		return err
	}
	if _, err := io.Copy(w, file); err != nil {
		return err
	}
	return parts.Close()
}

// offer tells what the broadcast will take, and starts it where that is wished.
func (n *newBroadcast) offer(ctx context.Context, a *adminClient, made *api.Broadcast, start bool) int {
	c := n.c
	if !c.json {
		fmt.Fprintf(c.Out, "broadcast %s: %d recipients", made.ID, made.Recipients)
		if made.Duplicates > 0 {
			fmt.Fprintf(c.Out, " (%d named more than once)", made.Duplicates)
		}
		fmt.Fprintf(c.Out, ", %s\n", made.Estimate.Text)
	}
	if start && !n.yes && !c.json && c.asks() && !c.confirm("start it?") {
		start = false
	}
	if start {
		if err := a.do(ctx, http.MethodPost, broadcastPath(made.ID)+"/start", nil, made); err != nil {
			c.sayAPI(err)
			return exitFailed
		}
	}
	switch {
	case c.json:
		json.NewEncoder(c.Out).Encode(made)
	case start:
		fmt.Fprintf(c.Out, "started; `bot broadcast show %s` tells how it goes\n", made.ID)
	default:
		fmt.Fprintf(c.Out, "not started: `bot broadcast start %s` starts it, `bot broadcast delete %s` forgets it\n", made.ID, made.ID)
	}
	return exitOK
}

func (c *call) broadcastList(ctx context.Context) int {
	a, code := c.admin()
	if a == nil {
		return code
	}
	var list struct{ Broadcasts []broadcast.Status }
	if err := a.do(ctx, http.MethodGet, "/api/v1/broadcasts", nil, &list); err != nil {
		c.say(err)
		return exitFailed
	}
	return printList(c, list.Broadcasts, "there are no broadcasts", "ID\tNAME\tACCOUNT\tSTATE\tRECIPIENTS\tLEFT\tSENT\tDEAD\tRATE\tNOTE", func(s broadcast.Status) string {
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s", s.ID, dash(s.Name), s.Account, s.State, s.Recipients, s.Left, s.Sent, s.Dead, s.Rate, dash(s.Reason))
	})
}

func (c *call) broadcastShow(ctx context.Context, a *adminClient, id string) error {
	var b api.Broadcast
	if err := a.do(ctx, http.MethodGet, broadcastPath(id), nil, &b); err != nil {
		return err
	}
	if c.json {
		return json.NewEncoder(c.Out).Encode(b)
	}
	to := strconv.Itoa(b.Recipients) + " recipients"
	if b.Duplicates > 0 {
		to += fmt.Sprintf(" (%d named more than once)", b.Duplicates)
	}
	params, takes, created := "", "", c.moment(b.Created)
	if b.By != "" {
		created += " by " + b.By
	}
	if len(b.Params) > 0 {
		written, err := json.Marshal(b.Params)
		if err != nil {
			return err
		}
		params = string(written)
	}
	if b.Estimate != nil && b.Left > 0 {
		takes = b.Estimate.Text
	}
	c.facts([]fact{
		{"broadcast", b.ID}, {"name", b.Name}, {"account", b.Account}, {"action", string(b.Action)}, {"text", b.Text}, {"params", params},
		{"to", joined(to, b.Audience)}, {"rate", b.Rate.String()}, {"state", joined(string(b.State), b.Reason)},
		{"results", reached(&b)}, {"skipped for", counts(b.SkippedFor)}, {"the rest", takes}, {"done about", c.known(b.ETA)},
		{"created", created}, {"started", c.known(b.Started)}, {"ended", c.known(b.Ended)},
	}, nil)
	return nil
}

// reached is what became of the recipients.
func reached(b *api.Broadcast) string {
	return fmt.Sprintf("%d sent, %d dead, %d skipped, %d in doubt, %d unconfirmed, %d waiting, %d left, %d ended by hand",
		b.Sent, b.Dead, b.Skipped, b.InDoubt, b.Unconfirmed, b.Waiting, b.Left, b.ByHand)
}

// counts lists how many there are of each.
func counts(of map[string]int) string {
	var all []string
	for _, what := range slices.Sorted(maps.Keys(of)) {
		all = append(all, fmt.Sprintf("%s (%d)", what, of[what]))
	}
	return strings.Join(all, ", ")
}

// broadcastResults prints the numbers, and who was not reached.
func (c *call) broadcastResults(ctx context.Context, a *adminClient, id string) error {
	var b api.Broadcast
	if err := a.do(ctx, http.MethodGet, broadcastPath(id), nil, &b); err != nil {
		return err
	}
	type page struct{ Failures []broadcast.Failure }
	failures, err := pages(ctx, a, broadcastPath(id)+"/failures", url.Values{}, func(p page) ([]broadcast.Failure, string) {
		return behind(p.Failures, func(f broadcast.Failure) string { return number(f.Letter) })
	})
	if err != nil {
		return err
	}
	if c.json {
		return json.NewEncoder(c.Out).Encode(map[string]any{"broadcast": b, "failures": failures})
	}
	fmt.Fprintf(c.Out, "%s %s: %d recipients, %s\n", b.ID, b.State, b.Recipients, reached(&b))
	if len(failures) == 0 {
		return nil
	}
	printList(c, failures, "", "LETTER\tRECIPIENT\tERROR", func(f broadcast.Failure) string {
		return fmt.Sprintf("%d\t%s\t%s", f.Letter, f.Recipient, f.Error)
	})
	return nil
}

// sayAPI prints what the engine answered, a line for each thing that is wrong.
func (c *call) sayAPI(err error) {
	if refused, ok := err.(*apiFailure); ok && len(refused.Problems) > 0 {
		for _, p := range refused.Problems {
			fmt.Fprintln(c.Err, p)
		}
		return
	}
	c.say(err)
}
