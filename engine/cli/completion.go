package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// completionVerb prints what a shell is to be taught. All of it is read from
// the table of verbs and from the flags that they ask for, so that it cannot
// say anything else than they do.
func completionVerb(ctx context.Context, c *call) int {
	if code, ok := c.parse(1, 1); !ok {
		return code
	}
	print, known := map[string]func(io.Writer, []completable){
		"bash": completeBash, "zsh": completeZsh, "fish": completeFish,
	}[c.args[0]]
	if !known {
		c.flags.Usage()
		return exitUsage
	}
	print(c.Out, completables(ctx))
	return exitOK
}

// completable is a verb as a shell needs to know it.
type completable struct {
	name, help string
	words      []string // that it begins with, such as list and show
	flags      []completableFlag
}

type completableFlag struct {
	name, help string
	value      string // what follows, as the usage calls it; "" = nothing does
}

// completables asks each verb for its help, and then looks at the flags that
// it has named for that.
func completables(ctx context.Context) []completable {
	var all []completable
	for _, v := range verbs() {
		c := newCall(v, []string{"-help"}, Parts{Out: io.Discard, Err: io.Discard})
		v.run(ctx, c)
		one := completable{name: v.name, help: v.help, words: leadingWords(v.args)}
		c.flags.VisitAll(func(f *flag.Flag) {
			value, help := flag.UnquoteUsage(f)
			one.flags = append(one.flags, completableFlag{f.Name, help, value})
		})
		all = append(all, one)
	}
	return append(all, completable{name: "help", help: "list the commands"})
}

var plainWord = regexp.MustCompile(`^[a-z]+$`)

// leadingWords is what a verb's own arguments may begin with, from its usage:
// list and run of "[list | run NAME…]", none of "TEXT…".
func leadingWords(args string) []string {
	var words []string
	for choice := range strings.SplitSeq(strings.Trim(args, "[]"), "|") {
		if f := strings.Fields(choice); len(f) > 0 && plainWord.MatchString(f[0]) && !slices.Contains(words, f[0]) {
			words = append(words, f[0])
		}
	}
	return words
}

// takesFile tells whether files are what is to be offered for a value.
func (f completableFlag) takesFile() bool { return f.value == "file" || f.value == "dir" }

// completeBash offers the verbs first, then the words, flags and files of one.
// Where it knows nothing, bash offers files.
func completeBash(w io.Writer, all []completable) {
	var names []string
	for _, v := range all {
		names = append(names, v.name)
	}
	fmt.Fprintf(w, `# bash completion of bot: source <(bot completion bash)
_bot() {
  local current=${COMP_WORDS[COMP_CWORD]} verb=run words= flags= values= i
  COMPREPLY=()
  if (( COMP_CWORD > 1 )) && [[ ${COMP_WORDS[1]} != -* ]]; then verb=${COMP_WORDS[1]}; fi
  case $verb in
`)
	for _, v := range all {
		var flags, values []string
		for _, f := range v.flags {
			flags = append(flags, "-"+f.name)
			if f.value != "" {
				values = append(values, "-"+f.name)
			}
		}
		fmt.Fprintf(w, "    %s) words=%s flags=%s values=%s ;;\n", v.name,
			shellQuote(strings.Join(v.words, " ")), shellQuote(strings.Join(flags, " ")), shellQuote(strings.Join(values, " ")))
	}
	fmt.Fprintf(w, `  esac
  if [[ " $values " == *" ${COMP_WORDS[COMP_CWORD-1]} "* ]]; then return; fi
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W %s -- "$current"))
  elif (( COMP_CWORD == 2 )); then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -o default -F _bot bot
`, shellQuote(strings.Join(names, " ")))
}

// completeZsh tells what each thing is for as well.
func completeZsh(w io.Writer, all []completable) {
	fmt.Fprint(w, `#compdef bot
# zsh completion of bot: bot completion zsh > "${fpath[1]}/_bot"
_bot() {
  local -a verbs=(
`)
	for _, v := range all {
		fmt.Fprintf(w, "    %s\n", shellQuote(v.name+":"+v.help))
	}
	fmt.Fprint(w, `  )
  local verb=run
  if (( CURRENT > 2 )) && [[ $words[2] != -* ]]; then
    verb=$words[2]
    shift words
    (( CURRENT-- ))
  elif [[ $words[CURRENT] != -* && $CURRENT -eq 2 ]]; then
    _describe -t commands command verbs
    return
  fi
  case $verb in
`)
	for _, v := range all {
		fmt.Fprintf(w, "    %s) _arguments", v.name)
		for _, f := range v.flags {
			spec := "-" + f.name + "[" + zshText(f.help) + "]"
			switch {
			case f.takesFile():
				spec += ":" + zshText(f.value) + ":_files"
			case f.value != "":
				spec += ":" + zshText(f.value) + ": "
			}
			fmt.Fprintf(w, " \\\n      %s", shellQuote(spec))
		}
		if len(v.words) > 0 {
			fmt.Fprintf(w, " \\\n      %s", shellQuote("1: :("+strings.Join(v.words, " ")+")"))
		}
		fmt.Fprintf(w, " \\\n      %s ;;\n", shellQuote("*: :_files"))
	}
	fmt.Fprint(w, `  esac
}
if [[ $funcstack[1] == _bot ]]; then _bot "$@"; else compdef _bot bot; fi
`)
}

// zshText is text within the brackets and between the colons of _arguments.
func zshText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, `:`, `\:`).Replace(s)
}

// completeFish is one line for each thing there is.
func completeFish(w io.Writer, all []completable) {
	fmt.Fprint(w, "# fish completion of bot: bot completion fish > ~/.config/fish/completions/bot.fish\n")
	for _, v := range all {
		fmt.Fprintf(w, "complete -c bot -f -n __fish_use_subcommand -a %s -d %s\n", v.name, fishQuote(v.help))
	}
	for _, v := range all {
		seen := fishQuote("__fish_seen_subcommand_from " + v.name)
		if v.name == "run" {
			seen = fishQuote("__fish_use_subcommand; or __fish_seen_subcommand_from run")
		}
		if len(v.words) > 0 {
			fmt.Fprintf(w, "complete -c bot -f -n %s -a %s\n", seen, fishQuote(strings.Join(v.words, " ")))
		}
		for _, f := range v.flags {
			needs := ""
			switch {
			case f.takesFile():
				needs = " -r -F"
			case f.value != "":
				needs = " -x"
			}
			fmt.Fprintf(w, "complete -c bot -n %s -o %s%s -d %s\n", seen, f.name, needs, fishQuote(f.help))
		}
	}
}

// shellQuote is one word of bash and zsh, whatever stands in it.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// fishQuote is one word of fish.
func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
