package wecomstub

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"bot/engine/stub"
)

// words are the platform's for the errors that the stub knows.
var words = map[int]string{
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

// refusal is an error as the platform writes it, with what it adds to its words.
func refusal(code int) stub.Answer {
	a := success(object{
		"errcode": code,
		"errmsg":  fmt.Sprintf("%s, hint: [stub], from ip: 203.0.113.7, more info at https://open.work.weixin.qq.com/devtool/query?e=%d", words[code], code),
	})
	a.Refused = true
	return a
}

// success is an answer with errcode 0, unless o has another.
func success(o object) stub.Answer {
	if o == nil {
		o = object{}
	}
	if _, told := o["errcode"]; !told {
		o["errcode"], o["errmsg"] = 0, "ok"
	}
	body, err := json.Marshal(o)
	if err != nil {
		return stub.Answer{Status: http.StatusInternalServerError}
	}
	return stub.Answer{Status: http.StatusOK, Body: string(body)}
}

// buckets count what happened within the last minute, by whom it concerns.
type buckets map[string][]time.Time

// full counts one more, unless there were n within the minute before now.
func (all buckets) full(who string, n int, now time.Time) bool {
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
