// Package cli is the command line: flags in, text and exit code out. How what a
// verb asks for works inside is another package's business.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"bot/engine/app"
	"bot/engine/nearest"
)

// Exit codes. Every verb answers 0 when it did what it was asked.
const (
	exitOK     = 0
	exitFailed = 1 // it ran and failed; of check: problems were found
	exitUsage  = 2 // it could not begin: bad flags, unreadable or (run) bad configuration
	exitHeld   = 3 // another process holds the store
)

// Parts is what main chooses for this build of the engine.
type Parts struct {
	app.Options         // BuildSkills, OpenStore, Announce, Chance, Version
	Name        string  // by which the program was called, for what it tells people to type
	Example     []byte  // the commented configuration that init writes
	Locate      Locator // finds a running process by its store
	Files       StoreFiles
	In          io.Reader
	Out, Err    io.Writer
	Env         func(string) (string, bool)
	Now         func() time.Time
	Prepare     func()                 // readies the process for the engine, before it runs; nil = nothing to do
	Reloads     func() <-chan struct{} // one element per SIGHUP from the call on
}

// Locator returns the admin address of the process that holds the store.
type Locator func(storePath string) (admin string, err error)

type verb struct {
	name string
	args string // of its own, for the usage line
	help string
	run  func(ctx context.Context, c *call) int
}

// verbs in the order in which the help lists them.
func verbs() []verb {
	return []verb{
		{"run", "", "run the engine until SIGTERM; SIGHUP reloads (the default)", runVerb},
		{"init", "[-force]", "write a commented bot.toml that starts as it is", initVerb},
		{"check", "[-run SKILL] [-graph] [-schedules]", "validate the configuration and run the skills' tests", checkVerb},
		{"chat", "[-as USER] [-in GROUP] [-account A] [-explain]", "talk to the skills here, with no platform and no store", chatVerb},
		{"words", "TEXT…", "what the word filter would make of a text", wordsVerb},
		{"replay", "-config new.toml [-against bot.toml] [-since 24h] [-account A]", "play recent intake through an edited configuration: which replies would change", replayVerb},
		{"decode", "FILE|- -account A [-query STRING] [-header 'K: V']", "what a captured callback reads as, or why it is refused", decodeVerb},
		{"callback", "register -account A -url https://…", "tell a platform where to call", callbackVerb},
		{"call", "-account A METHOD ['{…}']", "make one call of a platform's interface by hand", callVerb},
		{"stub", "[-channel generic] [-listen ADDR] …", "play the platform: print what the bot sends", stubVerb},
		{"trace", "ID", "the life of one message, event, command or trace id", traceVerb},
		{"in-doubt", "[list | resend ID… | delivered ID… | resend -all] [-account A]", "what nobody knows to have arrived, and end the doubt", inDoubtVerb},
		{"status", "", "how the running engine and its accounts are", statusVerb},
		{"alert", "[list | test]", "what goes on that an operator should know; or send a test by every way", alertVerb},
		{"dead", "list | show ID | replay ID… | drop ID… | replay -all", "what was given up, and put it back", deadVerb},
		{"commands", "list | show ID | cancel ID…", "what waits to be sent, and take it out", commandsVerb},
		{"send", "-account A -to C -text T | -account A -do ACTION [-params '{…}']", "have one thing sent, and print its task id; -wait says what became of it", sendVerb},
		{"pause", "-account A | -all", "let nothing leave; everything is taken in", pauseVerb},
		{"resume", "-account A | -all", "let it leave again", resumeVerb},
		{"release", "-account A CONVERSATION…", "give a conversation back to the bot that people had taken over", releaseVerb},
		{"block", "-account A [USER…]", "take nothing from somebody and send them nothing; without USER list them", blockVerb},
		{"unblock", "-account A USER…", "undo that", unblockVerb},
		{"mute", "-account A [-for 10m] [USER…]", "answer nothing of somebody for a time; without USER list them", muteVerb},
		{"unmute", "-account A USER…", "undo that", unmuteVerb},
		{"contacts", "list | label ID… | import FILE | forget ID… | count -audience NAME", "who can be reached, their labels, and whom an audience reaches", contactsVerb},
		{"schedule", "[list | run NAME…]", "what is done by the clock, when next, and how it went; or do it now", scheduleVerb},
		{"broadcast", "create … | start | pause | resume | cancel | show | results | delete ID… | list", "one thing for many people, at a fixed rate", broadcastVerb},
		{"reload", "", "have the running engine read its configuration again", reloadVerb},
		{"health", "", "is the running engine taking callbacks: exit 0 yes, 1 no", healthVerb},
		{"backup", "[-force] FILE|-", "write a checked copy of the store to a file, while the engine runs or not", backupVerb},
		{"restore", "[-force] [-check] FILE", "put a backup in the place of the store; nothing is sent before `bot resume -all`", restoreVerb},
		{"compact", "", "write the store of a stopped engine anew, without what is free in it", compactVerb},
		{"loadtest", "…", "the whole chain under load, against a built-in platform", loadtestVerb},
		{"completion", "bash | zsh | fish", "a script that lets the shell complete commands and flags", completionVerb},
		{"version", "", "print the version and the commit it was built from", versionVerb},
	}
}

// call is one invocation of a verb.
type call struct {
	Parts
	flags  *flag.FlagSet
	config string
	json   bool
	given  []string       // the arguments as typed
	args   []string       // those that are no flags, after parse
	zone   *time.Location // of the configuration, once that is loaded
	shown  int            // things of which facts were printed
}

// Main runs the command line and returns the exit code. args are without the
// program's name. It returns when ctx is done, if the verb has not ended before.
// A verb of whose output some was lost has failed, whatever it says itself.
func Main(ctx context.Context, args []string, p Parts) int {
	out := &output{to: p.Out}
	p.Out = out
	code := run(ctx, args, p)
	if err := out.lost(); err != nil && code == exitOK {
		fmt.Fprintf(p.Err, "bot: what was printed is not complete: %v (run it again with its output sent elsewhere)\n", err)
		return exitFailed
	}
	return code
}

// run finds the verb and runs it.
func run(ctx context.Context, args []string, p Parts) int {
	all := verbs()
	v := all[0]
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		i := slices.IndexFunc(all, func(v verb) bool { return v.name == args[0] })
		if args[0] == "help" {
			usage(p.Out, all)
			return exitOK
		}
		if i < 0 {
			fmt.Fprintf(p.Err, "bot: there is no command %q%s; `bot help` lists them\n", args[0], meant(args[0], all))
			return exitUsage
		}
		v, args = all[i], args[1:]
	}
	if len(args) > 0 && slices.Contains([]string{"-h", "-help", "--help"}, args[0]) && v.name == "run" {
		usage(p.Out, all)
		return exitOK
	}
	return v.run(ctx, newCall(v, args, p))
}

// newCall is the call of a verb with those arguments, and with the flags that
// all verbs have.
func newCall(v verb, args []string, p Parts) *call {
	c := &call{Parts: p, given: args, flags: flag.NewFlagSet(v.name, flag.ContinueOnError)}
	c.flags.SetOutput(p.Err)
	c.flags.Usage = func() {
		fmt.Fprintf(p.Err, "usage: bot %s %s\n", v.name, strings.TrimSpace("[-config bot.toml] "+v.args))
		c.flags.PrintDefaults()
	}
	c.flags.StringVar(&c.config, "config", "bot.toml", "the configuration `file`")
	c.flags.BoolVar(&c.json, "json", false, "answer in JSON, for programs")
	return c
}

// parse reads flags wherever they stand among the arguments, and checks that
// between least and most arguments are left. When it returns false it has said
// why, and code is what the verb is to return.
func (c *call) parse(least, most int) (code int, ok bool) {
	rest := c.given
	for {
		err := c.flags.Parse(rest)
		if errors.Is(err, flag.ErrHelp) {
			return exitOK, false
		}
		if err != nil {
			return exitUsage, false
		}
		if rest = c.flags.Args(); len(rest) == 0 {
			break
		}
		c.args, rest = append(c.args, rest[0]), rest[1:]
	}
	if len(c.args) < least || len(c.args) > most {
		c.flags.Usage()
		return exitUsage, false
	}
	return exitOK, true
}

// meant is a hint at the command that was probably to be typed, or "".
func meant(typed string, all []verb) string {
	names := make([]string, len(all))
	for i, v := range all {
		names[i] = v.name
	}
	if nearest.Name(typed, names) == "" {
		return ""
	}
	return nearest.Hint(typed, names)
}

func usage(w io.Writer, all []verb) {
	fmt.Fprint(w, "bot: an engine for WeChat and WeCom bots\n\nusage: bot [COMMAND] [-config bot.toml] [options]\n\n")
	for _, v := range all {
		fmt.Fprintf(w, "  %-10s %s\n", v.name, v.help)
	}
	fmt.Fprint(w, "\nBegin with `bot init`, then `bot check` and `bot chat`. `bot COMMAND -help` lists a command's options.\n")
}

// say prints an error for people, one line for each thing that is wrong.
func (c *call) say(err error) {
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintln(c.Err, strings.TrimSuffix(line, "\n"))
	}
}
