package config

import (
	"regexp"
	"strings"
)

// secretLine finds what is set to a literal text under a name that secrets have:
// those of Secret and of tables that the configuration does not know itself.
var secretLine = regexp.MustCompile(`(?i)((?:^|[\s,{.#])"?` + secretName + `"?\s*=\s*)("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|["'][^\n]*|[a-zA-Z][^\s,}\]#]*)`)

// secretName is a key that is called like a secret.
const secretName = `(?:[\w-]*(?:token|secret|password|passwd|api[_-]?key|aes_key|authorization|cookie|webhook|credential)[\w-]*|key|proxy)`

// likeSecret finds such a key in a line that need not be right.
var likeSecret = regexp.MustCompile(`(?i)(?:^|[\s,{.#"])` + secretName + `(?:["\s.=:＝：]|$)`)

// Conceal is a file's text for people to read: values of keys that are called like
// secrets are stars, unless they only name a variable of the environment or a file.
// The text need not be right: what has no second quote, or none at all, is concealed
// too.
func Conceal(text string) string {
	return secretLine.ReplaceAllStringFunc(text, func(m string) string {
		parts := secretLine.FindStringSubmatch(m)
		name, value := parts[1], parts[2]
		inner := strings.Trim(value, `"'`)
		switch {
		case inner == "", value == "true", value == "false", strings.HasSuffix(strings.TrimRight(name, " \t=\""), "_file"), onlyVariable.MatchString(inner):
			return m
		}
		return name + `"***"`
	})
}

// onlyVariable is a value that is a variable of the environment, with no secret as
// what holds without it.
var onlyVariable = regexp.MustCompile(`^(?:Bearer )?\$\{\w+(?::-)?\}$`)
