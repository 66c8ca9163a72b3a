package wecom

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"

	"bot/engine/channel"
	"bot/engine/channel/wire"
)

// maxAnswer bounds what is read of an answer that can be long, in bytes.
const maxAnswer = 8 << 20

// content is the body of a request: size bytes of a media type.
type content struct {
	from io.Reader
	size int64
	kind string
}

// ask makes a request like do, but streams its body and reads answers up to
// maxAnswer. Unless q.lasting, it changes nothing anybody sees: whatever becomes
// of it, it may be made again, and its error is never Unsure.
func (p *platform) ask(ctx context.Context, q *request, body content) ([]byte, error) {
	answer, err := p.exchange(ctx, q, body)
	if err != nil && !q.lasting {
		return nil, harmless(err)
	}
	return answer, err
}

func (p *platform) exchange(ctx context.Context, q *request, body content) ([]byte, error) {
	call := p.call(q)
	req, err := http.NewRequestWithContext(ctx, cmp.Or(q.method, http.MethodPost), call.URL.String(), io.NopCloser(body.from))
	if err != nil {
		return nil, call.Fail(channel.Permanent, 0, "bad request: "+err.Error())
	}
	if req.ContentLength = body.size; body.size == 0 {
		req.Body = http.NoBody
	} else {
		req.Header.Set("Content-Type", body.kind)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return nil, call.Fail(unanswered(err), 0, cause(err).Error())
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case resp.StatusCode/100 != 2:
		return nil, p.unwilling(&call, resp, answer)
	case err != nil:
		return nil, call.Fail(channel.Unsure, resp.StatusCode, "answer broke off: "+err.Error())
	case len(answer) > maxAnswer:
		return nil, call.Fail(channel.Permanent, resp.StatusCode, "an answer of more than 8 MiB from "+q.path)
	}
	if err := p.judge(&call, q, resp.StatusCode, answer); err != nil {
		return nil, err
	}
	return answer, nil
}

// unanswered sorts a request that brought no answer.
func unanswered(err error) channel.Class {
	unsent, ok := errors.AsType[*wire.NotSentError](err)
	switch {
	case !ok:
		return channel.Unsure
	case unsent.Connected, errors.Is(err, context.Canceled):
		return channel.Transient
	default:
		return channel.Unreachable
	}
}

// unwilling sorts an answer outside 2xx like channel.Call does.
func (p *platform) unwilling(call *channel.Call, resp *http.Response, answer []byte) error {
	class := channel.Permanent
	until, asked := channel.RetryAfter(resp.Header, p.now())
	switch s := resp.StatusCode; {
	case s == http.StatusUnauthorized, s == http.StatusForbidden:
		class = channel.Credential
	case s == http.StatusTooManyRequests, s == http.StatusServiceUnavailable && asked:
		class = channel.Throttled
	case s == http.StatusRequestTimeout, s >= 500:
		class = channel.Transient
	}
	e := call.Fail(class, resp.StatusCode, string(answer[:min(len(answer), channel.MaxReply)]))
	if class == channel.Throttled {
		e.Until = until
	}
	return e
}
