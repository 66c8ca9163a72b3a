package app

import (
	"slices"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/generic"
	"bot/engine/channel/gewe"
	"bot/engine/channel/qiwe"
	"bot/engine/channel/sandbox"
	"bot/engine/channel/wecom"
	"bot/engine/channel/wkteam"
	"bot/engine/config"
	"bot/engine/egress"
)

// platform is one channel: what speaks it, and what its accounts look like.
type platform struct {
	channel.Adapter
	accounts config.Channel
	// comesBack: the platform calls again, minutes later, when it is told to.
	comesBack bool
	// meets: new contacts and changed ones come in one notice, so what is known
	// must be remembered (engine.Account.Meets).
	meets bool
	// textLimit is the longest text in bytes that the platform takes; nil: none
	// is known.
	textLimit func(form string) int
}

// platforms are the channels this engine speaks; a new one is one entry here.
var platforms = []platform{
	{
		Adapter: generic.Adapter,
		accounts: config.Channel{
			Keys: []string{"proxy", "app_id", "token", "secret", "confirm", "confirm_within"}, Tells: []string{"app_id"},
			Needs:   func(string) []string { return []string{"base_url"} },
			Default: func(_ string, a *config.Account) { a.OnDoubt = egress.Resend },
		},
		comesBack: true,
	},
	{
		Adapter: wecom.Adapter,
		accounts: config.Channel{
			Forms:   []string{wecom.FormApp, wecom.FormAIBot, wecom.FormRobot},
			Keys:    []string{"proxy", "corp_id", "agent_id", "secret", "callback_token", "encoding_aes_key", "receive_id", "key", "welcome"},
			Needs:   wecomNeeds,
			Default: wecomDefault,
			SkewOff: true,
		},
		textLimit: wecom.TextLimit,
	},
	{
		Adapter: gewe.Adapter,
		accounts: config.Channel{
			Keys: []string{"proxy", "app_id", "token", "secret", "self"}, Tells: []string{"self"}, Unsigned: true,
			Needs: func(string) []string { return []string{"base_url", "token", "app_id", "self"} },
			Default: personal(map[engine.Action]engine.Rate{
				engine.AcceptFriend: every(30, time.Hour), engine.AcceptGroup: every(30, time.Hour), engine.AddFriend: every(5, 2*time.Hour),
			}),
		},
		meets: true, textLimit: gatewayText,
	},
	{
		Adapter: wkteam.Adapter,
		accounts: config.Channel{
			Keys: []string{"proxy", "token", "secret", "self", "w_id", "developer"}, Tells: []string{"self"}, Unsigned: true,
			Needs: func(string) []string { return []string{"base_url", "token", "self"} },
			Default: personal(map[engine.Action]engine.Rate{
				engine.SendVoice: every(20, time.Minute), engine.RevokeMessage: every(5, time.Minute),
				engine.AcceptFriend: every(30, time.Hour), engine.AcceptGroup: every(30, time.Hour), engine.AddFriend: every(5, 2*time.Hour),
			}),
		},
		meets: true, textLimit: gatewayText,
	},
	{
		Adapter: qiwe.Adapter,
		accounts: config.Channel{
			Keys: []string{"proxy", "token", "secret", "self", "guid"}, Tells: []string{"guid"}, Unsigned: true,
			Needs: func(string) []string { return []string{"base_url", "token", "guid"} },
			Default: personal(map[engine.Action]engine.Rate{
				engine.AcceptFriend: every(15, time.Hour), engine.AddFriend: every(15, 24*time.Hour),
			}),
		},
		meets: true, textLimit: gatewayText,
	},
	{
		Adapter:  sandbox.Adapter,
		accounts: config.Channel{Uncalled: true, Default: func(_ string, a *config.Account) { a.OnDoubt = egress.Resend }},
	},
}

func wecomNeeds(form string) []string {
	switch form {
	case wecom.FormRobot:
		return []string{"key"}
	case wecom.FormAIBot:
		return []string{"callback_token", "encoding_aes_key"}
	}
	return []string{"corp_id", "agent_id", "secret", "callback_token", "encoding_aes_key"}
}

// wecomDefault has the platform's own limits. What goes to one member beyond 30
// a minute it drops without a word, so that no answer could slow us down.
func wecomDefault(form string, a *config.Account) {
	a.BaseURL = wecom.BaseURL
	a.OnDoubt = egress.Resend
	a.Retry.Timeout = engine.Duration(15 * time.Second)
	switch form {
	case wecom.FormApp:
		a.Limit.PerConversation = every(25, time.Minute)
	case wecom.FormRobot:
		a.OnDoubt = egress.Hold
		a.Limit.Rate = every(20, time.Minute)
	}
}

// personal is a person's pace, with single actions slowed down as the pages of
// the gateways advise. Their calls take long where they fetch a file themselves.
func personal(actions map[engine.Action]engine.Rate) func(string, *config.Account) {
	return func(_ string, a *config.Account) {
		a.Limit = config.Person()
		a.Limit.Action = make(map[string]config.ActionLimit, len(actions))
		for action, rate := range actions {
			a.Limit.Action[string(action)] = config.ActionLimit{Rate: rate, Burst: 1}
		}
		a.Retry.Timeout = engine.Duration(90 * time.Second)
	}
}

func every(n int, per time.Duration) engine.Rate { return engine.Rate{N: float64(n), Per: per} }

// Channels are the platforms that accounts may be on.
func Channels() []config.Channel {
	all := make([]config.Channel, len(platforms))
	for i, p := range platforms {
		all[i] = p.accounts
		all[i].Name = p.Name
	}
	return all
}

// speaks returns the platform of that name, the zero one where there is none: config
// refuses accounts of such.
func speaks(name string) platform {
	i := slices.IndexFunc(platforms, func(p platform) bool { return p.Name == name })
	if i < 0 {
		return platform{}
	}
	return platforms[i]
}

func channelAccount(a *config.Account) channel.Account {
	return channel.Account{
		Name: a.Name, BaseURL: a.BaseURL,
		Token: a.Token.Reveal(), Secret: a.Secret.Reveal(),
		Ack: a.Ack, MaxSkew: a.MaxSkew.Std(), MaxAge: a.MaxAge.Std(),
		Self: a.Self, Names: a.Names,
		AppID: a.AppID, WID: a.WID, GUID: a.GUID, Developer: a.Developer,
		Form: a.Form, CorpID: a.CorpID, AgentID: a.AgentID, CallbackToken: a.CallbackToken.Reveal(),
		EncodingAESKey: a.EncodingAESKey.Reveal(), ReceiveID: a.ReceiveID, Key: a.Key.Reveal(),
		Welcome: a.Welcome,
		Confirm: a.Confirm,
	}
}

// gatewayText is where running bots split on the personal gateways, which state
// no limit themselves.
func gatewayText(string) int { return 2000 }
