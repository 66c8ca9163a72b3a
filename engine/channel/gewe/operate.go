package gewe

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strings"

	"bot/engine/channel"
)

// Online asks the gateway. It may say yes of an account that is dead: then no
// callbacks come, and only that tells.
func (s *sender) Online(ctx context.Context) (online bool, note string, err error) {
	data, err := s.look(ctx, "/login/checkOnline", nil)
	if halted, ok := errors.AsType[*channel.SendError](err); ok && halted.Class == channel.Halted {
		return false, halted.Note, nil
	}
	if err != nil {
		return false, "", err
	}
	var answer word
	json.Unmarshal(data, &answer) // reads anything
	switch answer {
	case "true", "1":
		return true, "", nil
	case "false", "0":
		return false, "the gateway says that the account is not logged in", nil
	}
	call := s.call()
	return false, "", call.Fail(channel.Transient, 0, "checkOnline answered neither true nor false")
}

// Where the callback address is set: in the container and in the cloud.
const (
	setCallbackLocal = "/tools/setCallback"
	setCallbackCloud = "/login/setCallback"
)

// Register sets the address for all accounts of the token. The gateway tries it
// while the call waits, so the engine must be running and reachable from there.
//
// It is refused for an account with a secret: setting the address here loses
// the one in the console, and callbacks without it would be turned away.
func (s *sender) Register(ctx context.Context, callback string) error {
	if s.signed {
		return s.impossible("the account has a secret, which only the vendor's console can set: set the address there, too")
	}
	paths := [2]string{setCallbackLocal, setCallbackCloud}
	if strings.Contains(s.base.Path, "/gewe/") {
		paths = [2]string{setCallbackCloud, setCallbackLocal}
	}
	err := s.setCallback(ctx, paths[0], callback)
	if e, ok := errors.AsType[*channel.SendError](err); ok && e.Status == http.StatusNotFound {
		err = s.setCallback(ctx, paths[1], callback)
	}
	return err
}

// setCallback explains the one failure that has no reason in it.
func (s *sender) setCallback(ctx context.Context, path, callback string) error {
	_, err := s.look(ctx, path, fields{"token": s.token, "callbackUrl": callback})
	if e, ok := errors.AsType[*channel.SendError](err); ok && strings.HasSuffix(e.Note, "no reason given") {
		e.Class, e.Note = channel.Permanent, e.Note+"; the token is wrong, or the gateway cannot reach the address"
	}
	return err
}

// Call makes a documented call by its path, such as "contacts/search". The
// account's appId goes with it, whatever params say.
func (s *sender) Call(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	path := strings.Trim(method, "/")
	stray := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '/')
	}
	if path == "" || strings.ContainsFunc(path, stray) || strings.Contains(path, "//") {
		return nil, s.impossible(`a call is named by its path, like "contacts/search"`)
	}
	return s.post(ctx, "/"+path, maps.Clone(fields(params)))
}
