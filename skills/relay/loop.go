package relay

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bot/engine"
	"bot/skills/carry"
)

// What ends loops. A relay never carries
//
//   - anything into the conversation it came from, by whichever account;
//   - what one of our own accounts said: the platform's echo of our command
//     (engine.Event.Self), and what another account of ours reads of it in the
//     same group. Groups that relay to each other, through one account or
//     several, end here at once;
//   - a text that holds the very prefix it would get: it has been through here.
//     This ends a loop through somebody else's bot that brings our text back,
//     with or without words of its own around it: at the first echo where the
//     prefix is the same for everybody, at the second where it names the
//     speaker, since the first is the other bot's own saying, and for the later
//     parts of a text that was split. Of several such bots each gets into a text
//     once, so that this ends too;
//   - one sender's same text in one conversation more than `repeats` times in
//     `keep`. This ends a loop through a bot that takes our prefix off, any loop
//     where there is no prefix, and one of files whose size the platform tells.
//
// A loop goes on only through a bot that takes our prefix off and changes the
// text each time, or that brings files back whose size nobody tells; the pace of
// the account bounds these. Different members who say the same never meet, and
// one may say it a few times over.
const (
	keep    = 10 * time.Minute
	repeats = 3
)

// shortest is how many characters a prefix must have to be a mark: a colon
// alone stands in many texts.
const shortest = 2

// holds tells whether the body holds the prefix that it would get.
func holds(b carry.Body, prefix string) bool {
	mark := strings.TrimSpace(prefix)
	return utf8.RuneCountInString(mark) >= shortest && strings.Contains(b.Said, mark)
}

// key is the once-key for what was said, taken being how many of its keys were
// found taken by the same said before. Once-keys belong to the skill and to the
// account that heard it. It is "" for what leaves as a mere word, as a picture
// without an address does: a word that is brought back comes as a text.
func key(b carry.Body, e *engine.Event, taken int) string {
	h := sha256.New()
	add := func(s string) { fmt.Fprintf(h, "%d:%s", len(s), s) }
	add(e.Conversation)
	add(e.Sender)
	add(b.Said)
	guarded := b.Said != ""
	for _, m := range b.Media {
		if m.URL == "" {
			continue
		}
		guarded = true
		add(m.Kind)
		if m.Size > 0 { // its address is another one each time it is sent
			add(strconv.FormatInt(m.Size, 10))
		} else {
			add(m.URL)
		}
	}
	if !guarded {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil)[:16]) + "/" + strconv.Itoa(taken)
}
