package wecom

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"bot/engine/channel"
)

// official is where the platform is reached unless base_url says otherwise, and
// whose response_urls are trusted.
const official = "https://qyapi.weixin.qq.com"

// platform makes the requests of one account. It is safe for concurrent use.
type platform struct {
	client  *http.Client
	base    *url.URL
	secrets []string
	now     func() time.Time
	blocks  blocks
}

func newPlatform(a *channel.Account, h *channel.Host) (*platform, error) {
	address := a.BaseURL
	if address == "" {
		address = official
	}
	base, err := url.Parse(strings.TrimRight(address, "/") + "/")
	if err != nil { // which quotes the address
		return nil, a.Wrong("base_url", "base_url must be an http or https address, like %s", official)
	}
	if err := channel.CheckURL(base); err != nil {
		return nil, a.Wrong("base_url", "base_url, which must be like %s: %v", official, err)
	}
	return &platform{client: h.Client, base: base, secrets: a.Secrets(), now: h.Now}, nil
}

// request is one call of the platform's interface.
type request struct {
	method string // "" = POST
	path   string // below /cgi-bin/
	query  url.Values
	body   []byte
	// secret is what the query holds besides the account's own secrets.
	secret string
	// witness is a member that proves success where an answer has no errcode.
	witness string
	// lasting: the request has an effect that repeating it would repeat. It is
	// asked by ask alone; do takes it for granted.
	lasting bool
	// sealed: the answer holds a secret, so that no word of it may be quoted.
	sealed bool
}

var contentType = http.Header{"Content-Type": {"application/json"}}

func (p *platform) call(q *request) channel.Call {
	u := p.base.JoinPath("cgi-bin", q.path)
	u.RawQuery = q.query.Encode()
	c := channel.Call{Method: q.method, URL: u, Body: q.body, Secrets: p.secrets, Now: p.now}
	if q.body != nil {
		c.Header = contentType.Clone()
	}
	if q.secret != "" {
		c.Secrets = append([]string{q.secret}, p.secrets...)
	}
	return c
}

// do makes the request, at most once. Its error is a *refusal where the
// platform answered with an errcode, else a *channel.SendError.
func (p *platform) do(ctx context.Context, q *request) ([]byte, error) {
	call := p.call(q)
	reply, err := call.Do(ctx, p.client)
	if err != nil {
		return nil, err
	}
	if reply.Cut {
		return nil, call.Fail(channel.Unsure, reply.Status, "an answer of more than 64 KiB from "+q.path)
	}
	if err := p.judge(&call, q, reply.Status, reply.Body); err != nil {
		return nil, err
	}
	return reply.Body, nil
}

// judge reads the verdict that every answer carries: errors come with HTTP 200
// as well.
func (p *platform) judge(call *channel.Call, q *request, status int, body []byte) error {
	var v verdict
	err := json.Unmarshal(body, &v)
	code, told := v.code()
	switch {
	case err != nil && q.sealed:
		return call.Fail(channel.Unsure, status, "unreadable answer from "+q.path)
	case err != nil:
		return call.Fail(channel.Unsure, status, "unreadable answer from "+q.path+": "+string(body))
	case !told && !has(body, q.witness):
		return call.Fail(channel.Unsure, status, "an answer without errcode from "+q.path)
	case code == 0:
		p.blocks.lift(q.path)
		return nil
	}
	return p.refused(call, q.path, status, code, v.errmsg())
}

// verdict is what all answers have in common.
type verdict struct {
	ErrCode json.RawMessage `json:"errcode"`
	ErrMsg  json.RawMessage `json:"errmsg"`
}

// code takes a number in quotes for one too; told is false where there is none.
func (v *verdict) code() (code int, told bool) {
	code, err := strconv.Atoi(strings.Trim(string(v.ErrCode), `"`))
	return code, err == nil
}

func (v *verdict) errmsg() string {
	var s string
	if json.Unmarshal(v.ErrMsg, &s) != nil {
		return string(v.ErrMsg)
	}
	return s
}

// has tells whether the answer has the member and it is not empty.
func has(body []byte, member string) bool {
	var all map[string]json.RawMessage
	if member == "" || json.Unmarshal(body, &all) != nil {
		return false
	}
	v := string(all[member])
	return v != "" && v != "null" && v != `""`
}

// harmless reports a failure of a request that had no effect anybody sees, so
// that nothing of it needs to be in doubt.
func harmless(err error) error {
	if e, ok := errors.AsType[*channel.SendError](err); ok && e.Class == channel.Unsure {
		e.Class = channel.Transient
	}
	return err
}

// permanent is a command that will never work, found out before any request.
func permanent(note string) *channel.SendError {
	return new(channel.Call).Fail(channel.Permanent, 0, note)
}
