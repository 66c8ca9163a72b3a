package trial

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"bot/engine"
	"bot/engine/fetch"
)

// Run plays a script in a fresh trial and returns the first place where the
// reply is not what the script expects, as a sentence that begins with the
// script's position; nil when all is as expected.
func Run(ctx context.Context, o Options, s engine.Script) error {
	if err := run(ctx, o, s); err != nil {
		// One line for each test, whatever a skill's own error looks like.
		return fmt.Errorf("%s: skill %q: test: %s", s.Where, s.Skill, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return nil
}

func run(ctx context.Context, o Options, s engine.Script) error {
	places, err := align(s)
	if err != nil {
		return err
	}
	t := New(o)
	ctx = fetch.WithAnswers(ctx, s.Answers)
	first := t.speaker()
	var carried Reply  // said while time passed, where waiting has no place of its own
	var heard []answer // so far, one for each expectation that was met
	for i, line := range s.Send {
		r, err := t.Do(ctx, line)
		if err != nil {
			return fmt.Errorf("send[%d] %q: %w", i, line, err)
		}
		carried.add(r)
		if places[i] < 0 {
			carried.Notes = nil // they are about this line
			continue
		}
		want := s.Expect[places[i]]
		problem := judge(want, carried)
		if problem == "" {
			heard, carried = append(heard, answer{line, carried}), Reply{}
			continue
		}
		who := ""
		if now := t.speaker(); now != first {
			who = " (" + now + ")"
		}
		return fmt.Errorf("after %q%s: %s%s", line, who, problem, displaced(ctx, t, want, heard, s.Send[i+1:]))
	}
	if n := fetch.Left(ctx); n > 0 {
		return fmt.Errorf("%s of answers %s not asked for: skills called other systems less often", count(n, "entry", "entries"), map[bool]string{true: "was", false: "were"}[n == 1])
	}
	return nil
}

// answer is a line that was sent and what came of it.
type answer struct {
	line  string
	reply Reply
}

// displaced says where the reply came that was missed at its place: most tests
// that fail so have lost or won a line.
func displaced(ctx context.Context, t *Trial, want string, heard []answer, rest []string) string {
	if want == "-" {
		return ""
	}
	for _, a := range slices.Backward(heard) {
		if judge(want, a.reply) == "" {
			return fmt.Sprintf(" (it came before, after %q)", a.line)
		}
	}
	for _, line := range rest {
		if r, err := t.Do(ctx, line); err == nil && judge(want, r) == "" {
			return fmt.Sprintf(" (it comes later, after %q)", line)
		}
	}
	return ""
}

// align finds for each line sent its place in what is expected, -1 for none.
// Lines and expectations pair one to one; or the silent lines, which say
// nothing, are all left out of the expectations.
func align(s engine.Script) ([]int, error) {
	places := make([]int, len(s.Send))
	if len(s.Expect) == len(s.Send) {
		for i := range places {
			places[i] = i
		}
		return places, nil
	}
	n := 0
	for i, line := range s.Send {
		places[i] = -1
		if !Silent(line) {
			places[i] = n
			n++
		}
	}
	if n != len(s.Expect) {
		return nil, misaligned(s, n)
	}
	return places, nil
}

// misaligned says how many lines there are, and where the two lists part.
func misaligned(s engine.Script, heard int) error {
	more := ""
	if silent := len(s.Send) - heard; silent > 0 {
		more = fmt.Sprintf(" (of those sent, %s as /wait and /as are: leave out all of these or none)", count(silent, "is silent", "are silent"))
	}
	parts := ""
	switch {
	case len(s.Expect) > len(s.Send):
		parts = fmt.Sprintf("; %q answers no line", s.Expect[len(s.Send)])
	case more == "":
		parts = fmt.Sprintf("; %q has none", s.Send[len(s.Expect)])
	}
	return fmt.Errorf("%s sent and %s expected%s; write one for each line (\"-\" where none comes)%s",
		count(len(s.Send), "line is", "lines are"), count(len(s.Expect), "reply", "replies"), parts, more)
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// judge compares what came with one expectation: "-" for no reply, /…/ for a
// regular expression, else a text that must be contained.
func judge(want string, r Reply) string {
	got := strings.Join(slices.Concat(r.Texts, r.Actions, r.Notes), "\n")
	shown := fmt.Sprintf("the bot said %q", got)
	if got == "" {
		shown = "the bot said nothing (bot chat -explain says why)"
	}
	if want == "-" {
		if len(r.Texts) > 0 {
			return "expected no reply, but " + shown
		}
		return ""
	}
	if len(want) > 2 && want[0] == '/' && want[len(want)-1] == '/' {
		re, err := regexp.Compile(want[1 : len(want)-1])
		if err != nil {
			return "bad expectation: " + err.Error()
		}
		if !re.MatchString(got) {
			return fmt.Sprintf("expected a match of %s, but %s", want, shown)
		}
		return ""
	}
	if !strings.Contains(got, want) {
		return fmt.Sprintf("expected %q, but %s", want, shown)
	}
	return ""
}
