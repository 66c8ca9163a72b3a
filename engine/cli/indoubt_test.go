package cli

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"bot/engine/api"
)

func TestManyDoubtsAreEndedAtOnceAndThoseOfAConversationInOrder(t *testing.T) {
	var doubts []api.Doubt
	want := make(map[string][]string)
	for i := range 600 {
		d := api.Doubt{TaskID: fmt.Sprintf("u%d/%d", i%60, i), Conversation: fmt.Sprint("u", i%60)}
		doubts, want[d.Conversation] = append(doubts, d), append(want[d.Conversation], d.TaskID)
	}
	var out, errs bytes.Buffer
	c := &call{Parts: Parts{Out: &out, Err: &errs}}
	var mu sync.Mutex
	got, together := make(map[string][]string), 0
	met := make(chan struct{})
	code := c.eachOf("command", byConversation(doubts), "sent again", func(id string) error {
		mu.Lock()
		if together++; together == crew {
			close(met)
		}
		mu.Unlock()
		<-met // nobody goes on before as many are at work as may be
		conversation, _, _ := strings.Cut(id, "/")
		mu.Lock()
		defer mu.Unlock()
		got[conversation] = append(got[conversation], id)
		if id == "u7/7" {
			return errors.New("it is not there (any more)")
		}
		return nil
	})
	if !reflect.DeepEqual(got, want) {
		t.Error("the order of a conversation is not kept, or some were left out")
	}
	if code != exitFailed || out.Len() > 0 || errs.String() != "command u7/7: it is not there (any more)\n" {
		t.Errorf("code %d, %q, %q", code, out.String(), errs.String())
	}
}
