package trial_test

import (
	"slices"
	"testing"
)

func TestASubscriptionShowsEvenWhereTheBotSaysNothing(t *testing.T) {
	got := play(t, options(t, `
[[skill]]
name = "out"
keywords = ["TD"]
match = "exact"
do = "unsubscribe"
[[skill]]
name = "in"
keywords = ["订阅"]
match = "exact"
do = "subscribe"
reply = "欢迎回来"
`), "td", "订阅", "别的")
	if want := []string{"unsubscribe", "欢迎回来 | subscribe", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
