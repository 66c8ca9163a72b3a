package webcall

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"bot/engine/fetch"
	"bot/engine/retryafter"
	"bot/skills/breaker"
	"bot/skills/render"
)

// attempt is what came of sending a request one time.
type attempt struct {
	status  int
	body    []byte
	why     string        // no answer, or one of no use; "" for an answer
	passing bool          // there was none, and there may be next time
	reached bool          // the service may have got the request
	after   time.Duration // which the service wants to be left alone for
}

// attempt sends the request once, within the table's time limit.
func (s *Service) attempt(ctx context.Context, r request) (a attempt) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	var wrote atomic.Bool // told by other goroutines
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteHeaderField: func(string, []string) { wrote.Store(true) },
		WroteHeaders:     func() { wrote.Store(true) },
	})
	resp, err := s.client.Do(s.outgoing(ctx, r))
	a.reached = wrote.Load()
	if err != nil {
		s.failed(ctx, &a, err)
		return a
	}
	defer resp.Body.Close() // what is left of it is not read: the connection goes
	a.status = resp.StatusCode
	a.after, _ = retryafter.Read(resp.Header, s.now())
	a.body, err = io.ReadAll(io.LimitReader(resp.Body, s.max+1))
	switch {
	case int64(len(a.body)) > s.max:
		a.body, a.why = nil, fmt.Sprintf("the answer is longer than %d bytes", s.max)
	case err != nil:
		a.body = nil
		s.failed(ctx, &a, err)
	}
	return a
}

// outgoing makes what is sent. Go's client sends a request that has an
// Idempotency-Key again by itself when a connection breaks that was used before.
// How often a request is sent is for this package to say, so the client cannot
// read the body a second time, or does not see the key where there is none: header
// names are the same to services in any case.
func (s *Service) outgoing(ctx context.Context, r request) *http.Request {
	out := (&http.Request{Method: s.method, URL: r.address, Header: r.header.Clone(), Host: r.address.Host}).WithContext(ctx)
	switch {
	case r.body != "":
		out.Body = io.NopCloser(strings.NewReader(r.body))
		out.ContentLength = int64(len(r.body))
		out.Header.Set(idempotencyKey, r.key)
	case !safe(s.method):
		out.Header["Idempotency-key"] = []string{r.key}
	}
	return out
}

// failed says why there is no answer, in words of our own: those of the library
// hold the address, whose query may hold a password.
func (s *Service) failed(ctx context.Context, a *attempt, err error) {
	var dial *net.OpError
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	switch {
	case errors.Is(err, fetch.ErrOffline):
		a.why = fetch.ErrOffline.Error()
	case errors.Is(err, fetch.ErrPrivate):
		a.why = fetch.ErrPrivate.Error() + ": a private host is called where url writes it out, and nowhere else"
	case errors.Is(err, errRedirect):
		a.why = errRedirect.Error()
	case errors.As(err, &cert):
		a.why = "the certificate of the service is not good: " + short(cert.Err)
	case ctx.Err() != nil:
		a.why, a.passing = fmt.Sprintf("no answer within %v", s.timeout), true
	case errors.As(err, &dns):
		a.why, a.passing = "no address for the host: "+dns.Err, !dns.IsNotFound
	case errors.As(err, &dial) && dial.Op == "dial":
		a.why, a.passing = "cannot connect: "+short(dial.Err), true
	case a.reached:
		a.why, a.passing = "the connection broke before the answer was complete", true
	default:
		a.why, a.passing = "the request could not be sent", true
	}
}

// short is an error's text, of a length for a log.
func short(err error) string {
	s := err.Error()
	return s[:min(len(s), 200)]
}

// again tells whether the request is to be sent once more. What never reached the
// service, or was turned away, is; what may have been done already is where doing
// it twice is the same as doing it once.
func (s *Service) again(a *attempt) bool {
	if a.after > maxWait {
		return false
	}
	switch a.status {
	case 0:
		return a.passing && (!a.reached || s.repeatable)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return true
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return s.repeatable
	}
	return a.passing && s.repeatable // the answer broke off
}

// verdict is what the attempt says of the service: no answer is a failure, and so
// is one that says that it cannot work.
func (a *attempt) verdict() breaker.Result {
	if a.why != "" || a.status >= 500 || a.status == http.StatusTooManyRequests {
		return breaker.Failure
	}
	return breaker.Success
}

// result is the attempt as the last one.
func (a *attempt) result() Result {
	r := Result{Status: a.status, Why: a.why}
	if a.why != "" {
		return r
	}
	var err error
	if r.Response, err = render.Answer(a.body); err != nil {
		r.Response = map[string]any{"text": strings.ToValidUTF8(string(a.body), "\uFFFD")}
	}
	r.JSON = err == nil
	return r
}
