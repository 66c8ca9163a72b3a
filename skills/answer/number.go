package answer

import (
	"regexp"
	"strings"
)

// number is a decimal number, its thousands grouped by commas or spaces, or not.
var number = regexp.MustCompile(`^([+-]?)(\d{1,3}(?:,\d{3})+|\d{1,3}(?: \d{3})+|\d+)(?:\.(\d+))?$`)

var ungrouped = strings.NewReplacer(",", "", " ", "")

// mostDigits is how many a number may have; none that people type has more.
const mostDigits = 40

// Number reads a decimal number: 12, 1,200, +3, -0.50. It is kept without
// what does not change its value: 12, 1200, 3, -0.5. It is never rounded.
func Number(s string) (string, bool) {
	if len(s) > longest {
		return "", false
	}
	m := number.FindStringSubmatch(strings.ReplaceAll(s, "−", "-"))
	if m == nil || len(m[2])+len(m[3]) > mostDigits {
		return "", false
	}
	whole := strings.TrimLeft(ungrouped.Replace(m[2]), "0")
	if whole == "" {
		whole = "0"
	}
	kept := whole
	if fraction := strings.TrimRight(m[3], "0"); fraction != "" {
		kept += "." + fraction
	}
	if m[1] == "-" && kept != "0" {
		kept = "-" + kept
	}
	return kept, true
}
