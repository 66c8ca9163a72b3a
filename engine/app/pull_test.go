package app_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine/stub"
)

// What is fetched meets the same door as what is called in.
func TestABlockedCustomerOfCustomerServiceIsNotAnswered(t *testing.T) {
	t.Parallel()
	manners, text := talkOf(t, "wecom customer service", echo)
	r := start(t, manners, text)
	if status := r.admin(http.MethodPut, "/api/v1/blocked/shop/wmTroll", "", nil); status != http.StatusOK {
		t.Fatalf("block: %d", status)
	}
	r.happens(stub.Said{User: "wmTroll", Group: "wkService1", Text: "spam"})
	r.happens(stub.Said{User: "wmCustomer1", Group: "wkService1", Text: "old", Time: time.Now().Add(-time.Hour)})
	r.happens(stub.Said{User: "wmCustomer1", Group: "wkService1", Text: "hello"})
	if got := r.texts("wkService1/wmCustomer1", 1); !slices.Equal(got, []string{"hello"}) {
		t.Errorf("said %q", got)
	}
	r.idle()
	if calls := r.platform.Calls(stub.Text("wkService1/wmTroll")); len(calls) > 0 {
		t.Errorf("a blocked customer was told %s", calls[0].Body)
	}
}

// Messages that wait on the platform are fetched as soon as the account that
// they are for is there again.
func TestAReloadRingsAgain(t *testing.T) {
	t.Parallel()
	manners, text := talkOf(t, "wecom customer service", echo)
	r := start(t, manners, text)
	r.happens(stub.Said{User: "wmCustomer1", Group: "wkService1", Text: "one"})
	r.texts("wkService1/wmCustomer1", 1)
	wrong := strings.Replace(text, `secret = "S3CRET"`, `secret = "WRONG"`, 1)
	r.reloaded(wrong)
	r.happens(stub.Said{User: "wmCustomer1", Group: "wkService1", Text: "two"})
	time.Sleep(200 * time.Millisecond) // it is refused, and would be asked for again in minutes
	r.reloaded(text)
	if got := r.texts("wkService1/wmCustomer1", 2); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("said %q", got)
	}
}
