package broadcast

import (
	"crypto/sha256"
	"strconv"
	"strings"
	"time"
)

// idDay is how an id begins: the day on which it was made, in UTC.
const idDay = "060102"

// letters are those that nobody mistakes for another, and no vowels, so that no
// word comes of them.
const letters = "bcdfghjkmnpqrstvwxz"

// shortest is how many letters follow the day at least.
const shortest = 4

// newID is an id such as 261224-kfqm. taken tells whether there is one already.
func newID(now time.Time, chance func() float64, taken func(id string) bool) string {
	for length := shortest; ; length++ {
		for range 20 {
			var tail strings.Builder
			for range length {
				tail.WriteByte(letters[int(chance()*float64(len(letters)))%len(letters)])
			}
			if id := now.UTC().Format(idDay) + "-" + tail.String(); !taken(id) {
				return id
			}
		}
	}
}

// eventID is the one id of the broadcast that an event makes. Eight letters of a
// hash: two events of one day meet once in seventeen thousand million.
func eventID(at time.Time, event string) string {
	sum := sha256.Sum256([]byte(event))
	tail := make([]byte, 8)
	for i := range tail {
		tail[i] = letters[int(sum[i])%len(letters)]
	}
	return at.UTC().Format(idDay) + "-" + string(tail)
}

// IsTaskID tells whether a broadcast that is made on some day may name a command like
// that: bc-261224-kfqm-17. Nobody else may hand such a command in, since the broadcast
// would find its task id taken and pass the person over.
func IsTaskID(task string) bool {
	id, ours := strings.CutPrefix(task, taskPrefix)
	day, rest, _ := strings.Cut(id, "-")
	tail, number, _ := strings.Cut(rest, "-")
	n, err := strconv.Atoi(number)
	return ours && len(day) == len(idDay) && strings.Trim(day, "0123456789") == "" &&
		len(tail) >= shortest && strings.Trim(tail, letters) == "" &&
		err == nil && n >= 0 && strconv.Itoa(n) == number
}
