package wkteam

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/wechat"
)

// noteWID is the key under which an account's latest instance is remembered.
// Callbacks teach it (Event.Learned), and the platform's list of logins does.
const noteWID = "instance/id"

// instance is the wId that requests name: the one learned last, else the one of
// the configuration.
func (s *sender) instance() string {
	return cmp.Or(s.memory.Recall(s.name, noteWID), s.wID)
}

// onInstance makes a request in the name of the current instance. If that turns
// out to have ended, the one that replaced it is looked up and remembered, and
// the request is left to another attempt: this one did not happen.
func (s *sender) onInstance(ctx context.Context, o order) (json.RawMessage, error) {
	wID := s.instance()
	if wID == "" {
		var err error
		if wID, err = s.relearn(ctx); err != nil {
			return nil, err
		}
	}
	body := maps.Clone(o.body)
	if body == nil {
		body = make(fields, 1)
	}
	body["wId"] = wID
	data, err := s.request(ctx, order{o.path, body})
	e, ok := errors.AsType[*channel.SendError](err)
	if !ok || e.Class != channel.Halted {
		return data, err
	}
	latest, err := s.relearn(ctx)
	switch {
	case err != nil: // it is not logged in, or nobody can tell; what the platform said stands
		return nil, s.fail(channel.Halted, e.Status, e.Note+"; "+err.Error())
	case latest == wID:
		return nil, s.fail(channel.Halted, e.Status, e.Note+"; it is listed as logged in all the same")
	}
	return nil, s.fail(channel.Transient, e.Status, e.Note+"; logged in anew since, the new instance is learned")
}

// relearn finds the account's instance in the platform's list of logins and
// remembers it. An account that is not in the list is Halted: a person must log
// it in.
func (s *sender) relearn(ctx context.Context) (wID string, err error) {
	logins, err := s.logins(ctx)
	if err != nil {
		return "", err
	}
	wID = logins[s.self]
	if wID == "" {
		return "", s.fail(channel.Halted, 0, fmt.Sprintf("%s is not among the %d accounts that are logged in", s.self, len(logins)))
	}
	if err := s.remember(ctx, wID); err != nil {
		return "", s.fail(channel.Transient, 0, err.Error())
	}
	return wID, nil
}

func (s *sender) remember(ctx context.Context, wID string) error {
	if s.memory.Recall(s.name, noteWID) == wID {
		return nil
	}
	if err := s.memory.Remember(ctx, s.name, engine.Note{Key: noteWID, Value: wID}); err != nil {
		return fmt.Errorf("remember the latest instance: %w", err)
	}
	return nil
}

// logins are the developer account's WeChat accounts that are logged in, each
// with its instance.
func (s *sender) logins(ctx context.Context) (map[string]string, error) {
	data, err := s.request(ctx, order{"/queryLoginWx", fields{}})
	if err != nil {
		return nil, channel.Harmless(err)
	}
	var list []struct {
		WcID word `json:"wcId"`
		WID  word `json:"wId"`
	}
	if len(data) > 0 && json.Unmarshal(data, &list) != nil {
		return nil, s.fail(channel.Transient, 0, "/queryLoginWx: data is no list of logins")
	}
	all := make(map[string]string, len(list))
	for _, l := range list {
		if l.WID != "" && wechat.IsID(string(l.WID)) {
			all[string(l.WcID)] = string(l.WID)
		}
	}
	return all, nil
}

// Online asks the list of logins, and learns from it. An account that is missing
// from it is offline only if the platform also has a reason for that: either
// alone is known to be wrong now and then. The page advises to ask twice, some
// seconds apart, before anybody is alarmed.
func (s *sender) Online(ctx context.Context) (online bool, note string, err error) {
	logins, err := s.logins(ctx)
	if err != nil {
		return false, "", err
	}
	if wID := logins[s.self]; wID != "" {
		if err := s.remember(ctx, wID); err != nil {
			return false, "", s.fail(channel.Transient, 0, err.Error())
		}
		return true, "", nil
	}
	data, err := s.request(ctx, order{"/offlineReason", fields{"wcId": s.self}})
	if err != nil {
		return false, "", channel.Harmless(err)
	}
	if reason := reasonOf(data); reason != "" {
		return false, reason, nil
	}
	return true, "not among the accounts that are logged in, but the platform knows no reason for that", nil
}

// reasonOf reads why an account is offline: a member of the data, or the data
// itself.
func reasonOf(data json.RawMessage) string {
	var in struct {
		Reason word `json:"reason"`
	}
	if json.Unmarshal(data, &in) == nil {
		return string(in.Reason)
	}
	var bare word
	if len(data) > 0 {
		_ = bare.UnmarshalJSON(data) // which does not fail
	}
	return string(bare)
}
