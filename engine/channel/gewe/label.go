package gewe

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"bot/engine"
	"bot/engine/channel"
)

// setLabel adds and removes labels of a contact by name. The gateway knows them
// by number and replaces all that a contact has, so what it has is read first.
// The param labelIds, with commas, replaces them without a look.
func (s *sender) setLabel(ctx context.Context, c *engine.Command) error {
	if ids := channel.Params(c, "labelIds"); ids != nil {
		return s.replaceLabels(ctx, c.Conversation, ids)
	}
	add, remove := channel.Params(c, "add"), channel.Params(c, "remove")
	if len(add)+len(remove) == 0 {
		return s.impossible("set_label needs the param add, remove or labelIds")
	}
	has, err := s.labelsOf(ctx, c.Conversation)
	if err != nil {
		return err
	}
	after := maps.Clone(has)
	for _, name := range add {
		id, err := s.labelID(ctx, name)
		if err != nil {
			return err
		}
		after[id] = true
	}
	if len(remove) > 0 {
		known, err := s.labels(ctx)
		if err != nil {
			return err
		}
		for _, name := range remove {
			delete(after, known[name])
		}
	}
	if maps.Equal(has, after) {
		return nil
	}
	return s.replaceLabels(ctx, c.Conversation, slices.Sorted(maps.Keys(after)))
}

func (s *sender) replaceLabels(ctx context.Context, user string, ids []string) error {
	_, err := s.post(ctx, "/label/modifyMemberList", fields{"labelIds": strings.Join(ids, ","), "wxIds": []string{user}})
	return err
}

// labelsOf reads the numbers of a contact's labels, with commas between them.
func (s *sender) labelsOf(ctx context.Context, user string) (map[string]bool, error) {
	data, err := s.look(ctx, "/contacts/getBriefInfo", fields{"wxids": []string{user}})
	if err != nil {
		return nil, err
	}
	var found []struct{ LabelList word }
	if json.Unmarshal(data, &found) != nil || len(found) == 0 {
		return nil, s.impossible("the gateway does not know the contact whose labels are to be set")
	}
	has := make(map[string]bool)
	for id := range strings.SplitSeq(string(found[0].LabelList), ",") {
		if id = strings.TrimSpace(id); id != "" {
			has[id] = true
		}
	}
	return has, nil
}

// label is what the gateway says of one.
type label struct{ LabelName, LabelID word }

// labelID finds a label's number, or makes the label: the gateway has one call
// for both. Repeating it changes nothing.
func (s *sender) labelID(ctx context.Context, name string) (string, error) {
	data, err := s.look(ctx, "/label/add", fields{"labelName": name})
	if err != nil {
		return "", err
	}
	var l label
	if json.Unmarshal(data, &l) != nil || l.LabelID == "" {
		call := s.call()
		return "", call.Fail(channel.Transient, 0, "the answer to label/add has no labelId")
	}
	return string(l.LabelID), nil
}

// labels lists all labels by name: a list, or a list under labelList.
func (s *sender) labels(ctx context.Context) (map[string]string, error) {
	data, err := s.look(ctx, "/label/list", nil)
	if err != nil {
		return nil, err
	}
	var all []label
	if json.Unmarshal(data, &all) != nil {
		var wrapped struct{ LabelList []label }
		if json.Unmarshal(data, &wrapped) != nil {
			call := s.call()
			return nil, call.Fail(channel.Transient, 0, "the answer to label/list is no list")
		}
		all = wrapped.LabelList
	}
	ids := make(map[string]string, len(all))
	for _, l := range all {
		ids[string(l.LabelName)] = string(l.LabelID)
	}
	return ids, nil
}
