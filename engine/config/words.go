package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"bot/engine"
	"bot/engine/nearest"
)

// Words is the list of the word filter: what accounts are not to say.
//
//	[words]
//	list = ["微信", "weixin"]
//	action = "replace"
//	mask = "*"
//	except = ["微信支付"]
type Words struct {
	// Files of words, one a line; `replace`, `refuse` or `alert` may stand behind a tab.
	Files []string `toml:"files"`
	// Words; each has the action of the table.
	List []string `toml:"list"`
	// What happens to a text with a word that has no action of its own: the word is replaced by the mask, the text is
	// not sent, or it is sent and logged.
	Action string `toml:"action" is:"replace|refuse|alert"`
	// The sign that stands for each character of a word: one that is no letter and can be seen.
	Mask string `toml:"mask"`
	// Texts that are harmless though they contain a listed word.
	Except engine.List `toml:"except"`

	// Listed are the words of List, then those of Files; Exempt those of Except.
	Listed []Word `toml:"-"`
	Exempt []Word `toml:"-"`
}

// Word is one word of a list and where it stands.
type Word struct {
	Text   string
	Action string
	at     place
}

// File and Line are where the word stands.
func (w *Word) File() string { return w.at.src.name }

// Line is counted from 1.
func (w *Word) Line() int { return w.at.line }

// Problem makes a problem with the word.
func (w *Word) Problem(format string, args ...any) Problem {
	return w.at.problem("words: %s", fmt.Sprintf(format, args...))
}

// WordActions are what may follow where a word is found.
func WordActions() []string { return []string{"replace", "refuse", "alert"} }

// words checks the table and reads its files.
func (l *loader) words(s *Section, w *Words) {
	if !s.Has("words") {
		return
	}
	l.oneOf(s, "words.action", w.Action, WordActions()...)
	if !isMask(w.Mask) {
		l.refuse(s, "words.mask", `like "*", "█" or "□"`, "words.mask: %q is not one sign that can be seen", w.Mask)
	}
	for i, text := range w.List {
		if n, _ := s.node.find(fmt.Sprintf("words.list.%d", i)); isString(n) {
			w.Listed = append(w.Listed, Word{text, w.Action, n.at})
		}
	}
	for i, name := range w.Files {
		key := fmt.Sprintf("words.files.%d", i)
		if n, _ := s.node.find(key); isString(n) {
			l.wordFile(s, key, name, w)
		}
	}
	for i, text := range w.Except {
		// What comes from a file stands behind what does not.
		n, found := s.node.find(fmt.Sprintf("words.except.%d", i))
		if !found {
			n, _ = s.node.find("words.except_file")
		}
		if isString(n) {
			w.Exempt = append(w.Exempt, Word{Text: text, at: n.at})
		}
	}
	told := slices.ContainsFunc(l.problems, func(p Problem) bool { return strings.HasPrefix(p.Msg, "words") })
	if len(w.Listed) == 0 && !told {
		l.refuse(s, "words", `files = ["words.txt"], or list = ["…"]`, "words: there are no words")
	}
}

// isString tells what was written as a text; of anything else the type was
// complained of.
func isString(n *node) bool {
	_, ok := n.value.(string)
	return ok
}

// isMask tells one sign: a letter could make a word again, and what cannot be
// seen would bring those beside it together.
func isMask(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return size == len(s) && r != utf8.RuneError && (unicode.IsPunct(r) || unicode.IsSymbol(r))
}

// wordFile adds the words of a file.
func (l *loader) wordFile(s *Section, key, name string, w *Words) {
	n, _ := s.node.find(key)
	data, err := s.disk.read(resolve(n.at.src, name), maxList)
	if err != nil {
		l.refuse(s, key, "one word a line, as UTF-8; the path is relative to this file", "words.files: cannot read %q: %v", name, bare(err))
		return
	}
	src := &source{name: name}
	text, wrong := decodeText(src, data)
	if wrong != nil {
		l.refuse(s, key, "", "words.files: %v", wrong)
		return
	}
	entries := l.wordLines(src, text, w.Action)
	if len(entries) == 0 {
		l.refuse(s, key, "one word a line; lines that begin with # are comments", "words.files: there is nothing in %q", name)
	}
	w.Listed = append(w.Listed, entries...)
}

// wordLines are the words of a file, those without an action with the given one.
func (l *loader) wordLines(src *source, text, action string) (all []Word) {
	line, bad := 0, 0
	for entry := range strings.Lines(text) {
		line++
		if entry = strings.TrimSpace(entry); entry == "" || entry[0] == '#' {
			continue
		}
		w := Word{entry, action, place{src, line, 1}}
		if text, own, found := strings.Cut(entry, "\t"); found {
			w.Text, w.Action = strings.TrimSpace(text), strings.TrimSpace(own)
			if !slices.Contains(WordActions(), w.Action) {
				if bad++; bad <= maxBadLines {
					p := w.Problem("there is no action %q", w.Action)
					p.Hint = nearest.Guess(w.Action, WordActions())
					l.add(p)
				}
			}
		}
		all = append(all, w)
	}
	if bad > maxBadLines {
		p := place{src, 1, 1}.problem("words: %d more lines have no action behind their tab", bad-maxBadLines)
		p.Hint = "one word a line; replace, refuse or alert may stand behind a tab"
		l.add(p)
	}
	return all
}

// maxBadLines is how many lines of one file are complained of one by one.
const maxBadLines = 5
