package config

import "bot/engine"

// Secret is engine.Secret, which kinds of skills have in their tables too.
type Secret = engine.Secret

// NewSecret hides s.
func NewSecret(s string) Secret { return engine.NewSecret(s) }
