package stub

import (
	"fmt"
	"time"
)

// tokenLife is how long an access token is good.
const tokenLife = 7200 * time.Second

// getToken gives a new token; the ones before stay good until their time, as
// nothing is promised about them.
func (w *wecom) getToken(c *Call, _ object) Answer {
	switch {
	case w.account.CorpID != "" && c.Query.Get("corpid") != w.account.CorpID:
		return c.refuse(40013)
	case w.account.Secret != "" && c.Query.Get("corpsecret") != w.account.Secret:
		return c.refuse(40001)
	}
	w.count.Tokens++
	now := w.now()
	for token, until := range w.tokens {
		if now.Sub(until) > tokenLife {
			delete(w.tokens, token)
		}
	}
	token := fmt.Sprintf("stub-token-%d-%d", w.account.AgentID, w.count.Tokens)
	w.tokens[token] = now.Add(tokenLife)
	return wecomAnswer(object{"access_token": token, "expires_in": int(tokenLife.Seconds())})
}

// admit checks a call's token; 0 is good.
func (w *wecom) admit(c *Call) (errcode int) {
	token := c.Query.Get("access_token")
	until, known := w.tokens[token]
	switch {
	case token == "":
		return 41001
	case !known:
		return 40014
	case !w.now().Before(until):
		return 42001
	}
	return 0
}

// ExpireTokens makes all access tokens of a stub of WeCom invalid before their
// time, as the platform may.
func (s *Stub) ExpireTokens() {
	if w, ok := s.protocol.(*wecom); ok {
		w.mu.Lock()
		defer w.mu.Unlock()
		clear(w.tokens)
	}
}
