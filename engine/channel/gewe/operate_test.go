package gewe

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
	"bot/engine/stub"
)

var (
	_ channel.Prober    = (*sender)(nil)
	_ channel.Registrar = (*sender)(nil)
	_ channel.Caller    = (*sender)(nil)
)

// against is a sender to a gateway that gives one answer, and what it was asked.
func against(t *testing.T, status int, answer string) (*sender, *http.Request) {
	t.Helper()
	var last http.Request
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		last = *r
		w.WriteHeader(status)
		w.Write([]byte(answer))
	}))
	t.Cleanup(srv.Close)
	a := shop()
	a.BaseURL = srv.URL + "/v2/api"
	s, err := newSender(a, channeltest.Host(t))
	if err != nil {
		t.Fatal(err)
	}
	return s.(*sender), &last
}

func TestOnline(t *testing.T) {
	for answer, want := range map[string]struct {
		online bool
		class  channel.Class
	}{
		`{"ret":200,"data":true}`:                   {online: true},
		`{"ret":200,"data":"true"}`:                 {online: true},
		`{"ret":200,"data":false}`:                  {},
		`{"ret":500,"msg":"x","data":{"msg":"离线"}}`: {},
		`{"ret":200,"data":{}}`:                     {class: channel.Transient},
		`{"ret":500,"msg":"x"}`:                     {class: channel.Transient}, // it changes nothing, so it may be asked again
		`{"ret":401,"msg":"x"}`:                     {class: channel.Credential},
		`<html>`:                                    {class: channel.Transient},
	} {
		s, asked := against(t, 200, answer)
		online, note, err := s.Online(t.Context())
		if want.class != "" {
			classIs(t, err, want.class)
			continue
		}
		if err != nil || online != want.online || (note == "") != online || asked.URL.Path != "/v2/api/login/checkOnline" {
			t.Errorf("%s: online %v (%q), %v, asked at %s", answer, online, note, err, asked.URL.Path)
		}
	}
}

func TestRegister(t *testing.T) {
	bot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	defer bot.Close()
	p, s := platform(t, shop(), channeltest.Host(t))
	if err := s.Register(t.Context(), bot.URL); err != nil {
		t.Fatal(err)
	}
	c := p.Calls(nil)[0]
	if c.Path != "/gewe/v2/api/login/setCallback" || c.JSON()["token"] != shop().Token || c.JSON()["callbackUrl"] != bot.URL || c.JSON()["appId"] != nil {
		t.Errorf("asked %s for %s", c.Path, c.Body)
	}
	bot.Close()
	e := classIs(t, s.Register(t.Context(), bot.URL), channel.Permanent)
	if !strings.Contains(e.Note, "cannot reach") {
		t.Errorf("note %q", e.Note)
	}
}

// The container has the call elsewhere; which of the two a clone has is found out.
func TestRegisterLooksInBothPlaces(t *testing.T) {
	s, asked := against(t, 200, `{"ret":200}`)
	if err := s.Register(t.Context(), "https://x"); err != nil || asked.URL.Path != "/v2/api/tools/setCallback" {
		t.Errorf("asked %s: %v", asked.URL.Path, err)
	}
	s, asked = against(t, 404, `{}`)
	err := s.Register(t.Context(), "https://x")
	if classIs(t, err, channel.Permanent); asked.URL.Path != "/v2/api/login/setCallback" {
		t.Errorf("asked last %s", asked.URL.Path)
	}
}

// Setting the address by a call would lose the console's secret.
func TestRegisterKeepsTheSecret(t *testing.T) {
	a := shop()
	a.Secret = "header-secret"
	p, s := platform(t, a, channeltest.Host(t))
	classIs(t, s.Register(t.Context(), "https://x"), channel.Permanent)
	if n := len(p.Calls(nil)); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestCall(t *testing.T) {
	p, s := platform(t, shop(), channeltest.Host(t))
	params := map[string]any{"wxids": []string{friend}, "appId": "forged"}
	data, err := s.Call(t.Context(), "/contacts/getBriefInfo", params)
	if err != nil || !strings.Contains(string(data), `"userName":"`+friend+`"`) {
		t.Errorf("got %s, %v", data, err)
	}
	if c := p.Calls(nil)[0]; c.JSON()["appId"] != appID || params["appId"] != "forged" {
		t.Errorf("asked %s, params now %v", c.Body, params)
	}
	for _, method := range []string{"", "/", "../x", "a//b", "a?b", "a b", "https://x"} {
		_, err := s.Call(t.Context(), method, nil)
		classIs(t, err, channel.Permanent)
	}
	if n := len(p.Calls(nil)); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestLabels(t *testing.T) {
	p, s := platform(t, shop(), channeltest.Host(t))
	label := func(params map[string]any) {
		t.Helper()
		if _, err := s.Send(t.Context(), &engine.Command{Action: engine.SetLabel, Conversation: friend, Params: params}); err != nil {
			t.Fatal(err)
		}
	}
	set := func() (all []string) {
		for _, c := range p.Calls(func(c stub.Call) bool { return c.Action == engine.SetLabel }) {
			all = append(all, c.To+" "+c.JSON()["labelIds"].(string))
		}
		return all
	}
	label(param{"add": []string{"老客户", "VIP"}})
	label(param{"add": "VIP"}) // has it: nothing to do
	label(param{"remove": "老客户,没有的"})
	label(param{"add": "新", "remove": "VIP"})
	if got, want := strings.Join(set(), "; "), friend+" 1,2; "+friend+" 2; "+friend+" 3"; got != want {
		t.Errorf("set %q, want %q", got, want)
	}
}

// A look-up leaves no doubt, whatever became of it; what has an effect does.
func TestOnlyWhatHasAnEffectCanBeInDoubt(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		answer string
	}{
		"the server broke":    {500, "oops"},
		"a proxy broke":       {502, "<html>"},
		"no reason was given": {200, `{"ret":500,"msg":null}`},
		"no JSON":             {200, "<html>"},
		"no ret":              {200, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := against(t, tt.status, tt.answer)
			_, _, err := s.Online(t.Context())
			classIs(t, err, channel.Transient)
			_, err = s.Send(t.Context(), &engine.Command{Action: engine.SetLabel, Conversation: friend, Params: map[string]any{"add": "a"}})
			classIs(t, err, channel.Transient)
			_, err = s.Call(t.Context(), "contacts/search", nil)
			classIs(t, err, channel.Unsure)
			_, err = s.Send(t.Context(), &engine.Command{Action: engine.SendText, Conversation: friend, Text: "x"})
			classIs(t, err, channel.Unsure)
		})
	}
}
