package llm

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bot/engine"
	"bot/store"
)

func TestAHistoryKeepsTheLatestWithinItsBounds(t *testing.T) {
	texts := rapid.Custom(func(t *rapid.T) string {
		s := rapid.StringN(1, 40, -1).Draw(t, "text")
		return clean(strings.Repeat(s, rapid.IntRange(1, 1000).Draw(t, "times")))
	})
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 50).Draw(t, "most")
		var h history
		for range rapid.IntRange(1, 30).Draw(t, "exchanges") {
			x := exchange{texts.Draw(t, "asked"), texts.Draw(t, "answered")}
			before := h
			h = decode(h.with(x, most).encode())
			bytes := 0
			for _, x := range h {
				bytes += len(x.Asked) + len(x.Answered)
			}
			note := h.encode()
			switch n := len(h); {
			case n < 1 || n > most || n > len(before)+1:
				t.Fatalf("%d exchanges after %d, at most %d", n, len(before), most)
			case bytes > maxHistory:
				t.Fatalf("%d bytes", bytes)
			case len(note) > store.MaxNoteValue:
				t.Fatalf("a note of %d bytes", len(note))
			case !strings.HasPrefix(x.Asked, h[n-1].Asked) || !strings.HasPrefix(x.Answered, h[n-1].Answered):
				t.Fatalf("the last is %q, want %q", h[n-1], x)
			}
			for i, old := range h[:len(h)-1] {
				if old != before[len(before)-len(h)+1+i] {
					t.Fatal("those before it are not the latest in their order")
				}
			}
		}
	})
}

func TestAShorterHistoryTakesTheLatestOfALongerOne(t *testing.T) {
	long := history{{"1", "a"}, {"2", "b"}, {"3", "c"}}
	m := memory{exchanges: 2}
	got, err := m.recall(&engine.Turn{
		Event:  &engine.Event{Conversation: "u1", Sender: "u1"},
		Recall: func(string) (string, error) { return long.encode(), nil },
	})
	if err != nil || !slices.Equal(got, long[1:]) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestANoteThatIsNoHistoryBeginsANewOne(t *testing.T) {
	for _, note := range []string{"", "{}", "[1]", "[", `"x"`} {
		if h := decode(note); len(h) != 0 {
			t.Errorf("%q reads %v", note, h)
		}
	}
}

func TestKeysOfDifferentIdsDiffer(t *testing.T) {
	long := strings.Repeat("x", 300)
	seen := make(map[string][]string)
	for _, ids := range [][]string{{"a"}, {"a", ""}, {"a", "b"}, {"a/1:b"}, {"ab"}, {"", "ab"}, {long}, {long, "a"}, {long + "a"}} {
		k := key("said", ids...)
		if other, taken := seen[k]; taken {
			t.Errorf("%q and %q have one key", ids, other)
		}
		if seen[k] = ids; len(k) > maxKey {
			t.Errorf("%q has a key of %d bytes", ids, len(k))
		}
	}
}
