package nearest

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	kinds := []string{"message", "friend_request", "friend_added", "member_joined"}
	for _, tt := range []struct{ name, word, want string }{
		{"a letter left out", "frend_added", "friend_added"},
		{"another case", "Message", "message"},
		{"two letters swapped", "mesasge", "message"},
		{"hyphen for underscore", "friend-request", "friend_request"},
		{"nothing near", "weather", ""},
		{"an empty word", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Name(tt.word, kinds); got != tt.want {
				t.Errorf("Name(%q) = %q, want %q", tt.word, got, tt.want)
			}
		})
	}
}

func TestHint(t *testing.T) {
	for _, tt := range []struct {
		name, word string
		known      []string
		want       string
	}{
		{"one is near", "gruop", []string{"private", "group"}, ` (did you mean "group"?)`},
		{"none is near: all are named", "xxxxxx", []string{"private", "group"}, " (known: private, group)"},
		{"none is known", "x", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Hint(tt.word, tt.known); got != tt.want {
				t.Errorf("Hint(%q) = %q, want %q", tt.word, got, tt.want)
			}
		})
	}
}

func TestNameAllowsForSlips(t *testing.T) {
	known := []string{"keywords", "pattern", "patterns", "on", "ask", "base_url"}
	for word, want := range map[string]string{
		"keyword": "keywords", "kewyords": "keywords", "patern": "pattern", "Patterns": "patterns", "base-url": "base_url",
		"baseURL": "base_url", "aks": "ask", "no": "", "x": "", "entirely": "", "": "", strings.Repeat("k", 1<<20): "",
	} {
		if got := Name(word, known); got != want {
			t.Errorf("%.20q: got %q, want %q", word, got, want)
		}
	}
}

func TestSlipLeavesOtherWordsAlone(t *testing.T) {
	known := []string{"trace_id", "task_id", "account_id", "action", "timestamp", "params", "lane", "not_before", "deadline"}
	for word, want := range map[string]string{
		"not_befor": "not_before", "notbefor": "not_before", "notBefore": "not_before", "lan": "lane", "lnae": "lane", "lanes": "lane", "Lane": "lane",
		"deadlin": "deadline", "acount_id": "account_id", "accountID": "account_id", "task-id": "task_id", "parms": "params", "acton": "action", "timestmp": "timestamp",
		"line": "", "lang": "", "late": "", "label": "", "place": "", "tag_id": "", "page_id": "", "place_id": "", "user_id": "", "account": "", "parent": "", "option": "",
		"id": "", "": "", strings.Repeat("k", 1<<20): "",
	} {
		if got := Slip(word, known); got != want {
			t.Errorf("%.20q: got %q, want %q", word, got, want)
		}
	}
}

func TestDistanceCountsASwapOnce(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"ab", "ba", 1}, {"patern", "pattern", 1}, {"kitten", "sitting", 3}, {"取消", "取肖", 1}} {
		if got := distance([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%s, %s: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
