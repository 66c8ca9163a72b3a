package wkteam

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
)

// accountless are calls of the developer account that name no instance.
var accountless = map[string]bool{
	"/member/login": true, "/member/offline": true, "/queryLoginWx": true, "/offlineReason": true,
	"/setHttpCallbackUrl": true, "/cancelHttpCallbackUrl": true,
	"/iPadLogin": true, "/secondLogin": true, "/getMsgVideoRes": true,
}

// callbackType is the "optimised" form of callbacks, the only one read here.
const callbackType = 2

// Register sets the callback address of the developer account: of all its WeChat
// accounts at once, in place of the one that was set before.
func (s *sender) Register(ctx context.Context, callback string) error {
	_, err := s.request(ctx, order{"/setHttpCallbackUrl", fields{"httpUrl": callback, "type": callbackType}})
	return err
}

// Call makes any call of the interface by its path, such as getContact, and
// returns the answer's data. The instance is added where the call has one and
// params do not name another.
func (s *sender) Call(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	path := "/" + strings.TrimPrefix(method, "/")
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/_") != "" || strings.Contains(path, "//") || path == "/" {
		return nil, s.never("a call is named by its path, like getContact or member/offline")
	}
	body := maps.Clone(params)
	if body == nil {
		body = make(map[string]any)
	}
	if _, named := body["wId"]; named || accountless[path] {
		return s.request(ctx, order{path, body})
	}
	return s.onInstance(ctx, order{path, body})
}
