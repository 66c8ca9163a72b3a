package qiwe

import (
	"encoding/json"
	"strings"
	"testing"

	"bot/engine/channel"
	"bot/engine/channel/channeltest"
)

// Each event of a batch keeps its own part only: the whole for each would grow
// with the square of their number.
func TestABatchIsKeptInParts(t *testing.T) {
	got, refusal := receive(t, channeltest.Host(t), []channel.Account{ours()}, sample(t, "batch_two_events"), nil)
	if refusal != nil || len(got.Events) != 2 {
		t.Fatalf("got %+v, %v", got, refusal)
	}
	for i, want := range []string{"批一", "批二"} {
		raw := string(got.Events[i].Raw)
		if !json.Valid(got.Events[i].Raw) || !strings.Contains(raw, want) || strings.Contains(raw, `"data"`) {
			t.Errorf("event %d keeps %s", i, raw)
		}
	}
}

func TestABatchOfOursAndOthers(t *testing.T) {
	event := func(guid, uid string) string {
		return `{"guid":"` + guid + `","msgType":2,"senderId":"7881","msgUniqueIdentifier":"` + uid + `"}`
	}
	got, refusal := receive(t, channeltest.Host(t), []channel.Account{ours()},
		`[`+event(guid, "a")+`,7,`+event("other", "b")+`,`+event(guid, "c")+`]`, nil)
	if refusal != nil || len(got.Events) != 2 || got.Foreign != "other" || got.Events[1].ID != "c" {
		t.Errorf("got %+v, %v", got, refusal)
	}
}

func TestALargeBodyIsKeptWithoutItsBulk(t *testing.T) {
	e := one(t, push(t, map[string]any{"base64RawData": strings.Repeat("A", 100<<10), "msgServerId": json.Number("18446744073709551617")}))
	if len(e.Raw) > 1<<10 || !strings.Contains(string(e.Raw), "18446744073709551617") {
		t.Errorf("keeps %d bytes", len(e.Raw))
	}
	long := strings.Repeat("长", 40<<10)
	e = one(t, push(t, map[string]any{"msgData": map[string]any{"content": long}}))
	if e.Text != long || !strings.Contains(string(e.Raw), long) {
		t.Error("a long text is not kept whole")
	}
}

func TestACallbackHasSoManyEventsAndNoMore(t *testing.T) {
	body := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(`{"x":1},`, n), ",") + "]" }
	if _, refusal := receive(t, channeltest.Host(t), []channel.Account{ours()}, body(maxEvents), nil); refusal != nil {
		t.Errorf("%d refused: %v", maxEvents, refusal)
	}
	if _, refusal := receive(t, channeltest.Host(t), []channel.Account{ours()}, body(maxEvents+1), nil); refusal == nil || refusal.Reason != "json" {
		t.Errorf("%d not refused: %v", maxEvents+1, refusal)
	}
}
