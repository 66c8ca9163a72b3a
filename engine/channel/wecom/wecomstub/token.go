package wecomstub

import (
	"fmt"
	"strings"
	"time"

	"bot/engine/stub"
)

// tokenLife is how long an access token is good.
const tokenLife = 7200 * time.Second

// getToken gives a new token; the ones before stay good until their time, as
// nothing is promised about them.
func (p *Platform) getToken(c *stub.Call, _ object) stub.Answer {
	switch {
	case p.account.CorpID != "" && c.Query.Get("corpid") != p.account.CorpID:
		return refusal(40013)
	case p.account.Secret != "" && c.Query.Get("corpsecret") != p.account.Secret:
		return refusal(40001)
	}
	p.count.Tokens++
	token := fmt.Sprintf("stub-token-%d-%d", p.account.AgentID, p.count.Tokens)
	p.tokens.put(token, struct{}{}, p.now().Add(tokenLife))
	return success(object{"access_token": token, "expires_in": int(tokenLife.Seconds())})
}

// authorizes tells whether a call carries the credential that its path asks for.
func (p *Platform) authorizes(c *stub.Call) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch strings.TrimPrefix(c.Path, "/cgi-bin/") {
	case "gettoken":
		return stub.Good(c.Query.Get("corpid"), p.account.CorpID) && stub.Good(c.Query.Get("corpsecret"), p.account.Secret)
	case "webhook/send", "webhook/upload_media":
		return stub.Good(c.Query.Get("key"), p.account.Key)
	case "aibot/response":
		return p.codes.find(c.Query.Get("response_code"), p.now()) != nil
	}
	return p.admit(c) == 0
}

// admit checks a call's token; 0 is good.
func (p *Platform) admit(c *stub.Call) (errcode int) {
	token := c.Query.Get("access_token")
	_, until, known := p.tokens.get(token)
	switch {
	case token == "":
		return 41001
	case !known:
		return 40014
	case !p.now().Before(until):
		return 42001
	}
	return 0
}

// ExpireTokens makes all access tokens invalid before their time, as the platform
// may.
func (p *Platform) ExpireTokens() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tokens.clear()
}
