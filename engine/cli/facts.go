package cli

import (
	"fmt"
	"strconv"
	"text/tabwriter"

	"bot/store"
)

// fact is one thing that is known of something; without a value it is not shown.
type fact struct{ name, value string }

// facts prints one thing for people: what is known of it, a line each, then what
// was tried to do it. A blank line sets it apart from the one before.
func (c *call) facts(all []fact, tries []store.Try) {
	if c.shown++; c.shown > 1 {
		fmt.Fprintln(c.Out)
	}
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	for _, f := range all {
		if f.value != "" {
			fmt.Fprintf(w, "%s\t%s\n", f.name, oneLine(f.value))
		}
	}
	w.Flush()
	if len(tries) == 0 {
		return
	}
	fmt.Fprintln(w, "\nTRIED\tOUTCOME\tSTATUS\tNOTE")
	for _, t := range tries {
		outcome, status := t.Class, "-"
		if outcome == "" {
			outcome = "under way"
		}
		if t.Status != 0 {
			status = strconv.Itoa(t.Status)
		}
		fmt.Fprintln(w, row(c.moment(t.Time)+"\t"+outcome+"\t"+status+"\t"+dash(t.Note)))
	}
	w.Flush()
}

// joined is two texts with a colon between them, or the one that there is.
func joined(what, why string) string {
	if why == "" {
		return what
	}
	return what + ": " + why
}
