package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
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
		fmt.Fprintln(w, row(line(r)))
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
		c.count(done, len(names))
	}
	return code
}

// crew is how many of those that need not wait for each other are worked on at once.
const crew = 16

// eachOf is each for many, in lines of which the lines are worked on at the same time
// and what stands in one of them after the other.
func (c *call) eachOf(what string, lines [][]string, done string, do func(name string) error) int {
	var work sync.WaitGroup
	var mu sync.Mutex
	count, code, free := 0, exitOK, make(chan struct{}, crew)
	for _, names := range lines {
		free <- struct{}{}
		work.Go(func() {
			defer func() { <-free }()
			for _, name := range names {
				err := do(name)
				mu.Lock()
				if count++; err != nil {
					fmt.Fprintf(c.Err, "%s %s: %v\n", what, name, err)
					code = exitFailed
				}
				mu.Unlock()
			}
		})
	}
	work.Wait()
	if code == exitOK {
		c.count(done, count)
	}
	return code
}

// count says to how many something was done.
func (c *call) count(done string, n int) {
	if c.json {
		c.indented(map[string]int{strings.ReplaceAll(done, " ", "_"): n})
		return
	}
	fmt.Fprintf(c.Out, "%s: %d\n", done, n)
}

// indented prints a value as JSON for people to read.
func (c *call) indented(v any) error {
	out := json.NewEncoder(c.Out)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// moment is a time for people, in the zone of the configuration; "-" for none.
func (c *call) moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return c.in(t).Format(time.RFC3339)
}

// known is moment for a fact, which is left out where there is none.
func (c *call) known(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return c.moment(t)
}

// in is a time in the zone of the configuration that was loaded.
func (c *call) in(t time.Time) time.Time { return t.In(cmp.Or(c.zone, time.Local)) }

// dash is a text for a column, "-" for none.
func dash(s string) string {
	if s == "" {
		return "-"
	}
	return oneLine(s)
}

// oneLine shows what others wrote so that it cannot make lines, or paint the terminal.
func oneLine(s string) string { return strings.Map(shown, s) }

// row is oneLine for a row of columns, which tabs set apart.
func row(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return shown(r)
	}, s)
}

func shown(r rune) rune {
	if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
		return ' '
	}
	return r
}
