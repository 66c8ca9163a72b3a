package app_test

import (
	"net/http"
	"testing"

	"bot/engine/stub"
)

// staffed is a shop whose customers may ask for a person.
const staffed = shop + `
[[skill]]
name = "staff"
keywords = ["人工"]
reply = "COMING"
[skill.handoff]
notify = {to = "staff-room"}
released_reply = "BACK"
` + echo

func TestAHandOffOutlivesTheProcessAndEndsAtTheOperatorsWord(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, staffed)
	r.say("m1", "u1", "人工")
	r.texts("u1", 1)
	r.texts("staff-room", 1)
	r.reborn()
	r.say("m2", "u1", "在吗")
	if got := r.texts("staff-room", 2); got[1] != "u1：在吗" {
		t.Errorf("staff read %q", got)
	}
	r.say("m3", "u2", "hello")
	r.texts("u2", 1)
	if status := r.admin(http.MethodPost, "/api/v1/release", `{"account":"shop","conversation":"u1"}`, nil); status != http.StatusAccepted {
		t.Fatalf("release: %d", status)
	}
	if got := r.texts("u1", 2); got[1] != "BACK" {
		t.Errorf("the customer reads %q", got)
	}
	r.say("m4", "u1", "hello")
	r.texts("u1", 3)
	r.texts("staff-room", 2)
	r.idle()
	if b := r.books(); !b.balanced() {
		t.Errorf("the books do not balance: %+v", b)
	}
}
