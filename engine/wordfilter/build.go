package wordfilter

import (
	"fmt"
	"slices"
	"strings"
)

// Options is what a Filter is made of.
type Options struct {
	Words []Word
	// Except are words that contain listed ones and are harmless: within them,
	// nothing is found. A listed word that contains one, or goes beyond its edge,
	// is found all the same.
	Except []Word
	Mask   rune // covers each character of a word that is replaced
}

// Problem is what is wrong with a word.
type Problem struct {
	Except  bool // it is one of Options.Except, not of Options.Words
	Index   int
	Warning bool // it is allowed, and probably not meant
	Text    string
}

// New makes a Filter. Words with problems that are no warnings are left out.
func New(o Options) (*Filter, []Problem) {
	b := builder{known: make(map[string]known, len(o.Words))}
	for i := range o.Words {
		b.word(i, &o.Words[i])
	}
	for i := range o.Except {
		b.except(i, &o.Except[i])
	}
	f := &Filter{dense: newMatcher(&b.dense), plain: newMatcher(&b.plain), rules: b.rules, mask: o.Mask}
	for _, i := range b.excepted {
		if w := o.Except[i].Text; !f.lists(w) {
			b.problem(Problem{Except: true, Index: i, Warning: true}, "%q contains no listed word", w)
		}
	}
	return f, b.problems
}

// builder collects the forms of words.
type builder struct {
	reading      reading
	known        map[string]known // by their forms
	dense, plain collected
	rules        []rule
	excepted     []int // the exceptions that are kept
	problems     []Problem
}

// known is a word that was seen.
type known struct {
	place  Place
	except bool
}

type collected struct {
	forms  []string
	number []int32
}

func (b *builder) problem(p Problem, format string, args ...any) {
	p.Text = fmt.Sprintf(format, args...)
	b.problems = append(b.problems, p)
}

func (b *builder) word(i int, w *Word) {
	form, dense := b.form(w.Text)
	same, twice := b.known[form]
	switch {
	case len(form) == 0:
		b.problem(Problem{Index: i}, "there is nothing to be seen in %+q", w.Text)
		return
	case twice:
		b.problem(Problem{Index: i, Warning: true}, "%q is listed already, at %v", w.Text, same.place)
		return
	case len(form) == 1:
		b.problem(Problem{Index: i, Warning: true}, "%q is one character, which many harmless texts have", w.Text)
	}
	b.known[form] = known{place: w.Place}
	b.add(form, dense)
	b.rules = append(b.rules, rule{w.Action, w.Place})
}

func (b *builder) except(i int, w *Word) {
	form, dense := b.form(w.Text)
	same, twice := b.known[form]
	switch {
	case len(form) == 0:
		b.problem(Problem{Except: true, Index: i}, "there is nothing to be seen in %+q", w.Text)
	case twice && same.except:
		b.problem(Problem{Except: true, Index: i, Warning: true}, "%q stands there already", w.Text)
	case twice:
		b.problem(Problem{Except: true, Index: i}, "%q is a listed word itself, at %v", w.Text, same.place)
	default:
		b.known[form] = known{except: true}
		b.add(form, dense)
		b.excepted = append(b.excepted, i)
	}
}

func (b *builder) add(form string, dense bool) {
	into := &b.plain
	if dense {
		into = &b.dense
	}
	into.forms, into.number = append(into.forms, form), append(into.number, int32(len(b.rules)+len(b.excepted)))
}

// form is what a word is looked for as; dense says that it is by its letters and
// digits alone.
func (b *builder) form(word string) (form string, dense bool) {
	t := &b.reading
	t.read(word, true)
	all := t.all
	for len(all) > 0 && all[0].r == ' ' {
		all = all[1:]
	}
	for len(all) > 0 && all[len(all)-1].r == ' ' {
		all = all[:len(all)-1]
	}
	if dense = len(t.solid) > 0 && (len(t.solid) == len(all) || signless(t.solid)); dense {
		all = t.solid
	}
	var s strings.Builder
	for _, p := range all {
		s.WriteRune(p.r)
	}
	return s.String(), dense
}

// signless tells whether the signs of a word that has some are of no account: it
// is more than one letter, and they stand where those of a text may.
func signless(solid []piece) bool {
	for i := range solid {
		if i > 0 && (solid[i].gap&wide != 0 || tightPair(solid, i) && solid[i].gap&open != 0) {
			return false
		}
	}
	return len(solid) > 1 && slices.ContainsFunc(solid, func(p piece) bool { return p.sort == loose })
}
