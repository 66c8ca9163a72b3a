package answer

import (
	"strings"
	"time"
)

// weights are those of the digits of an identity card before the last (GB 11643).
var weights = [17]int{7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2}

const checkDigits = "10X98765432"

// firstBirth is before anybody's who is alive.
const firstBirth = 1900

// IDCard reads an identity card number of 18 characters and keeps it without
// spaces, with a capital X. Its check digit must be right, and its date of birth
// a real one, not before 1900 and not after today. A zero today knows no future.
func IDCard(s string, today time.Time) (string, bool) {
	s = strings.ToUpper(compact(s, dashes))
	if len(s) != 18 || s[0] == '0' {
		return "", false
	}
	sum := 0
	for i, w := range weights {
		if s[i] < '0' || s[i] > '9' {
			return "", false
		}
		sum += w * int(s[i]-'0')
	}
	born, ok := day(s[6:10], s[10:12], s[12:14])
	switch {
	case s[17] != checkDigits[sum%11]:
		return "", false
	case !ok || born.Year() < firstBirth || !today.IsZero() && born.After(today):
		return "", false
	}
	return s, true
}
