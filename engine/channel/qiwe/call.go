package qiwe

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"time"

	"bot/engine/channel"
)

// tokenLevel are the methods that concern no device: a guid in them is an error.
var tokenLevel = map[string]bool{"/client/setCallback": true, "/client/createClient": true}

// call makes one request of the interface and returns the data of a success.
// Its error is always a *channel.SendError, Unsure where the platform does not
// say whether it did anything.
func (s *sender) call(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	call := channel.Call{URL: s.address, Header: s.header, Secrets: s.secrets, Now: s.now}
	if !tokenLevel[method] {
		params = maps.Clone(params)
		if params == nil {
			params = make(map[string]any, 1)
		}
		params["guid"] = s.guid
	}
	var err error
	call.Body, err = json.Marshal(struct {
		Method string         `json:"method"`
		Params map[string]any `json:"params"`
	}{method, params})
	if err != nil {
		return nil, call.Fail(channel.Permanent, 0, "encode request: "+err.Error())
	}
	reply, err := call.Do(ctx, s.client)
	if err != nil {
		return nil, err
	}
	data, class, note := judge(&reply)
	if class == "" {
		return data, nil
	}
	return nil, call.Denied(class, &reply, note, coolDown)
}

// coolDown is how long the account rests when the platform says that it acts
// too often. The platform names no time; this one is ours.
const coolDown = 10 * time.Minute

// reply is the envelope of an answer. Some errors say message for msg.
type reply struct {
	Code    scalar          `json:"code"`
	Msg     scalar          `json:"msg"`
	Message scalar          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// judge reads the body of a 2xx answer. No class means success: code 0 or 200,
// both of which occur.
func judge(r *channel.Reply) (data json.RawMessage, class channel.Class, note string) {
	var v reply
	switch {
	case r.Cut:
		return nil, channel.Unsure, "the answer is larger than can be read; ask for fewer at a time"
	case !json.Valid(r.Body):
		return nil, channel.Unsure, "no JSON, so not the platform's answer: " + string(r.Body)
	}
	decode(r.Body, &v)
	said := first(v.Msg, v.Message)
	switch v.Code {
	case "0", "200":
		return v.Data, "", ""
	case "":
		return nil, channel.Unsure, "an answer without a code: " + string(r.Body)
	}
	return nil, classify(string(v.Code), said), "code " + string(v.Code) + ": " + said
}

// verdicts sort failures by their words, the first that match: the platform has
// no table of codes, and 500 is its code for most failures. The words of
// Permanent are those of a system that ran; the others are inferred.
var verdicts = []struct {
	class channel.Class
	codes []string
	words []string
}{
	{channel.Throttled, []string{"429"}, []string{"频繁", "频率", "限流", "太快"}},
	{channel.Halted, nil, []string{"未登录", "未登陆", "不在线", "离线", "掉线", "登录失效", "登录已失效", "重新登录"}},
	{channel.Credential, []string{"401", "403"}, []string{"token", "令牌"}},
	{channel.Permanent, []string{"400", "404", "405"}, []string{"不可用", "上限", "参数错误", "未授权", "已过期", "权限不足"}},
}

// classify sorts a failure that the platform told. Nobody knows what one
// without a known word did.
func classify(code, said string) channel.Class {
	said = strings.ToLower(said)
	for _, v := range verdicts {
		for _, c := range v.codes {
			if c == code {
				return v.class
			}
		}
		for _, w := range v.words {
			if strings.Contains(said, w) {
				return v.class
			}
		}
	}
	return channel.Unsure
}
