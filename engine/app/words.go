package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"bot/engine"
	"bot/engine/config"
	"bot/engine/egress"
	"bot/engine/wordfilter"
)

// filterOf makes the word filter of a configuration, nil where it has none. What
// is allowed and probably not meant becomes a warning of the configuration.
func filterOf(cfg *config.Config) (*wordfilter.Filter, error) {
	w := &cfg.Words
	if len(w.Listed) == 0 {
		return nil, nil
	}
	mask, _ := utf8.DecodeRuneInString(w.Mask)
	f, problems := wordfilter.New(wordfilter.Options{Words: listed(w.Listed), Except: listed(w.Exempt), Mask: mask})
	var errs []error
	var warnings []config.Problem
	for _, p := range problems {
		at, key := w.Listed, ""
		if p.Except {
			at, key = w.Exempt, "except: "
		}
		problem := at[p.Index].Problem("%s%s", key, p.Text)
		if p.Warning {
			warnings = append(warnings, problem)
		} else {
			errs = append(errs, problem)
		}
	}
	if more := len(warnings) - maxWordWarnings; more > 0 {
		warnings = append(warnings[:maxWordWarnings], config.Problem{Msg: fmt.Sprintf("words: %d more words like these", more)})
	}
	cfg.Warnings = append(cfg.Warnings, warnings...)
	return f, errors.Join(errs...)
}

// maxWordWarnings is how many words are warned of one by one: lists that are put
// together from others have thousands of words twice.
const maxWordWarnings = 20

func listed(all []config.Word) []wordfilter.Word {
	words := make([]wordfilter.Word, len(all))
	for i := range all {
		w := &all[i]
		action, _ := wordfilter.ParseAction(w.Action) // config refused any other
		words[i] = wordfilter.Word{Text: w.Text, Action: action, Place: wordfilter.Place{File: w.File(), Line: w.Line()}}
	}
	return words
}

// vet puts what a command says through the word filter of the plan that is live.
func (a *App) vet(c *engine.Command) egress.Vetted { return a.live.Load().Vet(c) }

// Vet tells what the platform would get of a command, and what was found in it.
func (p *Plan) Vet(c *engine.Command) egress.Vetted {
	if p.words == nil {
		return egress.Vetted{Command: c}
	}
	var all []wordfilter.Hit
	said := reworded(c, func(text string) string {
		hits := p.words.Find(text)
		all = append(all, hits...)
		return p.words.Cover(text, hits)
	})
	if len(all) == 0 {
		return egress.Vetted{Command: c}
	}
	v := egress.Vetted{Command: said, Found: tally(all)}
	for _, action := range []wordfilter.Action{wordfilter.Refuse, wordfilter.Replace, wordfilter.Alert} {
		if slices.ContainsFunc(all, func(h wordfilter.Hit) bool { return h.Action == action }) {
			v.Actions = append(v.Actions, action.String())
			v.Alert = v.Alert || action == wordfilter.Alert
			if action == wordfilter.Refuse {
				v.Refused = "words: " + v.Found
			}
		}
	}
	return v
}

// tally says what was found, by where the words are listed: "replace 2
// (words.txt:12), alert 1 (bot.toml:9)". The words themselves are not for logs.
func tally(hits []wordfilter.Hit) string {
	var parts []string
	for _, action := range []wordfilter.Action{wordfilter.Refuse, wordfilter.Replace, wordfilter.Alert} {
		count, places := 0, []string(nil)
		for _, h := range hits {
			if h.Action != action {
				continue
			}
			count++
			if at := h.Place.String(); !slices.Contains(places, at) && len(places) <= shownPlaces {
				places = append(places, at)
			}
		}
		if len(places) > shownPlaces {
			places[shownPlaces] = "…"
		}
		if count > 0 {
			parts = append(parts, fmt.Sprintf("%v %d (%s)", action, count, strings.Join(places, ", ")))
		}
	}
	return strings.Join(parts, ", ")
}

// shownPlaces is how many places of words one line names.
const shownPlaces = 5
