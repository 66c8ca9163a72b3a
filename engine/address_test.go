package engine_test

import (
	"strings"
	"testing"
	"time"

	"bot/engine"
)

func TestAddressed(t *testing.T) {
	names := []string{"小助", "小助手", "Bot", "", "Bot 2"}
	for _, tt := range []struct {
		text, rest string
		found      bool
	}{
		{"@小助手\u2005今天几点开会", "今天几点开会", true},
		{"@小助手 今天", "今天", true},
		{"＠小助手 今天", "今天", true},
		{"@小助手，在吗", "在吗", true},
		{"@小助手：在吗", "在吗", true},
		{"@小助手？", "？", true},
		{"@小助手～在吗", "在吗", true},
		{"@小助手", "", true},
		{"  @小助手\u2005 今天  ", "今天", true},
		{"@小助手\u2005@Bot\u2005今天", "今天", true},
		{"今天 @小助手", "今天", true},
		{"今天，@小助手\u2005", "今天", true},
		{"今天 ＠小助手", "今天", true},
		{"今天@小助手 @Bot", "今天", true},
		{"hi@小助手", "hi", true},
		{"@Bot 2 hi", "hi", true}, // the longest
		{"@Bot hi", "hi", true},
		{"@小助 在吗", "在吗", true},

		{"问一下@小助手 怎么走", "问一下@小助手 怎么走", true}, // in the middle
		{"@某人 @小助手 今天", "@某人 @小助手 今天", true},
		{"@小助手们 @小助手。", "@小助手们 @小助手。", true},

		{"@小助手们 今天", "@小助手们 今天", false},
		{"@小助手在吗", "@小助手在吗", false},
		{"@Bot_2 hi", "@Bot_2 hi", false},
		{"@Bot-2 hi", "@Bot-2 hi", false},
		{"mail a@Bot.example", "mail a@Bot.example", false},
		{"mail a@Bot", "mail a@Bot", false},
		{"@某人 今天", "@某人 今天", false},
		{"小助手 今天", "小助手 今天", false},
		{" 今天 ", " 今天 ", false},
		{"@", "@", false},
		{"@ 今天", "@ 今天", false},
		{"", "", false},
	} {
		if rest, found := engine.Addressed(tt.text, names); rest != tt.rest || found != tt.found {
			t.Errorf("%q: %q, %v, want %q, %v", tt.text, rest, found, tt.rest, tt.found)
		}
	}
	if rest, found := engine.Addressed("@小助手 x", nil); rest != "@小助手 x" || found {
		t.Errorf("without a name: %q, %v", rest, found)
	}
}

func TestAddressedTakesATimeThatGrowsWithTheText(t *testing.T) {
	began := time.Now()
	for _, text := range []string{strings.Repeat("@小助手 ", 100_000), strings.Repeat("@小助手们", 100_000), strings.Repeat("@", 500_000)} {
		engine.Addressed(text, []string{"小助手"})
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}
