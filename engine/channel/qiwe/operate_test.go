package qiwe

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
	"bot/engine/stub"
)

func TestOnline(t *testing.T) {
	for status, want := range map[string]string{
		"2": "online", `"2"`: "online", "0": "without a scan", "-1": "must be scanned", "10": "six digits", "99": "of its own",
	} {
		_, base := platform(t, stub.Options{Script: func(stub.Call) *stub.Answer {
			return &stub.Answer{Status: 200, Body: `{"code":0,"data":{"userOnlineStatus":` + status + `}}`}
		}})
		is, note, err := fresh(t, channeltest.Host(t), base).(channel.Prober).Online(t.Context())
		if err != nil || is != (want == "online") || !strings.Contains(note, want) {
			t.Errorf("status %s: %v, %q, %v", status, is, note, err)
		}
	}
}

func TestRegister(t *testing.T) {
	for _, secret := range []string{"", "s3cret"} {
		p, base := platform(t, stub.Options{})
		a := ours()
		a.BaseURL, a.Secret = base, secret
		s, err := newSender(a, channeltest.Host(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.(channel.Registrar).Register(t.Context(), "https://bot.example.com/callback/shop"); err != nil {
			t.Fatal(err)
		}
		want := `{"method":"/client/setCallback","params":{"callbackUrl":"https://bot.example.com/callback/shop"}}`
		if secret != "" {
			want = strings.Replace(want, `}}`, `,"authSecret":"s3cret"}}`, 1)
		}
		if got := canonical(t, p.Calls(nil)[0].Body); got != canonical(t, []byte(want)) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestCall(t *testing.T) {
	p, base := platform(t, stub.Options{Script: func(stub.Call) *stub.Answer {
		return &stub.Answer{Status: 200, Body: response(t, "contact_list_ok")}
	}})
	s := fresh(t, channeltest.Host(t), base).(channel.Caller)
	params := map[string]any{"limit": json.Number("18446744073709551617")}
	data, err := s.Call(t.Context(), "contact/getWxContactList", params)
	if err != nil || !strings.Contains(string(data), `"contactType": 2057`) || strings.Contains(string(data), "成功") {
		t.Errorf("got %s, %v", data, err)
	}
	got := canonical(t, p.Calls(nil)[0].Body)
	if want := `{"method":"/contact/getWxContactList","params":{"guid":"` + guid + `","limit":18446744073709551617}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(params) != 1 {
		t.Error("the caller's params were changed")
	}
	if _, err := s.Call(t.Context(), "/client/createClient", nil); err != nil || strings.Contains(string(p.Calls(nil)[1].Body), "guid") {
		t.Errorf("%v: %s", err, p.Calls(nil)[1].Body)
	}
}

func TestOperatorsSeeWhyACallFailed(t *testing.T) {
	_, base := platform(t, stub.Options{})
	a := ours()
	a.BaseURL, a.Token = base, "guessed"
	s, err := newSender(a, channeltest.Host(t))
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]func(context.Context) error{
		"online":   func(ctx context.Context) error { _, _, err := s.(channel.Prober).Online(ctx); return err },
		"register": func(ctx context.Context) error { return s.(channel.Registrar).Register(ctx, "https://x") },
		"call": func(ctx context.Context) error {
			_, err := s.(channel.Caller).Call(ctx, "/msg/sendText", nil)
			return err
		},
		"send": func(ctx context.Context) error {
			_, err := s.Send(ctx, &engine.Command{Action: engine.SendText})
			return err
		},
	}
	for name, call := range calls {
		e, ok := call(t.Context()).(*channel.SendError)
		if !ok || e.Class != channel.Credential || !strings.Contains(e.Note, "token无效") {
			t.Errorf("%s: %v, want the token refused", name, e)
		}
	}
}
