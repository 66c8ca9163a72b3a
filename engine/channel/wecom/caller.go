package wecom

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"bot/engine/channel"
)

// reads are the calls that go with GET and take their params in the address.
var reads = map[string]bool{
	"appchat/get": true, "agent/get": true, "department/simplelist": true, "getcallbackip": true, "menu/get": true, "user/get": true,
	"externalcontact/get": true, "externalcontact/get_follow_user_list": true, "externalcontact/list": true,
	"kf/servicer/list": true,
}

// Call implements channel.Caller: method is a path of the interface, such as
// "externalcontact/groupchat/get", with "GET " or "POST " before it where the
// engine does not know that it is the other. An agentid is added to what is of
// message/. The result is the answer without errcode and errmsg.
func (s *appSender) Call(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	q, err := s.anyCall(method, params)
	if err != nil {
		return nil, err
	}
	body, err := s.tokens.withToken(ctx, func(token string) ([]byte, error) {
		return s.do(ctx, withToken(*q, token))
	})
	if err != nil {
		return nil, sendError(err)
	}
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, new(channel.Call).Fail(channel.Unsure, http.StatusOK, "unreadable answer from "+q.path)
	}
	delete(answer, "errcode")
	delete(answer, "errmsg")
	return encode(answer)
}

func (s *appSender) anyCall(method string, params map[string]any) (*request, error) {
	verb, path, given := strings.Cut(strings.TrimSpace(method), " ")
	if !given {
		verb, path = http.MethodPost, verb
		if reads[path] {
			verb = http.MethodGet
		}
	}
	if path == "" || strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/") != "" || path == "gettoken" {
		return nil, permanent("a method is a path below /cgi-bin, such as externalcontact/get")
	}
	q := &request{method: verb, path: path, harmless: verb == http.MethodGet}
	switch verb {
	case http.MethodGet:
		q.query = make(url.Values, len(params)+1)
		for name, v := range params {
			q.query.Set(name, fmt.Sprint(v))
		}
		return q, nil
	case http.MethodPost:
		body := object{}
		if strings.HasPrefix(path, "message/") {
			body["agentid"] = s.agentID
		}
		for name, v := range params {
			body[name] = v
		}
		var err error
		q.body, err = encode(body)
		return q, err
	}
	return nil, permanent("a method goes with GET or POST")
}
