package match

import (
	"fmt"
	"regexp"
)

// around finds what other regular expressions have and RE2 has not.
var around = regexp.MustCompile(`\(\?(<?)[=!]`)

// Compile reads a pattern (RE2) that may match anything. Its error is for the
// operator.
func Compile(expr string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(expr)
	if err == nil {
		return re, nil
	}
	switch m := around.FindStringSubmatch(expr); {
	case m == nil:
		return nil, fmt.Errorf("bad pattern: %w", err)
	case m[1] == "":
		return nil, fmt.Errorf("bad pattern: %w (look-ahead is not supported)", err)
	default:
		return nil, fmt.Errorf("bad pattern: %w (look-behind is not supported)", err)
	}
}

// NewPattern compiles a pattern (RE2) for texts of the Folding. One that matches
// the empty string is an error, since it would match every message.
func (f Folding) NewPattern(expr string) (*regexp.Regexp, error) {
	re, err := Compile(f.simpler.pattern(expr))
	if err != nil {
		return nil, err
	}
	if re.MatchString("") {
		return nil, fmt.Errorf("pattern %q matches the empty string, so it would match everything (match = \"any\" is for what nothing else matched)", expr)
	}
	return re, nil
}
