package qiwe

import (
	"context"
	"encoding/json"
	"strings"

	"bot/engine/channel"
)

// states are the values of userOnlineStatus.
var states = map[scalar]string{
	"2": "online", "0": "logged out, can log in without a scan", "-1": "logged out, the code must be scanned",
	"1": "scanned, not confirmed yet", "4": "the log-in was cancelled", "10": "waits for the code of six digits",
}

// online is the userOnlineStatus of an account that is connected.
const online = "2"

// Online implements channel.Prober.
func (s *sender) Online(ctx context.Context) (bool, string, error) {
	data, err := s.call(ctx, "/login/checkLogin", nil)
	if err != nil {
		return false, "", channel.Harmless(err)
	}
	var d struct {
		Status scalar `json:"userOnlineStatus"`
	}
	decode(data, &d)
	note, known := states[d.Status]
	if !known {
		note = "a status of its own"
	}
	return d.Status == online, note, nil
}

// Register implements channel.Registrar. The address holds for all devices of
// the token. What authType may be is not documented, so none is given.
func (s *sender) Register(ctx context.Context, callback string) error {
	params := map[string]any{"callbackUrl": callback}
	if s.secret != "" {
		params["authSecret"] = s.secret
	}
	_, err := s.call(ctx, "/client/setCallback", params)
	return channel.Harmless(err)
}

// Call implements channel.Caller: any method of the interface, with or without
// its leading slash.
func (s *sender) Call(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	return s.call(ctx, "/"+strings.TrimLeft(method, "/"), params)
}
