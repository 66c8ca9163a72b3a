package loadtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

var noon = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

func TestCallbackIsARequestOf600Bytes(t *testing.T) {
	r := newRequest("127.0.0.1:80", 100, noon)
	r.fill(1234)
	req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(r.bytes)))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		t.Fatal(err)
	}
	if len(body) < 550 || len(body) > 700 {
		t.Errorf("the body has %d bytes", len(body))
	}
	var m struct {
		ID        string `json:"msg_id"`
		Sender    string
		Content   string
		Timestamp int64
	}
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatal(err)
	}
	if m.ID != fmt.Sprint(messageID(1234)) || m.Sender != "wxid_load_00000034" ||
		m.Content[:12] != "#0000001234 " || m.Timestamp != noon.Unix() {
		t.Errorf("event 1234 reads %+v", m)
	}
}

func TestOneEventAlwaysHasTheSameBytes(t *testing.T) {
	r := newRequest("h", 7, noon)
	r.fill(99)
	first := bytes.Clone(r.bytes)
	r.fill(12345)
	if bytes.Equal(r.bytes, first) {
		t.Error("two events have the same bytes")
	}
	if r.fill(99); !bytes.Equal(r.bytes, first) {
		t.Error("the same event has other bytes the second time")
	}
}

func TestMessageIDsAreUniqueAndUnordered(t *testing.T) {
	seen := make(map[uint64]bool)
	rising, before := 0, uint64(0)
	const n = 100_000
	for i := range uint64(n) {
		id := messageID(i)
		if seen[id] {
			t.Fatalf("event %d has an id that an earlier one has", i)
		}
		if len(fmt.Sprint(id)) != idDigits {
			t.Fatalf("id %d has not %d digits", id, idDigits)
		}
		seen[id] = true
		if id > before {
			rising++
		}
		before = id
	}
	if rising < n*4/10 || rising > n*6/10 {
		t.Errorf("%d of %d ids are above the one before: they are in an order", rising, n)
	}
}

func FuzzParseDelivery(f *testing.F) {
	f.Add([]byte(`{"appId":"","content":"#0000000042","to":"wxid_load_00000007"}`))
	f.Add([]byte(`{"content":"#00000000`))
	f.Add([]byte(`{"content":"#000000004x","to":"wxid_load_00000007"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		d, ok := parseDelivery(body)
		if ok && (d.index >= 1e10 || d.conversation >= 1e8) {
			t.Errorf("%q reads %+v", body, d)
		}
	})
}

func TestDeliveryTellsItsEvent(t *testing.T) {
	tests := []struct {
		name, body string
		want       delivery
		ok         bool
	}{
		{"a reply", `{"appId":"","content":"#0000000042","to":"wxid_load_00000007"}`, delivery{index: 42, conversation: 7}, true},
		{"another order of members", `{"to":"wxid_load_00000007","content":"#0000000042 …"}`, delivery{index: 42, conversation: 7}, true},
		{"no number in the text", `{"content":"您好","to":"wxid_load_00000007"}`, delivery{}, false},
		{"somebody else", `{"content":"#0000000042","to":"filehelper"}`, delivery{index: 42}, false},
		{"cut off", `{"to":"wxid_load_00000007","content":"#00000`, delivery{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := parseDelivery([]byte(tt.body))
			if ok != tt.ok || ok && got != tt.want {
				t.Errorf("reads %+v %v, want %+v %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}
