package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"bot/engine/trial"
)

const chatHelp = `Say something, or:
  /event KIND   something happens to you: friend_added, friend_request, member_joined, …
  /wait 11m     time passes
  /as USER      speak as somebody else
  /quit         leave
A text that begins with a slash is said with two: //help
`

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
			fmt.Fprintf(c.Err, "there is no account %q in %s\n", *account, c.config)
			return exitFailed
		}
	}
	o.User, o.Group, o.Chance, o.Start = *user, *group, c.Chance, c.Now()
	if *explain {
		o.Explain = plan.Skills.Explain
	}
	t := trial.New(o)
	lines := bufio.NewScanner(c.In)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		switch line := strings.TrimRight(lines.Text(), "\r"); strings.TrimSpace(line) {
		case "":
		case "/quit":
			return exitOK
		case "/help":
			fmt.Fprint(c.Out, chatHelp)
		default:
			r, err := t.Do(ctx, line)
			c.printReply(r, err)
		}
		if ctx.Err() != nil {
			return exitOK
		}
	}
	if err := lines.Err(); err != nil {
		c.say(fmt.Errorf("read a line: %w", err))
		return exitFailed
	}
	return exitOK
}

func (c *call) printReply(r trial.Reply, err error) {
	for _, text := range r.Texts {
		fmt.Fprintln(c.Out, "bot> "+strings.ReplaceAll(text, "\n", "\n     "))
	}
	for _, action := range r.Actions {
		fmt.Fprintln(c.Out, "act> "+action)
	}
	for _, v := range r.Verdicts {
		mark := "-"
		if v.Won {
			mark = "+"
		}
		fmt.Fprintf(c.Out, "why> %s %s (%s): %s\n", mark, v.Skill, v.Where, v.Why)
	}
	if err != nil {
		fmt.Fprintln(c.Out, "err> "+err.Error())
	}
}
