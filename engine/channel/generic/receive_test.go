package generic

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"bot/engine/channel"
)

func receive(t *testing.T, accounts []channel.Account, body string, h http.Header) (channel.Receipt, *channel.Refusal) {
	t.Helper()
	r, err := newReceiver(accounts, channel.Host{})
	if err != nil {
		t.Fatal(err)
	}
	receipt, err := r.Receive(&channel.Request{Method: http.MethodPost, Header: h, Body: []byte(body), Now: noon})
	refusal, ok := errors.AsType[*channel.Refusal](err)
	if err != nil && !ok {
		t.Fatalf("%v is no refusal", err)
	}
	return receipt, refusal
}

func TestAcknowledgements(t *testing.T) {
	const typed, plain = `{"type":"X","eventId":"e"}`, `{"msg_id":"m","sender":"u"}`
	tests := []struct{ ack, body, want, kind string }{
		{"", typed, "success", "text/plain; charset=utf-8"},
		{"", plain, `{"status":"success"}`, "application/json"},
		{"auto", typed, "success", "text/plain; charset=utf-8"},
		{"auto", plain, `{"status":"success"}`, "application/json"},
		{"success", plain, "success", "text/plain; charset=utf-8"},
		{"json", typed, `{"status":"success"}`, "application/json"},
		{"empty", typed, "", ""},
		{"empty", plain, "", ""},
		{"收到", plain, "收到", "text/plain; charset=utf-8"},
		{`{"ok":1}`, typed, `{"ok":1}`, "application/json"},
	}
	for _, tt := range tests {
		t.Run(tt.ack+" to "+tt.body, func(t *testing.T) {
			got, refusal := receive(t, []channel.Account{{Name: "shop", Ack: tt.ack}}, tt.body, nil)
			if refusal != nil || got.Answer.Status != 200 || string(got.Answer.Body) != tt.want || got.Answer.ContentType != tt.kind {
				t.Errorf("got %+v, %v", got.Answer, refusal)
			}
		})
	}
}

func TestAccountsThatShareAPath(t *testing.T) {
	a, b, rest := channel.Account{Name: "a", AppID: "app-a", Ack: "empty"}, channel.Account{Name: "b", AppID: "app-b"}, channel.Account{Name: "rest"}
	tests := []struct {
		name     string
		accounts []channel.Account
		appID    string
		account  string // "" = foreign
		refused  string
	}{
		{"the appId chooses", []channel.Account{a, b}, "app-b", "b", ""},
		{"an unknown appId is somebody else's", []channel.Account{a, b}, "app-c", "", ""},
		{"without appId nobody can tell", []channel.Account{a, b}, "", "", "ids"},
		{"one without app_id takes the rest", []channel.Account{a, rest}, "app-c", "rest", ""},
		{"and what names nobody", []channel.Account{a, rest}, "", "rest", ""},
		{"but not what is another's", []channel.Account{a, rest}, "app-a", "a", ""},
		{"alone, appId may be missing", []channel.Account{a}, "", "a", ""},
		{"alone and without app_id, any will do", []channel.Account{rest}, "app-c", "rest", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, refusal := receive(t, tt.accounts, `{"msg_id":"m","sender":"u","appId":"`+tt.appID+`"}`, nil)
			switch {
			case tt.refused != "":
				if refusal == nil || refusal.Reason != tt.refused || string(refusal.Answer.Body) != `{"status":"error"}` {
					t.Errorf("got %+v, %v", got, refusal)
				}
			case refusal != nil:
				t.Errorf("refused: %v", refusal)
			case tt.account == "":
				if got.Foreign != tt.appID || len(got.Events) != 0 || got.Answer.Status != 200 {
					t.Errorf("got %+v, want it foreign", got)
				}
			case len(got.Events) != 1 || got.Events[0].Account != tt.account || got.Foreign != "":
				t.Errorf("got %+v, want account %q", got, tt.account)
			}
		})
	}
}

// Ids of different apps must not meet in one account's dedup.
func TestAnAccountForAllAppsKeepsTheirIdsApart(t *testing.T) {
	keys := make(map[string]bool)
	for _, app := range []string{"x", "y"} {
		got, _ := receive(t, []channel.Account{{Name: "rest"}}, `{"msg_id":"m","sender":"u","appId":"`+app+`"}`, nil)
		keys[got.Events[0].Key().String()] = true
	}
	if len(keys) != 2 {
		t.Error("one key for two apps")
	}
}

func TestASecretOpensItsOwnAccountOnly(t *testing.T) {
	a := channel.Account{Name: "a", AppID: "app-a", Secret: "secret of a"}
	b := channel.Account{Name: "b", AppID: "app-b", Secret: "secret of b", MaxSkew: time.Minute}
	tests := []struct {
		name, secret, appID string
		age                 time.Duration
		account, refused    string
	}{
		{"own", "secret of a", "app-a", 0, "a", ""},
		{"own, the second", "secret of b", "app-b", 0, "b", ""},
		{"own, by the key alone", "secret of b", "", 0, "b", ""},
		{"another's", "secret of a", "app-b", 0, "", "signature"},
		{"nobody's", "guessed", "app-a", 0, "", "signature"},
		{"within the account's own skew", "secret of a", "app-a", 4 * time.Minute, "a", ""},
		{"beyond the account's own skew", "secret of b", "app-b", 4 * time.Minute, "", "timestamp"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			webhook, err := channel.NewWebhook(tt.secret, 0)
			if err != nil {
				t.Fatal(err)
			}
			body := `{"msg_id":"m","sender":"u","appId":"` + tt.appID + `"}`
			got, refusal := receive(t, []channel.Account{a, b}, body, webhook.Sign("w", noon.Add(-tt.age), []byte(body)))
			if tt.refused != "" {
				if refusal == nil || refusal.Reason != tt.refused || refusal.Answer.Status != 401 {
					t.Errorf("got %+v, %v", got, refusal)
				}
				return
			}
			if refusal != nil || len(got.Events) != 1 || got.Events[0].Account != tt.account {
				t.Errorf("got %+v, %v", got, refusal)
			}
		})
	}
}

func TestReceiverRefusesAccountsItCannotTellApart(t *testing.T) {
	tests := []struct {
		name     string
		accounts []channel.Account
		want     string
	}{
		{"none", nil, "no account"},
		{"one app_id", []channel.Account{{Name: "a", AppID: "x"}, {Name: "b", AppID: "x"}}, `"a" and "b"`},
		{"no app_id at all", []channel.Account{{Name: "a"}, {Name: "b"}}, "neither has an app_id"},
		{"one signed, one not", []channel.Account{{Name: "a", AppID: "x", Secret: "s"}, {Name: "b", AppID: "y"}}, "both or neither"},
		{"a broken secret", []channel.Account{{Name: "a", Secret: "whsec_?hidden?"}}, `account "a"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newReceiver(tt.accounts, channel.Host{})
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hidden") {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestTimestamps(t *testing.T) {
	tests := []struct {
		json string
		want time.Time
	}{
		{`1790000000`, time.Unix(1790000000, 0)},
		{`"1790000000"`, time.Unix(1790000000, 0)},
		{`1790000000123`, time.UnixMilli(1790000000123)},
		{`"1790000000123"`, time.UnixMilli(1790000000123)},
		{`1790000000.75`, time.Unix(1790000000, 0)},
		{`0`, time.Time{}},
		{`-5`, time.Time{}},
		{`1e9`, time.Time{}},
		{`99999999999999999999`, time.Time{}},
		{`"yesterday"`, time.Time{}},
		{`null`, time.Time{}},
		{`{}`, time.Time{}},
	}
	for _, tt := range tests {
		t.Run(tt.json, func(t *testing.T) {
			got, refusal := receive(t, []channel.Account{{Name: "a"}}, `{"msg_id":"m","sender":"u","timestamp":`+tt.json+`}`, nil)
			if refusal != nil || !got.Events[0].Time.Equal(tt.want) {
				t.Errorf("got %v, %v; want %v", got.Events, refusal, tt.want)
			}
		})
	}
}
