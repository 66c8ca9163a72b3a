package wecom

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// tokens keeps the access token of an app. It is kept in memory and in a note,
// so that neither a restart nor a second sender of the account fetches another:
// the platform limits how often it may be fetched. One request at a time
// fetches; the others wait for what it brings. It is safe for concurrent use.
type tokens struct {
	*platform
	memory       channel.Memory
	account      string
	corp, secret string
	key          string // of the note

	mu     sync.Mutex
	kept   string // what was fetched here
	until  time.Time
	dead   string    // the last that was refused; the note may still hold it
	vain   time.Time // when a renewal brought the refused token again
	flight *flight   // who fetches now; nil = nobody
}

// flight is one fetch that several may wait for.
type flight struct {
	done  chan struct{}
	token string
	err   error
	left  bool // its own request was given up by who made it
}

// vainFor is how long a renewal that changed nothing is not tried again: a loop
// of them runs into the limit, and in the end into a ban of the address.
const vainFor = 10 * time.Second

func newTokens(p *platform, a *channel.Account, h *channel.Host) *tokens {
	return &tokens{
		platform: p, memory: h.Memory, account: a.Name, corp: a.CorpID, secret: a.Secret,
		key: "token/" + strconv.Itoa(a.AgentID) + "/" + fingerprint(a.CorpID, a.Secret),
	}
}

// fingerprint tells notes of one owner from those of another, after a change of
// the configuration: with a token of its old corp an account would write to
// strangers. 64 bits of a hash of a secret that is itself random say nothing
// about it.
func fingerprint(owner, secret string) string {
	sum := sha256.Sum256([]byte(owner + "\x00" + secret))
	return hex.EncodeToString(sum[:8])
}

// get returns a token that is believed to be good.
func (t *tokens) get(ctx context.Context) (string, error) { return t.after(ctx, "") }

// renew returns another token than the refused one, which somebody else may
// have fetched by now, or the same if the platform insists on it.
func (t *tokens) renew(ctx context.Context, refused string) (string, error) {
	t.mu.Lock()
	if t.vain.Add(vainFor).After(t.now()) && t.kept == refused {
		t.mu.Unlock()
		return refused, nil
	}
	t.dead = refused
	if t.kept == refused {
		t.kept = ""
	}
	t.mu.Unlock()
	return t.after(ctx, refused)
}

// after returns a token that is not the refused one, fetched if need be.
func (t *tokens) after(ctx context.Context, refused string) (string, error) {
	for {
		t.mu.Lock()
		if token := t.current(); token != "" {
			t.mu.Unlock()
			return token, nil
		}
		f := t.flight
		if f == nil {
			f = &flight{done: make(chan struct{})}
			t.flight = f
			t.mu.Unlock()
			t.fly(ctx, f, refused)
			return f.token, f.err
		}
		t.mu.Unlock()
		select {
		case <-f.done:
		case <-ctx.Done():
			return "", new(channel.Call).Fail(channel.Transient, 0, "no access token in time: "+ctx.Err().Error())
		}
		if !f.left {
			return f.token, f.err
		}
	}
}

// current is the token that is kept here or noted, "" where there is none that
// the platform would take.
func (t *tokens) current() string {
	if t.kept != "" && t.now().Before(t.until) {
		return t.kept
	}
	if noted := t.memory.Recall(t.account, t.key); noted != t.dead {
		return noted
	}
	return ""
}

// fly fetches for everybody who waits.
func (t *tokens) fly(ctx context.Context, f *flight, refused string) {
	var until time.Time
	f.token, until, f.err = t.fetch(ctx)
	f.left = f.err != nil && ctx.Err() != nil
	t.mu.Lock()
	t.flight = nil
	if f.err == nil {
		t.kept, t.until, t.dead = f.token, until, ""
		if f.token == refused {
			t.vain = t.now()
		}
	}
	t.mu.Unlock()
	close(f.done)
	if f.err == nil {
		// A note that is not kept costs a fetch after the next start, no more.
		_ = t.memory.Remember(ctx, t.account, engine.Note{Key: t.key, Value: f.token, Expires: until})
	}
}

// fetch asks for a token and returns until when to use it: not to the end of
// its life, so that none expires on its way.
func (t *tokens) fetch(ctx context.Context) (string, time.Time, error) {
	q := request{
		method: http.MethodGet, path: "gettoken", witness: "access_token", sealed: true, harmless: true,
		query: url.Values{"corpid": {t.corp}, "corpsecret": {t.secret}},
	}
	body, err := t.do(ctx, &q)
	if err != nil {
		return "", time.Time{}, halting(err)
	}
	var answer struct {
		Token   string      `json:"access_token"`
		Expires json.Number `json:"expires_in"`
	}
	err = json.Unmarshal(body, &answer)
	seconds, _ := answer.Expires.Int64()
	if err != nil || answer.Token == "" || len(answer.Token) > maxToken || seconds <= 0 {
		return "", time.Time{}, new(channel.Call).Fail(channel.Transient, http.StatusOK, "gettoken brought no token")
	}
	life := time.Duration(min(seconds, maxLife)) * time.Second
	return answer.Token, t.now().Add(life - min(5*time.Minute, life/10)), nil
}

// What no token exceeds: in bytes (the documentation says 512), in seconds (it
// says 7200).
const (
	maxToken = 4096
	maxLife  = 7200
)

// halting reports a token that cannot be had as what it is: nothing of the
// account will go. A command is not to die of it.
func halting(err error) error {
	e, ok := errors.AsType[*channel.SendError](err)
	if ok && (e.Class == channel.Permanent || e.Class == channel.Credential) {
		e.Class = channel.Halted
	}
	return err
}

// works notes that the present token does: if it was the answer to a renewal, the
// renewal was not in vain.
func (t *tokens) works() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.vain = time.Time{}
}

// withToken makes a request that carries the access token. Where that is
// refused it gets another one and repeats the request, once: what was refused
// for its token had no effect.
func (t *tokens) withToken(ctx context.Context, ask func(token string) ([]byte, error)) ([]byte, error) {
	token, err := t.get(ctx)
	if err != nil {
		return nil, err
	}
	body, err := ask(token)
	if !stale(codeOf(err)) {
		if err == nil {
			t.works()
		}
		return body, err
	}
	if token, err = t.renew(ctx, token); err != nil {
		return nil, err
	}
	return ask(token)
}
