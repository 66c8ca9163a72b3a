package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"bot/engine/nearest"
	"bot/engine/trial"
)

// chatHelp is what /help prints.
func chatHelp() string {
	return "Say something, or: / 说一句话，或者：\n" + trial.Help() +
		"  /help                        this / 本说明\n" +
		"  /quit                        leave / 退出\n" +
		"A text that begins with a slash is said with two: //help / 以 / 开头的文字写成 //\n"
}

const chatGreeting = "say something to the skills; /help lists what else can be done, /quit ends it\n说点什么试试；/help 看还能做什么，/quit 退出"

// chatVerb reads lines and prints what the bot says to each.
func chatVerb(ctx context.Context, c *call) int {
	user := c.flags.String("as", "user", "who you are: a `user`'s id")
	group := c.flags.String("in", "", "speak in this `group`, to the bot, instead of privately")
	account := c.flags.String("account", "", "the `account` that is spoken to; default the first")
	explain := c.flags.Bool("explain", false, "say of every skill why it answers or not")
	if code, ok := c.parse(0, 0); !ok {
		return code
	}
	plan, err := c.plan()
	if err != nil {
		return c.sayConfig(err, exitFailed)
	}
	o := plan.Trial(*account, false)
	if *account != "" {
		if _, ok := plan.Setup.Accounts[*account]; !ok {
			fmt.Fprintf(c.Err, "there is no account %q in %s%s\n", *account, c.config, nearest.Hint(*account, slices.Sorted(maps.Keys(plan.Setup.Accounts))))
			return exitFailed
		}
	}
	o.User, o.Group, o.Chance, o.Start = *user, *group, c.Chance, c.Now()
	if *explain {
		o.Explain = plan.Skills.Explain
	}
	t := trial.New(o)
	// On stderr, so that what a pipe reads is the bot's words alone.
	fmt.Fprintln(c.Err, chatGreeting)
	lines := typed(ctx, c.In)
	for {
		select {
		case <-ctx.Done():
			return exitOK
		case l, more := <-lines:
			if !more {
				return exitOK
			}
			if l.err != nil {
				c.say(fmt.Errorf("read a line: %w", l.err))
				return exitFailed
			}
			if done := c.hear(ctx, t, l.text); done {
				return exitOK
			}
		}
	}
}

// hear answers one line; done means that it was the last.
func (c *call) hear(ctx context.Context, t *trial.Trial, line string) (done bool) {
	switch strings.TrimSpace(line) {
	case "":
	case "/quit":
		return true
	case "/help":
		fmt.Fprint(c.Out, chatHelp())
	default:
		if meant := ownCommand(line); meant != "" {
			fmt.Fprintf(c.Out, "err> there is no command %s (did you mean %s?)\n", strings.TrimSpace(line), meant)
			return false
		}
		r, err := t.Do(ctx, line)
		c.printReply(r, err)
		if err == nil && len(r.Texts)+len(r.Actions)+len(r.Verdicts) == 0 && !trial.Silent(line) {
			fmt.Fprintln(c.Err, "(no reply; with -explain the skills say why)")
		}
	}
	return false
}

// ownCommand tells which of the commands that only chat has was mistyped, ""
// when the line is for the trial to understand.
func ownCommand(line string) string {
	if !strings.HasPrefix(line, "/") || strings.HasPrefix(line, "//") {
		return "" // a text
	}
	own := []string{"/help", "/quit"}
	meant := nearest.Name(strings.TrimSpace(line), append(own, trial.Commands()...))
	if slices.Contains(own, meant) {
		return meant
	}
	return ""
}

// typedLine is a line, or why there are no more.
type typedLine struct {
	text string
	err  error
}

// typed delivers lines until there are no more. Its goroutine may stay in a
// Read that nobody can interrupt when ctx is done; it ends with the process.
func typed(ctx context.Context, in io.Reader) <-chan typedLine {
	out := make(chan typedLine)
	send := func(l typedLine) bool {
		select {
		case out <- l:
			return true
		case <-ctx.Done():
			return false
		}
	}
	go func() {
		defer close(out)
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if !send(typedLine{text: strings.TrimRight(lines.Text(), "\r")}) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			send(typedLine{err: err})
		}
	}()
	return out
}

func (c *call) printReply(r trial.Reply, err error) {
	for _, text := range r.Texts {
		fmt.Fprintln(c.Out, "bot> "+strings.ReplaceAll(text, "\n", "\n     "))
	}
	for _, action := range r.Actions {
		fmt.Fprintln(c.Out, "act> "+action)
	}
	for _, note := range r.Notes {
		fmt.Fprintln(c.Out, "now> "+note)
	}
	for _, v := range r.Verdicts {
		mark := "-"
		if v.Won {
			mark = "+"
		}
		fmt.Fprintf(c.Out, "why> %s %s (%s): %s\n", mark, v.Skill, v.Where, v.Why)
	}
	for _, remark := range r.Remarks {
		fmt.Fprintln(c.Out, "why> = "+remark)
	}
	if err != nil {
		fmt.Fprintln(c.Out, "err> "+err.Error())
	}
}
