package app

import "bot/engine"

// calledOff tells why a command is not to be sent any more: what its note says
// (engine.Command.Unless), "" while there is none.
func (a *App) calledOff(c *engine.Command) (string, error) {
	return a.store.Recall(c.Account, c.Unless)
}
