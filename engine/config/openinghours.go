package config

import (
	"maps"
	"regexp"
	"slices"
)

// hoursName is how lists of hours may be called: skills write ! before it.
var hoursName = regexp.MustCompile(`^[\pL\d_-]+$`)

// checkHours refuses lists that nobody can refer to, and those that say nothing.
func (l *loader) checkHours(s *Section, cfg *Config) {
	for _, name := range slices.Sorted(maps.Keys(cfg.Hours)) {
		key := "hours." + name
		switch times := cfg.Hours[name]; {
		case !hoursName.MatchString(name):
			l.refuse(s, "hours", "letters, digits, - and _", "hours: %q is no name for hours", name)
		case len(times) == 0:
			l.refuse(s, key, `like ["mon-fri 09:00-18:00"]`, "%s is empty", key)
		case times.NeverOpen():
			l.refuse(s, key, `say when it is open, like "mon-fri 09:00-18:00"`, "%s is never open: it has closed days only", key)
		}
	}
}
