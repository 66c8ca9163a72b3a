package wecom

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"bot/engine/channel"
)

// BaseURL is where the platform is reached unless the account says otherwise,
// and whose response_urls are trusted.
const BaseURL = "https://qyapi.weixin.qq.com"

// platform makes the requests of one account. It is safe for concurrent use.
type platform struct {
	client  *http.Client
	base    *url.URL
	secrets []string
	now     func() time.Time
	blocks  blocks
}

func newPlatform(a *channel.Account, h *channel.Host) (*platform, error) {
	address := cmp.Or(a.BaseURL, BaseURL)
	base, err := url.Parse(strings.TrimRight(address, "/") + "/")
	if err != nil { // which quotes the address
		return nil, a.Wrong("base_url", "base_url must be an http or https address, like %s", BaseURL)
	}
	if err := channel.CheckURL(base); err != nil {
		return nil, a.Wrong("base_url", "base_url, which must be like %s: %v", BaseURL, err)
	}
	return &platform{client: h.Client, base: base, secrets: a.Secrets(), now: h.Now}, nil
}

// request is one call of the platform's interface.
type request struct {
	method string // "" = POST
	path   string // below /cgi-bin/
	query  url.Values
	body   []byte
	file   content // in body's place
	// secret is what the query holds besides the account's own secrets.
	secret string
	// witness is a member that proves success where an answer has no errcode.
	witness string
	// harmless: it changes nothing that anybody sees. Whatever becomes of it, it
	// may be made again, and its error is never Unsure.
	harmless bool
	// sealed: the answer holds a secret, so that no word of it may be quoted.
	sealed bool
}

// content is a body that is read as it is sent: size bytes of a media type.
type content struct {
	from io.Reader // nil = none
	size int64
	kind string
}

var contentType = http.Header{"Content-Type": {"application/json"}}

func (p *platform) call(q *request) channel.Call {
	u := p.base.JoinPath("cgi-bin", q.path)
	u.RawQuery = q.query.Encode()
	c := channel.Call{Method: q.method, URL: u, Body: q.body, From: q.file.from, Size: q.file.size, Secrets: p.secrets, Now: p.now}
	switch {
	case q.file.from != nil:
		c.Header = http.Header{"Content-Type": {q.file.kind}}
	case q.body != nil:
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
	answer, err := p.exchange(ctx, &call, q)
	if q.harmless {
		err = channel.Harmless(err)
	}
	return answer, err
}

// exchange makes the call, of which q says what its answer must hold.
func (p *platform) exchange(ctx context.Context, call *channel.Call, q *request) ([]byte, error) {
	reply, err := call.Do(ctx, p.client)
	if err != nil {
		return nil, err
	}
	if reply.Cut {
		class := channel.Unsure
		if q.harmless {
			class = channel.Permanent // it would be as long the next time
		}
		return nil, call.Fail(class, reply.Status, fmt.Sprintf("an answer of more than %d KiB from %s", len(reply.Body)>>10, q.path))
	}
	if err := p.judge(call, q, reply.Status, reply.Body); err != nil {
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

// permanent is a command that will never work, found out before any request.
func permanent(note string) *channel.SendError {
	return new(channel.Call).Fail(channel.Permanent, 0, note)
}
