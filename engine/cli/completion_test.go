package cli_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// needProgram returns where a program is and skips the test where it is not;
// but not under CI, which is there to run it.
func needProgram(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("this test needs %s: %v", name, err)
	default:
		t.Skipf("this test needs %s: %v", name, err)
	}
	return path
}

// typed is a command line up to the cursor, and what a shell then offers.
var typed = map[string]struct {
	line      string
	want, not []string
}{
	"commands":                      {"bot ", []string{"run", "check", "dead", "completion", "help"}, []string{"-config"}},
	"commands that begin like this": {"bot re", []string{"replay", "release", "reload", "resume"}, []string{"run"}},
	"the words of a command":        {"bot dead ", []string{"list", "show", "replay", "drop"}, nil},
	"words in brackets":             {"bot schedule ", []string{"list", "run"}, nil},
	"flags":                         {"bot check -", []string{"-run", "-graph", "-config"}, []string{"-force"}},
	"flags behind words":            {"bot dead replay -a", []string{"-all"}, []string{"-config"}},
	"flags of run, which is meant where nothing is said": {"bot -c", []string{"-config"}, nil},
}

// shells are how each of them is asked what it offers for "$LINE".
var shells = map[string]string{
	"bash": `source "$SCRIPT"
		read -ra COMP_WORDS <<<"$LINE"; [[ $LINE == *" " ]] && COMP_WORDS+=("")
		COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
		complete -p bot | grep -q -- '-F _bot' && _bot && printf '%s\n' "${COMPREPLY[@]}"`,
	"fish": `source "$SCRIPT"; complete -C "$LINE"`,
	// Only an interactive zsh completes, so one is run on a terminal of its own. It
	// reads what compinit found before (see prepared).
	"zsh": `zmodload zsh/zpty
		zpty -b z zsh -f -i
		zpty -w z "PS1=; autoload -Uz compinit; compinit -u; source '$SCRIPT'"
		zpty -w z "zstyle ':completion:*' list-prompt ''; zstyle ':completion:*:default' list-colors ''; LISTMAX=0; COLUMNS=200; LINES=200; bindkey '^I' list-choices; print rea''dy"
		while [[ $all != *ready* ]]; do zpty -r z chunk; all+=$chunk; done
		zpty -w -n z "$LINE"$'\t'
		sleep 0.5
		while zpty -r -t z chunk; do print -rn -- "$chunk"; sleep 0.02; done
		zpty -d z`,
}

// prepared has what takes long, and is the same for every line, done once: zsh
// looks through all completions that there are and writes down what it found.
var prepared = map[string]string{"zsh": "autoload -Uz compinit; compinit -u"}

func TestShellsCompleteWhatThereIs(t *testing.T) {
	t.Parallel()
	for shell, ask := range shells {
		t.Run(shell, func(t *testing.T) {
			path := needProgram(t, shell)
			s := newShell(t)
			env := append(os.Environ(), "HOME="+s.dir, "TERM=dumb", "ZDOTDIR="+s.dir)
			prepare := exec.Command(path, "-c", prepared[shell])
			prepare.Env = env
			if out, err := prepare.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			got := s.bot("completion", shell)
			got.wants(t, 0, "bot", "")
			script := s.write("completion."+shell, got.out)
			for name, c := range typed {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					cmd := exec.Command(path, "-c", ask)
					if shell == "bash" {
						cmd.Args = []string{path, "--norc", "-c", ask}
					}
					cmd.Dir = s.dir
					cmd.Env = slices.Concat(env, []string{"SCRIPT=" + script, "LINE=" + c.line})
					out, err := cmd.CombinedOutput()
					if err != nil {
						t.Fatalf("%v\n%s", err, out)
					}
					offered := regexp.MustCompile(`-?[a-z]+`).FindAllString(firstWords(string(out)), -1)
					for _, w := range c.want {
						if !slices.Contains(offered, w) {
							t.Errorf("%q: does not offer %s but\n%s", c.line, w, out)
						}
					}
					for _, w := range c.not {
						if slices.Contains(offered, w) {
							t.Errorf("%q: offers %s", c.line, w)
						}
					}
				})
			}
		})
	}
}

// paint is what a terminal is told beside the text.
var paint = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// firstWords leaves out what shells write beside what they offer.
func firstWords(out string) string {
	var words []string
	for line := range strings.Lines(paint.ReplaceAllString(out, "")) {
		head, _, _ := strings.Cut(line, "\t")
		head, _, _ = strings.Cut(head, " -- ")
		words = append(words, strings.TrimSpace(head))
	}
	return strings.Join(words, "\n")
}

func TestEveryCommandAndFlagIsInEveryScript(t *testing.T) {
	s := newShell(t)
	for shell := range shells {
		script := s.bot("completion", shell).out
		for _, verb := range s.commands() {
			if !strings.Contains(script, verb) {
				t.Errorf("%s: no %s", shell, verb)
			}
			if verb == "run" {
				continue
			}
			for _, flag := range s.flags(verb) {
				if shell == "fish" {
					flag = "-o " + strings.TrimPrefix(flag, "-")
				}
				if !strings.Contains(script, flag) {
					t.Errorf("%s: %s has no %s", shell, verb, flag)
				}
			}
		}
	}
	s.bot("completion", "tcsh").wants(t, 2, "", "usage: bot completion")
}
