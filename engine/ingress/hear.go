package ingress

// Heard is what a callback says of an account, apart from what it brings.
type Heard struct {
	Account string
	// Verified tells that it came from the account's platform, as far as its
	// channel can tell. What was refused before that may be anybody's; its account
	// is the first one of its path.
	Verified bool
	Refused  string // why it was not taken as a whole, "" when it was
}

// hear passes on what a callback says, once for each account that it is about.
func (i *Ingress) hear(rt *route, c *callback) {
	if i.o.Heard == nil {
		return
	}
	last := ""
	tell := func(account string) {
		if account != last { // the events of one callback are mostly of one account
			last = account
			i.o.Heard(Heard{account, true, c.refused})
		}
	}
	for _, e := range c.receipt.Events {
		if _, ours := rt.Accounts[e.Account]; ours {
			tell(e.Account)
		}
	}
	for _, b := range c.receipt.Doorbells {
		tell(rt.label(b.Account))
	}
	switch reason := c.whole(); {
	case last != "" || c.receipt.Foreign != "" || reason == "":
	case reason == nothing:
		tell(rt.label(c.receipt.Account))
	default:
		i.o.Heard(Heard{rt.label(c.receipt.Account), false, reason})
	}
}
