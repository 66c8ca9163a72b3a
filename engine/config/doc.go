// Package config turns the operator's TOML files into one checked Config, or
// into the list of everything that is wrong with them.
//
// The road of a file: its bytes become text (text.go), the text a tree of
// values that know where they were written (scan.go, parse.go), with the
// environment put in (expand.go) and the included files joined (merge.go); the
// tree is bound to structs (bind.go, secret.go, section.go), given its defaults
// (defaults.go) and checked (validate.go, account.go). Every step adds its
// complaints to one list and goes on, so that an operator sees them all at once.
//
// The package reads files and never writes one. What [[skill]] tables mean is
// left to their owners, who get them as engine.Section.
package config
