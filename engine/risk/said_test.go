package risk

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
)

const sameText = `
[[risk]]
name = "loop"
on = "same_text"
more_than = "3/h"
action = "pause"
except = ["friend"]
`

func (w *world) tells(lane engine.Lane, to, text string) {
	w.Said(&engine.Command{Account: "shop", Conversation: to, Action: engine.SendText, Text: text, Lane: lane, TaskID: to})
}

func TestOneTextToManyIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, sameText)
		var paused []string
		w.o.Pause = func(c *engine.Command, h Hit) { paused = append(paused, h.Row+" "+c.TaskID) }
		for i := range 3 {
			w.tells(engine.LaneBulk, fmt.Sprint("u", i), "大促销！")
			w.tells(engine.LaneBulk, fmt.Sprint("u", i), "大促销！")             // the same ones again
			w.tells(engine.LanePush, fmt.Sprint("u", i), fmt.Sprint("致", i)) // another text for each
			w.tells(engine.LaneReply, fmt.Sprint("v", i), "大促销！")            // an answer
		}
		w.tells(engine.LanePush, "friend", "大促销！")
		if len(w.hits) > 0 || len(paused) > 0 {
			t.Errorf("three are allowed: %q, %q", w.hits, paused)
		}
		w.tells(engine.LanePush, "u9", "大 促 销")
		if !slices.Equal(w.hits, []string{"pause:loop"}) || !slices.Equal(paused, []string{"loop u9"}) {
			t.Errorf("the fourth: %q, %q", w.hits, paused)
		}
		time.Sleep(2 * time.Hour)
		w.tells(engine.LanePush, "u10", "大促销")
		if len(w.hits) != 1 {
			t.Errorf("two hours later: %q", w.hits)
		}
	})
}

func TestARowOnSameTextIsReadStrictly(t *testing.T) {
	for _, tt := range []struct{ change, with, want string }{
		{`more_than = "3/h"`, "", `on = "same_text" needs more_than`},
		{`"pause"`, `"mute"`, "action: pause goes with"},
		{`"pause"`, `"block"`, "action: pause goes with"},
		{`on = "same_text"`, `on = "message"`, "action: pause goes with"},
		{`action`, "words = [\"x\"]\naction", "words does nothing beside"},
		{`action`, "where = \"group\"\naction", "where does nothing beside"},
		{`action`, "per = \"user\"\naction", `counted per "account"`},
	} {
		_, _, err := parse(strings.Replace(sameText, tt.change, tt.with, 1))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.with, err, tt.want)
		}
	}
	if _, _, err := parse(strings.Replace(sameText, `"pause"`, `"alert"`, 1)); err != nil {
		t.Error(err)
	}
}
