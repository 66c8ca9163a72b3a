package engine

import (
	"testing"
	"time"
)

func TestDedupKeyTellsEventsApart(t *testing.T) {
	base := Event{Account: "shop", Kind: Message, ID: "m1", Receiver: "r"}
	change := map[string]func(e *Event){
		"another account":  func(e *Event) { e.Account = "shop2" },
		"another kind":     func(e *Event) { e.Kind = FriendAdded },
		"another id":       func(e *Event) { e.ID = "m2" },
		"another receiver": func(e *Event) { e.Receiver = "" },
		"another identity": func(e *Event) { e.Identity = "n1" },
		"a shifted border": func(e *Event) { e.ID, e.Receiver = "m1r", "" },
	}
	for name, f := range change {
		t.Run(name, func(t *testing.T) {
			e := base
			f(&e)
			if e.Key() == base.Key() {
				t.Error("has the same key")
			}
		})
	}
}

func TestDedupKeyIgnoresWhatARepeatMayChange(t *testing.T) {
	a := Event{Account: "shop", Kind: Message, ID: "m1", Type: "text", Text: "hi", Raw: []byte("{}"), Received: time.Unix(1, 0)}
	b := Event{Account: "shop", Kind: Message, ID: "m1", Raw: []byte("{ }"), Received: time.Unix(2, 0)}
	if a.Key() != b.Key() {
		t.Error("the same id in another dress has another key")
	}
}

func TestUnknownEventsOfDifferentTypesStayApart(t *testing.T) {
	a := Event{Account: "shop", Kind: Unknown, Type: "GROUP_RENAMED", ID: "1"}
	b := Event{Account: "shop", Kind: Unknown, Type: "GROUP_CLOSED", ID: "1"}
	if a.Key() == b.Key() {
		t.Error("two types share a key")
	}
}

func TestRefIsStableForARecordAndFreshForALaterOne(t *testing.T) {
	e := Event{Account: "shop", Kind: Message, ID: "m1", Received: time.Unix(1, 5)}
	again := e
	if e.Ref() != again.Ref() || len(e.Ref()) != 20 {
		t.Errorf("one record has refs %s and %s", e.Ref(), again.Ref())
	}
	again.Received = time.Unix(1, 6)
	if e.Ref() == again.Ref() {
		t.Error("an id that the platform reused has the ref of the first event")
	}
}
