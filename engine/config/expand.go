package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// variable is a reference to the environment, ${NAME} or ${NAME:-default}.
var variable = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)

// expand puts the environment into every string of the tree, in place, and
// reports what cannot be. A default serves for a variable that is unset or
// empty; $${ stands for a literal ${; values are not looked at again.
func expand(n *node, env func(string) (string, bool)) Problems { return expandKey(n, "", env) }

// expandKey is expand of what a key holds, where that may be kept in a file in its
// place.
func expandKey(n *node, key string, env func(string) (string, bool)) Problems {
	var ps Problems
	for _, name := range n.order {
		under := name
		if slices.Contains(freeTables, key) {
			under = key // its keys are not ours
		}
		ps = append(ps, expandKey(n.fields[name], under, env)...)
	}
	for _, item := range n.items {
		ps = append(ps, expandKey(item, key, env)...)
	}
	if s, ok := n.value.(string); ok && strings.Contains(s, "${") {
		v, wrong := expandString(s, env)
		n.value = v
		if wrong != nil {
			p := n.at.locate(*wrong)
			if slices.Contains(secretKeys, key) && strings.HasSuffix(p.Msg, notSet) {
				p.Hint = fmt.Sprintf(`set it, or keep it in a file, which the service and shells read alike: %s_file = "…"`, key)
			}
			n.bad = &p
			ps = append(ps, p)
		}
	}
	return ps
}

// secretKeys are the keys whose secret may stand in a file of its own, freeTables
// those in which keys of such names are the operator's.
var (
	secretKeys = []string{"token", "secret", "callback_token", "encoding_aes_key", "key", "api_key", "proxy", "webhook"}
	freeTables = []string{"headers", "form", "params", "replies", "when"}
)

const notSet = " is not set"

// expandString returns a problem without a place.
func expandString(s string, env func(string) (string, bool)) (string, *Problem) {
	var b strings.Builder
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			b.WriteString(s)
			return b.String(), nil
		}
		if i > 0 && s[i-1] == '$' {
			b.WriteString(s[:i-1] + "${")
			s = s[i+2:]
			continue
		}
		b.WriteString(s[:i])
		m := variable.FindStringSubmatch(s[i:])
		if m == nil {
			return "", &Problem{Msg: "${ does not begin a variable here", Hint: "write ${NAME} or ${NAME:-default}; $${ is a literal ${"}
		}
		v, set := env(m[1])
		switch {
		case m[2] != "" && v == "":
			v = m[3]
		case !set && m[2] == "":
			return "", &Problem{Msg: "environment variable " + m[1] + notSet, Hint: "set it, or give a default: ${" + m[1] + ":-…}"}
		}
		b.WriteString(v)
		s = s[i+len(m[0]):]
	}
}
