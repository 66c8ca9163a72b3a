// Package nearest guesses which name was meant by a mistyped one.
package nearest

import (
	"fmt"
	"slices"
	"strings"
)

// Hint is what to add to a complaint about word: ` (did you mean "x"?)`, else
// all that is known where that is not too much.
func Hint(word string, known []string) string {
	if h := Guess(word, known); h != "" {
		return " (" + h + ")"
	}
	return ""
}

// Guess is Hint without its brackets.
func Guess(word string, known []string) string {
	if best := Name(word, known); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	if len(known) == 0 || len(known) > most {
		return ""
	}
	return "known: " + strings.Join(known, ", ")
}

// most is how many names are worth listing.
const most = 12

// Name returns the known word that a mistyped one most likely stands for, "" when
// none is near. Case and - for _ do not count.
func Name(word string, known []string) string {
	best, found := 3, ""
	for _, k := range known {
		a, b := letters(word), letters(k)
		d := distance(a, b)
		// Of a short word so much must be left that it can be told from any other.
		if d < best && 2*d < max(len(a), len(b)) {
			best, found = d, k
		}
	}
	return found
}

// Slip is Name where a word may also be somebody's own and none of the known ones: it
// returns the one that can hardly not be meant. One letter may be wrong, two in a long
// word. In a short one another letter in a place makes another word (line of lane),
// so that only one too many, too few, or two that changed places count.
func Slip(word string, known []string) string {
	a := letters(word)
	for _, k := range known {
		b := letters(k)
		longer, allowed := max(len(a), len(b)), 1
		if longer >= 9 {
			allowed = 2
		}
		if longer-min(len(a), len(b)) > allowed || distance(a, b) > allowed {
			continue
		}
		if longer < 6 && len(a) == len(b) && !slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))) {
			continue
		}
		return k
	}
	return ""
}

// letters are what counts of a word: case and - for _ do not.
func letters(s string) []rune { return []rune(strings.ReplaceAll(strings.ToLower(s), "-", "_")) }

// distance counts the letters to insert, drop, replace or swap with their
// neighbour to make b of a (Damerau and Levenshtein, no letter touched twice).
func distance(a, b []rune) int {
	if diff := len(a) - len(b); diff > 3 || diff < -3 {
		return max(diff, -diff) // far enough: spares long words the table
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range b {
		rows[0][j+1] = j + 1
	}
	for i := range a {
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			d := min(rows[i][j+1]+1, rows[i+1][j]+1, rows[i][j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = d
		}
	}
	return rows[len(a)][len(b)]
}
