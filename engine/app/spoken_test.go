package app

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"bot/engine"
)

// shout makes what people read visible: x becomes X.
func shout(s string) string { return strings.ReplaceAll(s, "x", "X") }

type params = map[string]any

func TestWhatPeopleReadOfACommandIsReworded(t *testing.T) {
	for _, tt := range []struct {
		name     string
		action   engine.Action
		in, want params
	}{
		{"names that are mentioned, not ids", engine.SendText,
			params{"at": []string{"x"}, "at_names": []string{"x", "y"}}, params{"at": []string{"x"}, "at_names": []string{"X", "y"}}},
		{"the same from JSON", engine.SendText, params{"at_names": []any{"x", json.Number("1")}}, params{"at_names": []any{"X", json.Number("1")}}},
		{"a link's title and description, not its address", engine.SendLink,
			params{"title": "x", "description": "x", "url": "http://x", "cover_url": "x"}, params{"title": "X", "description": "X", "url": "http://x", "cover_url": "x"}},
		{"a file's name", engine.SendFile, params{"name": "x.pdf", "url": "x"}, params{"name": "X.pdf", "url": "x"}},
		{"a group's new name", engine.RenameGroup, params{"name": "x"}, params{"name": "X"}},
		{"a group's first name, not its members", engine.CreateGroup, params{"name": "x", "members": []any{"x"}}, params{"name": "X", "members": []any{"x"}}},
		{"why somebody is asked in", engine.AddMember, params{"reason": "x", "members": "x"}, params{"reason": "X", "members": "x"}},
		{"a greeting", engine.AddFriend, params{"greeting": "x", "v3": "x"}, params{"greeting": "X", "v3": "x"}},
		{"what a card shows, not its keys", engine.SendCard,
			params{"card": params{"card_type": "x", "main_title": params{"title": "x", "desc": "x"}, "ids": []any{"x"},
				"button_list": []any{params{"text": "x", "key": "x"}}, "jump_list": []any{params{"title": "x", "url": "x"}}}},
			params{"card": params{"card_type": "x", "main_title": params{"title": "X", "desc": "X"}, "ids": []any{"x"},
				"button_list": []any{params{"text": "X", "key": "x"}}, "jump_list": []any{params{"title": "X", "url": "x"}}}}},
		{"a card that is written out", engine.SendCard, params{"card": `{"n":12345678901234567890,"title":"x","url":"x"}`}, params{"card": `{"n":12345678901234567890,"title":"X","url":"x"}`}},
		{"a card of another form", engine.SendCard, params{"card": "<title>x</title>"}, params{"card": "<title>X</title>"}},
		{"a notice's table", engine.SendMiniapp, params{"content_item": []any{params{"key": "x", "value": "x", "id": "x"}}}, params{"content_item": []any{params{"key": "X", "value": "X", "id": "x"}}}},
		{"no remark, which only staff see", engine.SetRemark, params{"remark": "x"}, params{"remark": "x"}},
		{"nothing that is forwarded", engine.Forward, params{"content": "x"}, params{"content": "x"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, err := json.Marshal(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			c := &engine.Command{TaskID: "t", Action: tt.action, Params: tt.in}
			if got := reworded(c, shout); !reflect.DeepEqual(got.Params, tt.want) || got.TaskID != "t" {
				t.Errorf("%v, want %v", got.Params, tt.want)
			}
			if after, _ := json.Marshal(c.Params); string(after) != string(before) {
				t.Errorf("the command itself became %s, was %s", after, before)
			}
		})
	}
}

func TestACommandsTextIsReworded(t *testing.T) {
	for _, action := range []engine.Action{engine.SendText, engine.SendMarkdown, engine.SetAnnouncement} {
		c := &engine.Command{Action: action, Text: "x", Params: params{"k": "x"}}
		if got := reworded(c, shout); got.Text != "X" || c.Text != "x" || got.Params["k"] != "x" {
			t.Errorf("%s: %+v", action, got)
		}
	}
}

func TestACommandThatSaysNothingOfInterestStaysItself(t *testing.T) {
	for _, c := range []*engine.Command{
		{Action: engine.SendText, Text: "y", Params: params{"at_names": []any{"y"}}},
		{Action: engine.SendCard, Params: params{"card": `{ "title": "y" }`}},
		{Action: engine.LeaveGroup},
	} {
		if got := reworded(c, shout); got != c {
			t.Errorf("%+v", got)
		}
	}
}

func TestEveryParamThatIsReadIsOfAKnownAction(t *testing.T) {
	for action := range spokenParams {
		if _, known := engine.ParseAction(string(action)); !known {
			t.Errorf("there is no action %s", action)
		}
	}
}
