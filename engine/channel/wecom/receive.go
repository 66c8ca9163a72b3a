package wecom

import (
	"errors"
	"net/http"
	"time"

	"bot/engine/channel"
	"bot/engine/channel/wecom/crypt"
)

// receiver reads the callbacks of one path.
type receiver struct {
	accounts []*account
	memory   channel.Memory
	waiting  *waiting
}

// account is one of a path's accounts, ready to be tried and answered for.
type account struct {
	name   string
	form   string
	secret crypt.Secret
	skew   time.Duration // 0 = any
	named  bool          // what people call a bot is configured
	// welcome is what a bot says to who opens its chat; "" = nothing.
	welcome string
	ack     channel.Answer
}

// newReceiver tells accounts that share a path apart by whose signature it is,
// so no two of them may have the same token and key.
func newReceiver(accounts []channel.Account, h channel.Host) (channel.Receiver, error) {
	if len(accounts) == 0 {
		return nil, errors.New("no account")
	}
	r := &receiver{memory: h.Memory, waiting: newWaiting()}
	owner := make(map[[2]string]string)
	for i := range accounts {
		a := &accounts[i]
		secret, err := checkInbound(a)
		if err != nil {
			return nil, err
		}
		ack, err := acknowledgement(a)
		if err != nil {
			return nil, err
		}
		same := [2]string{a.CallbackToken, a.EncodingAESKey}
		if first, taken := owner[same]; taken {
			return nil, a.Wrong("callback_token", "callback_token and encoding_aes_key are those of account %q on the same path; each app has its own", first)
		}
		owner[same] = a.Name
		r.accounts = append(r.accounts, &account{
			name: a.Name, form: a.Form, secret: secret, skew: a.MaxSkew, named: len(a.Names) > 0, welcome: a.Welcome, ack: ack,
		})
	}
	return r, nil
}

// Receive verifies, decrypts, and only then reads.
func (r *receiver) Receive(q *channel.Request) (channel.Receipt, error) {
	s, err := sealed(q)
	if err != nil {
		return channel.Receipt{}, err
	}
	a, plain, err := r.open(s, q.Now)
	switch {
	case err != nil:
		return channel.Receipt{}, err
	case q.Method == http.MethodGet:
		// The decrypted bytes and nothing else, or the admin console refuses the address.
		return channel.Receipt{Account: a.name, Answer: channel.TextAnswer(http.StatusOK, string(plain))}, nil
	}
	var receipt channel.Receipt
	if a.form == FormAIBot {
		receipt, err = r.bot(a, s, plain, q.Now)
	} else {
		receipt, err = a.app(plain, q.Now)
	}
	receipt.Account = a.name
	return receipt, err
}

// sealed takes what is signed out of the request. net/url has decoded the
// query's values once, as often as they were encoded.
func sealed(q *channel.Request) (crypt.Sealed, error) {
	s := crypt.Sealed{
		Signature: q.Query.Get("msg_signature"), Timestamp: q.Query.Get("timestamp"), Nonce: q.Query.Get("nonce"),
	}
	var err error
	if q.Method == http.MethodGet {
		if !q.Query.Has("msg_signature") && !q.Query.Has("echostr") {
			r := refuse("envelope", http.StatusBadRequest, "called without the parameters of a verification")
			r.Answer.Body = []byte("This address is for WeCom's callbacks. Enter it in the admin console; there is nothing to see here.")
			return s, r
		}
		if s.Encrypt = q.Query.Get("echostr"); s.Encrypt == "" {
			err = errors.New("no echostr")
		}
	} else {
		s.Encrypt, err = envelope(q.Body)
	}
	if err != nil {
		return s, refuse("envelope", http.StatusBadRequest, err.Error())
	}
	for _, name := range []string{"msg_signature", "timestamp", "nonce"} {
		if !q.Query.Has(name) {
			return s, refuse("signature", http.StatusBadRequest, "no "+name+" in the query")
		}
	}
	return s, nil
}

// open finds the account whose callback it is and decrypts it. The refusal is
// that of the account which came farthest: one that signed it says more than
// those that did not.
func (r *receiver) open(s crypt.Sealed, now time.Time) (*account, []byte, error) {
	var refusal error
	for _, a := range r.accounts {
		if !a.secret.Signed(s.Signature, s.Timestamp, s.Nonce, s.Encrypt) {
			continue
		}
		plain, err := a.open(s, now)
		if err == nil {
			return a, plain, nil
		}
		if refusal == nil {
			refusal = err
		}
	}
	if refusal == nil {
		refusal = refuse(string(crypt.Signature), http.StatusForbidden, "no account's callback_token signs it so")
	}
	return nil, nil, refusal
}
