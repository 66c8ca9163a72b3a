package cli

import (
	"strings"
	"testing"
	"time"

	"bot/store"
)

func TestACopyOfANewStoreIsOfNoTime(t *testing.T) {
	if got := new(call).waiting(store.Contents{AsOf: time.Unix(0, 0)}); !strings.HasPrefix(got, "of a store in which nothing has happened; 0 events") {
		t.Errorf("says %q", got)
	}
	if got := new(call).waiting(store.Contents{AsOf: time.Unix(1_800_000_000, 0)}); !strings.HasPrefix(got, "as of 2027-") {
		t.Errorf("says %q", got)
	}
}
