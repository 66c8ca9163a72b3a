package config

import (
	"time"

	"bot/engine"
)

// maxConfirm bounds how long a confirmation is waited for: what a platform has not
// carried out by then it will not.
const maxConfirm = 24 * time.Hour

// checkConfirm checks what concerns the confirmations of a platform.
func (l *loader) checkConfirm(s *Section, a *Account) {
	if !s.Has("confirm_within") {
		return
	}
	l.atLeast(s, "confirm_within", a.ConfirmWithin, 100*time.Millisecond)
	if a.ConfirmWithin > engine.Duration(maxConfirm) {
		l.refuse(s, "confirm_within", "", "confirm_within is longer than %v", maxConfirm)
	}
	if !s.Has("confirm") { // one that is switched off may keep it
		l.refuse(s, "confirm_within", "confirm = true", "confirm_within: nothing is confirmed")
	}
}
