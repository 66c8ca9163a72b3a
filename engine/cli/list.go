package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
)

// printList shows rows to people under a head, or all of them as JSON to
// programs; none is said where there are none.
func printList[T any](c *call, rows []T, none, head string, line func(T) string) int {
	if c.json {
		json.NewEncoder(c.Out).Encode(rows)
		return exitOK
	}
	if len(rows) == 0 {
		fmt.Fprintln(c.Out, none)
		return exitOK
	}
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, head)
	for _, r := range rows {
		fmt.Fprintln(w, line(r))
	}
	w.Flush()
	return exitOK
}

// each does something to every one that was named; one that fails does not
// keep the others from it. done says what was done, "" keeps quiet.
func (c *call) each(what string, names []string, done string, do func(name string) error) int {
	code := exitOK
	for _, name := range names {
		if err := do(name); err != nil {
			fmt.Fprintf(c.Err, "%s %s: %v\n", what, name, err)
			code = exitFailed
		}
	}
	if code == exitOK && done != "" {
		fmt.Fprintf(c.Out, "%s: %d\n", done, len(names))
	}
	return code
}

// dash is a text for a column, "-" for none.
func dash(s string) string {
	if s == "" {
		return "-"
	}
	return oneLine(s)
}

// oneLine shows what others wrote so that it cannot make lines, or paint the terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, s)
}
