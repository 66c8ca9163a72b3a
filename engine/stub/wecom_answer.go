package stub

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// wecomWords are the platform's words for the errors that the stub knows.
var wecomWords = map[int]string{
	40001: "invalid credential", 40003: "invalid userid", 40004: "invalid media type", 40007: "invalid media_id",
	40008: "invalid message type", 40013: "invalid corpid", 40014: "invalid access_token", 40032: "userid list too long",
	40058: "invalid request parameter", 41001: "access_token missing", 41050: "invalid welcome code", 41051: "the chat has begun",
	42001: "access_token expired", 43001: "require GET or POST method", 44001: "empty media", 44004: "empty content",
	45001: "media size out of limit", 45002: "content size out of limit", 45008: "too many articles",
	45009: "api freq out of limit", 47001: "data format error", 60140: "response_code invalid or expired",
	81013: "user & party & tag all invalid", 82001: "no recipient", 84061: "not external contact", 86003: "invalid chatid",
	86215: "chatid exists", 93000: "invalid webhook url", 95000: "invalid open_kfid", 95001: "send msg count limit",
	95002: "send msg over 48 hours", 95007: "invalid msg token", 95013: "session ended", 95016: "not allowed transition",
	95018: "session status forbids", 301002: "not allow operate another agent with this accesstoken",
}

// wecomError is a refusal as the platform writes it, with what it adds to its
// words.
func wecomError(code int) Answer {
	a := wecomAnswer(object{
		"errcode": code,
		"errmsg":  fmt.Sprintf("%s, hint: [stub], from ip: 203.0.113.7, more info at https://open.work.weixin.qq.com/devtool/query?e=%d", wecomWords[code], code),
	})
	a.Refused = code != 0
	return a
}

// refuse answers with an error. The call's key is not learned: the platform
// did not carry it out.
func (c *Call) refuse(code int) Answer {
	c.Key = ""
	return wecomError(code)
}

// wecomAnswer is a success, unless it says otherwise.
func wecomAnswer(o object) Answer {
	if o == nil {
		o = object{}
	}
	if _, told := o["errcode"]; !told {
		o["errcode"], o["errmsg"] = 0, "ok"
	}
	body, err := json.Marshal(o)
	if err != nil {
		return Answer{Status: http.StatusInternalServerError}
	}
	return Answer{Status: http.StatusOK, Body: string(body)}
}

// wecomCodes are permissions that the platform gave: each is good once.
type wecomCodes map[string]*wecomCode

type wecomCode struct {
	until time.Time
	about string // the conversation that it is good for
	begun bool   // of a welcome: they talk already
	used  bool
}

// maxCodes bounds what a stub that runs for long remembers.
const maxCodes = 10_000

func (all wecomCodes) give(code string, c wecomCode, now time.Time) {
	if len(all) >= maxCodes {
		for code, c := range all {
			if now.After(c.until) {
				delete(all, code)
			}
		}
	}
	if _, given := all[code]; !given { // a repeat of the callback gives nothing new
		all[code] = &c
	}
}

// take uses a code up, nil where it is none any more.
func (all wecomCodes) take(code string, now time.Time) *wecomCode {
	c := all[code]
	if c == nil || c.used || now.After(c.until) {
		return nil
	}
	c.used = true
	return c
}

// about is the conversation that a code belongs to, used or not.
func (all wecomCodes) about(code string) string {
	if c := all[code]; c != nil {
		return c.about
	}
	return ""
}

// wecomBuckets count what happened within the last minute, by whom it concerns.
type wecomBuckets map[string][]time.Time

// full counts one more, unless there were n within the minute before now.
func (all wecomBuckets) full(who string, n int, now time.Time) bool {
	recent := all[who]
	for len(recent) > 0 && now.Sub(recent[0]) >= time.Minute {
		recent = recent[1:]
	}
	if len(recent) >= n {
		all[who] = recent
		return true
	}
	all[who] = append(recent, now)
	return false
}
