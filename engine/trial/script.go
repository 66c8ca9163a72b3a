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
	places, err := align(s)
	if err != nil {
		return fmt.Errorf("%s: skill %q: test: %w", s.Where, s.Skill, err)
	}
	t := New(o)
	ctx = fetch.WithAnswers(ctx, s.Answers)
	var carried Reply // said while time passed, where waiting has no place of its own
	for i, line := range s.Send {
		r, err := t.Do(ctx, line)
		if err != nil {
			return fmt.Errorf("%s: skill %q: test: send[%d] %q: %w", s.Where, s.Skill, i, line, err)
		}
		carried.add(r)
		if places[i] < 0 {
			continue
		}
		problem := judge(s.Expect[places[i]], carried)
		carried = Reply{}
		if problem != "" {
			return fmt.Errorf("%s: skill %q: test: after %q: %s", s.Where, s.Skill, line, problem)
		}
	}
	return nil
}

// align finds for each line sent its place in what is expected, -1 for none.
// Lines and expectations pair one to one; or /as and /wait, which say nothing,
// may be left out of the expectations.
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
		return nil, fmt.Errorf("%s sent and %s expected; write one for each line (\"-\" where none comes)", count(len(s.Send), "line is", "lines are"), count(len(s.Expect), "reply", "replies"))
	}
	return places, nil
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
	got := strings.Join(append(slices.Clone(r.Texts), r.Actions...), "\n")
	shown := fmt.Sprintf("the bot said %q", got)
	if got == "" {
		shown = "the bot said nothing"
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
