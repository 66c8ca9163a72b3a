package generic

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"bot/engine/channel"
)

// failure is what a 2xx answer says went wrong; no class means nothing.
type failure struct {
	class channel.Class
	note  string
}

// verdict is the members of an answer that gateways put their result in. Each
// is text, whether it was a JSON string, number or boolean; "" when absent.
type verdict struct {
	Status  word `json:"status"`
	Code    word `json:"code"`
	Ret     word `json:"ret"`
	ErrCode word `json:"errcode"`
	Success word `json:"success"`
	Error   word `json:"error"`
}

// judge reads the body of a 2xx answer:
//
//	no body, or one that does not claim to be JSON  sent
//	HTML or other markup                            Unsure: somebody else spoke, and who knows what the gateway did
//	claims to be JSON and is not, or was cut off    Unsure: an answer that nobody can read
//	errcode other than 0, success false             failed, whatever else it says
//	status success, ok or 200                       sent
//	code 0, 200, 1000, success or ok; ret 200       sent
//	none of these members, and no error             sent
//	anything else                                   failed
//
// What failed is Throttled for the code 429 or 45009 or a status that says so,
// Credential for 401 and 403, and Permanent otherwise: a gateway that answered
// in its own words has understood the command and will not like it better the
// next time.
func judge(r *channel.Reply) failure {
	body := bytes.TrimSpace(r.Body)
	kind, _, _ := strings.Cut(strings.ToLower(r.Header.Get("Content-Type")), ";")
	switch {
	case len(body) == 0:
		return failure{}
	case kind == "text/html", body[0] == '<':
		return failure{channel.Unsure, "a page, not an answer: " + string(body)}
	case body[0] != '{' && body[0] != '[' && !strings.HasSuffix(kind, "json"):
		return failure{}
	}
	var v verdict
	_, broken := errors.AsType[*json.SyntaxError](json.Unmarshal(body, &v))
	if broken || r.Cut {
		return failure{channel.Unsure, "unreadable JSON: " + string(body)}
	}
	if v.good() {
		return failure{}
	}
	return failure{v.class(), string(body)}
}

func (v *verdict) good() bool {
	switch {
	case v.ErrCode != "" && v.ErrCode != "0", v.Success == "false":
		return false
	case v.Status.in("success", "ok", "200"), v.Code.in("0", "200", "1000", "success", "ok"), v.Ret == "200":
		return true
	}
	return v.Status == "" && v.Code == "" && v.Ret == "" && v.Error.in("", "0", "false")
}

func (v *verdict) class() channel.Class {
	class := channel.Permanent
	for _, w := range []word{v.Code, v.Ret, v.ErrCode, v.Status, v.Error} {
		switch {
		case w.in("429", "45009", "throttled", "rate_limited", "too_many_requests"):
			return channel.Throttled
		case w.in("401", "403"):
			class = channel.Credential
		}
	}
	return class
}

// word is a scalar of JSON as text.
type word string

// UnmarshalJSON never fails: an object counts as a word that is no good one,
// null as none.
func (w *word) UnmarshalJSON(b []byte) error {
	var s string
	switch {
	case string(b) == "null":
		*w = ""
	case b[0] != '"': // a number, a boolean, a list or an object
		*w = word(b)
	case !escaped(b) && utf8.Valid(b):
		*w = word(b[1 : len(b)-1])
	case json.Unmarshal(b, &s) == nil:
		*w = word(s)
	default:
		*w = word(b)
	}
	return nil
}

func (w word) in(words ...string) bool {
	for _, s := range words {
		if strings.EqualFold(string(w), s) {
			return true
		}
	}
	return false
}
