package api

import (
	"strings"
	"testing"
	"time"

	"bot/engine"
)

func FuzzDecodeEnvelopes(f *testing.F) {
	for _, seed := range []string{
		"", "null", "[]", "{}", "[{},null,1]", `"x"`, "[", `{"params":{"n":1e999}}`, `{"timestamp":1e3}`, `{"task_id":"a","task_id":"b"}`,
		envelopeOf("t"), "[" + envelopeOf("a") + "," + envelopeOf("b", `"lane":"bulk"`) + "]", envelopeOf("a") + "{}",
		`{"trace_id":"r","account_id":"shop","action":"external_group.member.add","params":{"room_id":"1@chatroom","invited_wxid":"u"}}`,
		`{"task_id":"t","account_id":"shop","action":"accept_friend","params":{"scene":"s"}}`,
	} {
		f.Add([]byte(seed))
	}
	can := func(account string, a engine.Action) ([]string, bool, bool) {
		return needs[a], account != "", account != "mute"
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		envs, many, err := decodeEnvelopes(body)
		if err != nil {
			if len(envs) > 0 {
				t.Errorf("refused (%v) and decoded %d all the same", err, len(envs))
			}
			return
		}
		if len(envs) < 1 || len(envs) > maxBatch || !many && len(envs) != 1 {
			t.Fatalf("decoded %d envelopes, many = %v", len(envs), many)
		}
		for i, e := range envs {
			c, bad := e.command(i, many, can, time.Unix(1, 0))
			if len(bad) > 0 {
				seen := make(map[string]bool)
				for _, b := range bad {
					if b.Index != i || b.Field == "" || b.Message == "" || seen[b.Field] {
						t.Errorf("names %+v of envelope %d", bad, i)
					}
					seen[b.Field] = true
				}
				continue
			}
			if c.TaskID == "" || len(c.TaskID) > maxID || strings.TrimSpace(c.Conversation) == "" || c.Account == "" || !c.Submitted {
				t.Errorf("accepted %+v", c)
			}
		}
	})
}
