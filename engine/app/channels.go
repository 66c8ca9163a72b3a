package app

import (
	"slices"

	"bot/engine/channel"
	"bot/engine/channel/generic"
	"bot/engine/config"
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
			Keys: []string{"app_id", "token", "secret"}, Tells: []string{"app_id"},
			Needs:   func(string) []string { return []string{"base_url"} },
			Default: func(_ string, a *config.Account) { a.OnDoubt = "resend" },
		},
		comesBack: true,
	},
}

// Channels are the platforms that accounts may be on.
func Channels() []config.Channel {
	all := make([]config.Channel, len(platforms))
	for i, p := range platforms {
		all[i] = p.accounts
		all[i].Name = p.Name
	}
	return all
}

// speaker returns the platform of that name.
func speaker(name string) (p platform, known bool) {
	i := slices.IndexFunc(platforms, func(p platform) bool { return p.Name == name })
	if i < 0 {
		return platform{}, false
	}
	return platforms[i], true
}

// speaks returns the platform of an account; config refused any other name.
func speaks(name string) platform {
	p, _ := speaker(name)
	return p
}

func channelAccount(a *config.Account) channel.Account {
	return channel.Account{
		Name: a.Name, BaseURL: a.BaseURL,
		Token: a.Token.Reveal(), Secret: a.Secret.Reveal(),
		Ack: a.Ack, MaxSkew: a.MaxSkew.Std(), MaxAge: a.MaxAge.Std(),
		Self: a.Self, Names: a.Names,
		AppID: a.AppID, WID: a.WID, GUID: a.GUID,
		Form: a.Form, CorpID: a.CorpID, AgentID: a.AgentID, CallbackToken: a.CallbackToken.Reveal(),
		EncodingAESKey: a.EncodingAESKey.Reveal(), ReceiveID: a.ReceiveID, Key: a.Key.Reveal(),
	}
}
