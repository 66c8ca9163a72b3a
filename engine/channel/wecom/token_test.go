package wecom

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

const delivers = `{"errcode":0,"errmsg":"ok","msgid":"m-1"}`

func appRig(t *testing.T) *rig {
	r := newRig(t, appAccount)
	r.says("message/send", delivers)
	return r
}

func TestATokenServesUntilShortlyBeforeItsEnd(t *testing.T) {
	r := appRig(t)
	s := r.sender(t)
	sent(t, s, says("t-1", "lina", "a"))
	r.clock.pass(114 * time.Minute)
	sent(t, s, says("t-2", "lina", "b"))
	sent(t, r.sender(t), says("t-3", "lina", "c")) // as after a restart
	if n := r.tokensIssued(); n != 1 {
		t.Errorf("%d tokens were fetched, want 1", n)
	}
	r.clock.pass(2 * time.Minute)
	sent(t, s, says("t-4", "lina", "d"))
	if n := r.tokensIssued(); n != 2 {
		t.Errorf("%d tokens were fetched, want another 5 minutes before the end", n)
	}
}

func TestAnExpiredTokenIsReplacedOnce(t *testing.T) {
	r := appRig(t)
	s := r.sender(t)
	sent(t, s, says("t-1", "lina", "a"))
	r.expire()
	sent(t, s, says("t-2", "lina", "b"))
	if n := r.tokensIssued(); n != 2 {
		t.Errorf("%d tokens were fetched, want 2", n)
	}
	wantCalls(t, r.fakeCom, "message/send", 3)
	sent(t, s, says("t-3", "lina", "c"))
	wantCalls(t, r.fakeCom, "message/send", 4)
}

// The platform may say that its token is good and refuse it; a loop over that
// ends in a ban.
func TestATokenThatIsRefusedWhenFreshHaltsTheAccount(t *testing.T) {
	r := appRig(t)
	r.stick = "a-dead-token"
	s := r.sender(t)
	e := failed(t, s, says("t-1", "lina", "a"), channel.Halted)
	if strings.Contains(e.Note, r.stick) {
		t.Errorf("the note has the token: %s", e.Note)
	}
	wantCalls(t, r.fakeCom, "message/send", 2)
	issued := r.tokensIssued()
	for range 5 {
		failed(t, s, says("t-1", "lina", "a"), channel.Halted)
	}
	if n := r.tokensIssued(); n != issued {
		t.Errorf("%d more tokens were fetched in no time", n-issued)
	}
	r.clock.pass(time.Minute)
	r.mu.Lock()
	r.tokens[r.stick] = appAccount.AgentID
	r.mu.Unlock()
	sent(t, s, says("t-1", "lina", "a"))
}

// A token that another sender has fetched is used, not fetched again.
func TestSendersOfAnAccountShareTheToken(t *testing.T) {
	r := appRig(t)
	old, young := r.sender(t), r.sender(t)
	sent(t, old, says("t-1", "lina", "a"))
	r.expire()
	sent(t, young, says("t-2", "lina", "b"))
	sent(t, old, says("t-3", "lina", "c"))
	if n := r.tokensIssued(); n != 2 {
		t.Errorf("%d tokens were fetched, want 2", n)
	}
	r.expire()
	sent(t, old, says("t-4", "lina", "d"))
	sent(t, young, says("t-5", "lina", "e"))
	if n := r.tokensIssued(); n != 3 {
		t.Errorf("%d tokens were fetched, want 3", n)
	}
}

func TestManyAtOnceFetchOneToken(t *testing.T) {
	r := appRig(t)
	s := r.sender(t)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if _, err := s.Send(context.Background(), &engine.Command{TaskID: "t", Conversation: "lina", Action: engine.SendText, Text: "a"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := r.tokensIssued(); n != 1 {
		t.Errorf("%d tokens were fetched, want 1", n)
	}
}

// A cache that goes by the corp alone sends with the other app's token.
func TestTwoAppsOfOneCorpHaveTheirOwnTokens(t *testing.T) {
	r := appRig(t)
	r.agents["other-secret"] = 1000003
	other := *r
	other.account.AgentID, other.account.Secret = 1000003, "other-secret"
	first, second := r.sender(t), other.sender(t)
	sent(t, first, says("t-1", "lina", "a"))
	sent(t, second, says("t-2", "lina", "a"))
	sent(t, first, says("t-3", "lina", "b"))
	other.account.AgentID = 1000002
	failed(t, other.sender(t), says("t-4", "lina", "a"), channel.Halted) // 301002
}

// With the token of its old corp an account would write to strangers.
func TestANewSecretForgetsTheOldToken(t *testing.T) {
	r := appRig(t)
	sent(t, r.sender(t), says("t-1", "lina", "a"))
	r.agents["new-secret"] = appAccount.AgentID
	r.account.Secret = "new-secret"
	sent(t, r.sender(t), says("t-2", "lina", "b"))
	if n := r.tokensIssued(); n != 2 {
		t.Errorf("%d tokens were fetched, want one for each secret", n)
	}
}

func TestATokenThatCannotBeHad(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		want   channel.Class
		until  time.Duration
	}{
		"bad secret":         {refuses(40001, "invalid credential"), channel.Halted, 0},
		"bad corp":           {refuses(40013, "invalid corpid"), channel.Halted, 0},
		"address":            {refuses(60020, "not allow to access from your ip"), channel.Halted, 0},
		"too often":          {refuses(45009, "api freq out of limit"), channel.Throttled, time.Minute},
		"busy":               {refuses(-1, "system busy"), channel.Transient, 0},
		"unknown":            {refuses(49999, "who knows"), channel.Halted, 0},
		"a page":             {"<html>hello</html>", channel.Transient, 0},
		"no token":           {`{"errcode":0,"errmsg":"ok","access_token":"","expires_in":7200}`, channel.Transient, 0},
		"no end":             {`{"errcode":0,"access_token":"secret-token"}`, channel.Transient, 0},
		"broken off":         {`{"errcode":0,"access_token":"secret-token`, channel.Transient, 0},
		"a token of a novel": {`{"errcode":0,"access_token":"` + strings.Repeat("secret-token", 400) + `","expires_in":7200}`, channel.Transient, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := appRig(t)
			r.answerTokens(c.answer)
			e := failed(t, r.sender(t), says("t-1", "lina", "a"), c.want)
			wantCalls(t, r.fakeCom, "message/send", 0)
			if c.until != 0 && !e.Until.Equal(noon.Add(c.until)) {
				t.Errorf("until %v", e.Until)
			}
			if strings.Contains(e.Note, "secret-token") || strings.Contains(e.Note, appAccount.Secret) {
				t.Errorf("the note has a secret: %s", e.Note)
			}
		})
	}
}

// answerTokens makes gettoken answer with this.
func (r *rig) answerTokens(answer string) {
	r.answersEverything(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasSuffix(q.URL.Path, "/gettoken") {
			io.WriteString(w, answer)
			return
		}
		r.serve(w, q)
	})
}

// Whoever fetches may be given up on; the others must not suffer for it.
func TestWaitingForATokenOutlivesWhoFetchesIt(t *testing.T) {
	r := appRig(t)
	arrived, leave := make(chan struct{}, 2), make(chan struct{})
	r.answersEverything(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasSuffix(q.URL.Path, "/gettoken") {
			arrived <- struct{}{}
			select {
			case <-leave:
			case <-q.Context().Done():
				return
			}
		}
		r.serve(w, q)
	})
	s := r.sender(t)
	ctx, giveUp := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		c := says("t-1", "lina", "a")
		if _, err := s.Send(ctx, &c); err == nil {
			t.Error("sent, although it was given up on")
		}
	})
	<-arrived
	all.Go(func() {
		c := says("t-2", "lina", "b")
		if _, err := s.Send(context.Background(), &c); err != nil {
			t.Error(err)
		}
	})
	giveUp()
	<-arrived
	close(leave)
	all.Wait()
}
