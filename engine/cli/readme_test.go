package cli_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const root = "../.."

var readmes = []string{"README.md", "docs/README.zh.md"}

func read(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var (
	block   = regexp.MustCompile("(?s)```sh\n(.*?)```")
	comment = regexp.MustCompile(`(^|\s+)#.*$`)
)

// commandLines are what a text's sh blocks tell people to type, without
// comments, one simple command each.
func commandLines(text string) []string {
	var lines []string
	for _, m := range block.FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(m[1]) {
			line = comment.ReplaceAllString(strings.TrimSpace(line), "")
			for _, c := range regexp.MustCompile(`\s*(?:&&|;)\s*`).Split(line, -1) {
				if c != "" {
					lines = append(lines, c)
				}
			}
		}
	}
	return lines
}

// flags are those that a command explains.
func (s *shell) flags(verb string) []string {
	s.Helper()
	if verb == "run" {
		verb = "version" // explained with the overview; it has the common ones
	}
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^  (-\w[\w-]*)`).FindAllStringSubmatch(s.help(verb, "-help").err, -1) {
		names = append(names, m[1])
	}
	return names
}

// named checks that a command and its flags exist; words are those after "bot".
func (s *shell) named(words []string) {
	s.Helper()
	verb := "run"
	if len(words) > 0 && !strings.HasPrefix(words[0], "-") {
		verb = strings.Trim(words[0], "[]")
	}
	if !slices.Contains(s.commands(), verb) {
		s.Errorf("bot %s: there is no such command", verb)
		return
	}
	flags := s.flags(verb)
	for _, w := range words {
		if name, _, _ := strings.Cut(w, "="); strings.HasPrefix(w, "-") && !slices.Contains(flags, name) {
			s.Errorf("bot %s has no flag %s (it has %q)", verb, name, flags)
		}
	}
}

func TestReadmesNameCommandsAndFlagsThatExist(t *testing.T) {
	code := regexp.MustCompile("`([^`\n]+)`")
	for _, name := range readmes {
		t.Run(name, func(t *testing.T) {
			s := newShell(t)
			s.bot("init")
			help := s.typed("/help\n", "chat").out
			text, found := read(t, name), 0
			for _, line := range commandLines(text) {
				if words := strings.Fields(line); strings.TrimPrefix(words[0], "./") == "bot" {
					s.named(words[1:])
					found++
				}
			}
			for line := range strings.Lines(block.ReplaceAllString(text, "")) {
				var words []string // of a table's row: the command first, then what is said of it
				for _, m := range code.FindAllStringSubmatch(line, -1) {
					w := strings.Fields(m[1])
					switch {
					case strings.TrimPrefix(w[0], "./") == "bot" && len(w) > 1:
						s.named(w[1:])
						words, found = w[1:2], found+1
					case strings.HasPrefix(w[0], "-") && len(words) > 0:
						s.named(append(words[:1:1], w[0]))
					case strings.HasPrefix(w[0], "/") && len(words) > 0 && words[0] == "chat" && !strings.Contains(help, w[0]):
						t.Errorf("chat knows no %s", w[0])
					}
				}
			}
			if found < 10 {
				t.Errorf("only %d commands were found: this test has lost its way", found)
			}
		})
	}
}

func TestReadmesLinkToWhatIsThere(t *testing.T) {
	for _, name := range readmes {
		for _, m := range regexp.MustCompile(`\]\(([^)#]+)\)`).FindAllStringSubmatch(read(t, name), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Every page is found from both READMEs.
func TestReadmesLinkToEveryPage(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatal(err)
	}
	for _, name := range readmes {
		text := read(t, name)
		for _, page := range pages {
			link, err := filepath.Rel(filepath.Join(root, filepath.Dir(name)), page)
			if err != nil {
				t.Fatal(err)
			}
			if link = filepath.ToSlash(link); filepath.Join(root, name) != page && !strings.Contains(text, "]("+link) {
				t.Errorf("%s has no link to %s", name, link)
			}
		}
	}
}

// The plan of the house has a line for every package but those of tests and programs.
func TestTheArchitectureListsEveryPackage(t *testing.T) {
	_, house, found := strings.Cut(read(t, "docs/architecture.md"), "## The house")
	if !found {
		t.Fatal("there is no plan of the house")
	}
	house, _, _ = strings.Cut(house, "\n## ")
	var listed []string
	for line := range strings.Lines(house) {
		row, isRow := strings.CutPrefix(line, "| ")
		if !isRow {
			continue
		}
		name, _, _ := strings.Cut(row, " |")
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(name, -1) {
			listed = append(listed, m[1])
		}
	}
	there := packages(t)
	for _, name := range there {
		if !slices.ContainsFunc(listed, func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok }) {
			t.Errorf("docs/architecture.md does not list %s", name)
		}
	}
	for _, pattern := range listed {
		if !slices.ContainsFunc(there, func(name string) bool { ok, _ := path.Match(pattern, name); return ok }) {
			t.Errorf("docs/architecture.md lists %s, which is not there", pattern)
		}
	}
}

// packages are the folders with Go files that are no tests, by their names.
func packages(t testing.TB) (names []string) {
	t.Helper()
	for _, top := range []string{"engine", "skills", "store"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(file string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return fs.SkipDir
			case d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
				return nil
			}
			name, err := filepath.Rel(root, filepath.Dir(file))
			if name = filepath.ToSlash(name); err == nil && !slices.Contains(names, name) {
				names = append(names, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// TestReadmesTour types what the READMEs tell people to type, in an empty
// folder and with free ports in place of the usual ones, and looks for what
// they say will be seen.
func TestReadmesTour(t *testing.T) {
	for _, name := range readmes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := read(t, name)
			tour := &tour{shell: newShell(t), text: text}
			for _, line := range commandLines(text) {
				tour.follow(line)
			}
			tour.opens(text)
			tour.says()
			if len(tour.env) == 0 {
				t.Error("the account of a real platform is not tried: nothing is exported for it")
			}
			if tour.engine == nil || tour.stub == nil {
				t.Fatal("the tour does not start an engine and a platform")
			}
			tour.sees("/v1/friend/accept", "ticket-1", 1)
			tour.sees("/v1/message/send_text", `"to":"alice".*`, 2)
			tour.sees("/v1/message/send_text", "您好，欢迎！", 1+tour.kills)
			tour.sees("/v1/message/send_text", "https://example.com/c/alice", 1)
			for what, p := range map[string]*running{"engine": tour.engine, "platform": tour.stub} {
				if code := p.stop(); code != 0 {
					t.Errorf("the %s stops with %d: %s", what, code, p.printed())
				}
			}
		})
	}
}

// tour is where somebody who follows a README stands.
type tour struct {
	*shell
	text            string // of the README
	engine, stub    *running
	callback, admin string
	kills           int
}

// follow does what one line says. A line it does not understand fails the
// test: teach it the line, or do not ask people to type it.
func (tr *tour) follow(line string) {
	tr.Helper()
	switch words := strings.Fields(line); words[0] {
	case "go": // the program was built for this test, which is one of those that `go test` runs
		if !slices.Equal(words, []string{"go", "build", "-o", "bot", "."}) && words[1] != "test" {
			tr.Fatalf("cannot follow %q", line)
		}
	case "./bot":
		tr.command(words[1:])
	case "curl":
		tr.curl(line)
	case "export": // for the account of a real platform, which the text shows just before
		tr.env = append(tr.env, words[1:]...)
		tr.replaceAccount()
	case "kill":
		if want := "kill -9 $(grep -o '[0-9]*' bot.db.run | head -1)"; line != want {
			tr.Fatalf("cannot follow %q, only %q", line, want)
		}
		if pid := regexp.MustCompile(`[0-9]+`).FindString(tr.content("bot.db.run")); pid != strconv.Itoa(tr.engine.cmd.Process.Pid) {
			tr.Errorf("the first number in bot.db.run is %s, not the engine's pid", pid)
		}
		tr.engine.kill()
		tr.kills++
		tr.run(tr.engine.cmd.Args[1:]) // as the text says: start it again
	default:
		tr.Fatalf("cannot follow %q", line)
	}
}

func (tr *tour) command(args []string) {
	tr.Helper()
	verb := "run"
	if len(args) > 0 {
		verb = args[0]
	}
	switch verb {
	case "stub":
		tr.stub = tr.start(append(args, "-listen", "127.0.0.1:0")...)
		tr.edit("bot.toml", "http://127.0.0.1:9090", tr.stub.await(`http://127\.0\.0\.1:\d+`)[0])
		tr.bot("reload").wants(tr, 0, "reloaded", "") // since the port is not the usual one
	case "-config", "run":
		tr.run(args)
	case "reload":
		tr.edit("bot.toml", "没有听懂", "没听明白") // "Change a reply in bot.toml", and its test
		tr.bot(args...).wants(tr, 0, "reloaded", "")
	default:
		if got := tr.bot(args...); got.code != 0 {
			tr.Errorf("bot %q: exit %d: %s", args, got.code, got.err)
		}
		if verb == "init" {
			tr.freePorts("bot.toml")
		}
	}
}

// replaceAccount puts the account that the text shows in the place of the first one
// in bot.toml, as the text tells people to.
func (tr *tour) replaceAccount() {
	tr.Helper()
	_, shown, ok := strings.Cut(tr.text, "```toml\n[[account]]")
	shown, _, _ = strings.Cut(shown, "```")
	before, rest, found := strings.Cut(tr.content("bot.toml"), "\n[[account]]\n")
	_, after, more := strings.Cut(rest, "\n[")
	if !ok || !found || !more {
		tr.Fatal("there is no account to show or none to replace")
	}
	tr.write("bot.toml", before+"\n[[account]]"+shown+"\n["+after)
}

// says types what the text has people say in the browser, and then foo, which is to be
// answered by the reply that they edit.
func (tr *tour) says() {
	tr.Helper()
	_, talk, _ := strings.Cut(tr.text, "/chat>")
	talk, _, _ = strings.Cut(talk, "./bot chat")
	var lines []string
	for _, m := range regexp.MustCompile("`([^`\\s]+)`").FindAllStringSubmatch(talk, -1) {
		lines = append(lines, m[1])
	}
	if len(lines) < 3 {
		tr.Fatalf("people are told to say %q and no more", lines)
	}
	got := tr.typed(strings.Join(append(lines, "foo"), "\n")+"\n", "chat").out
	said := strings.Split(strings.TrimSpace(got), "\n")
	if !strings.HasPrefix(said[len(said)-1], "bot> 没听明白") {
		tr.Errorf("after %q and an edit foo is answered\n%s", lines, got)
	}
}

// opens looks at the pages that a text has people open in a browser.
func (tr *tour) opens(text string) {
	tr.Helper()
	pages := regexp.MustCompile(`<http://127\.0\.0\.1:8081(/[^>]*)>`).FindAllStringSubmatch(text, -1)
	if len(pages) == 0 {
		tr.Error("nothing is opened in a browser")
	}
	for _, m := range pages {
		req, err := http.NewRequest("GET", "http://"+tr.admin+m[1], nil)
		if err != nil {
			tr.Fatal(err)
		}
		if answer := fetch(tr, req); !strings.HasPrefix(answer, "200 ") || !strings.Contains(answer, "sandbox") {
			tr.Errorf("%s is answered %.300s", m[1], answer)
		}
	}
}

// run starts the engine, in the place of the one that is running.
func (tr *tour) run(args []string) {
	tr.Helper()
	if tr.engine != nil {
		tr.engine.stop()
	}
	file := "bot.toml"
	if i := slices.Index(args, "-config"); i >= 0 {
		file = args[i+1]
	}
	if _, err := os.Stat(tr.path(file)); err != nil {
		tr.write(file, read(tr, file)) // one that comes with the program
		tr.freePorts(file)
	}
	tr.engine = tr.start(args...)
	m := tr.engine.await(`"msg":"ready".*"callback":"([^"]+)","admin":"([^"]+)"`)
	tr.callback, tr.admin = m[1], m[2]
}

// freePorts lets the system choose the listeners' ports.
func (tr *tour) freePorts(file string) {
	tr.Helper()
	tr.edit(file, `listen = "127.0.0.1:8080"`, `listen = "127.0.0.1:0"`)
	tr.edit(file, `listen = "127.0.0.1:8081"`, `listen = "127.0.0.1:0"`)
}

func (tr *tour) edit(file, old, replacement string) {
	tr.Helper()
	b, err := os.ReadFile(tr.path(file))
	if err != nil {
		tr.Fatal(err)
	}
	if !strings.Contains(string(b), old) {
		tr.Fatalf("%s does not have %q", file, old)
	}
	tr.write(file, strings.ReplaceAll(string(b), old, replacement))
}

var curls = regexp.MustCompile(`^curl (?:-d '([^']*)' )?http://127\.0\.0\.1:(8080|8081)(/\S*)$`)

func (tr *tour) content(name string) string {
	tr.Helper()
	b, err := os.ReadFile(tr.path(name))
	if err != nil {
		tr.Fatal(err)
	}
	return string(b)
}

func (tr *tour) curl(line string) {
	tr.Helper()
	m := curls.FindStringSubmatch(line)
	if m == nil {
		tr.Fatalf("cannot follow %q", line)
	}
	address := map[string]string{"8080": tr.callback, "8081": tr.admin}[m[2]]
	method := "GET"
	if m[1] != "" {
		method = "POST"
	}
	req, err := http.NewRequest(method, "http://"+address+m[3], strings.NewReader(m[1]))
	if err != nil {
		tr.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded") // as curl -d does
	if answer := fetch(tr, req); !strings.HasPrefix(answer, "200 ") {
		tr.Errorf("%s\nis answered %s", line, answer)
	}
}

// sees waits until the platform has printed n calls of that path and text,
// and expects no more of them. Calls that the platform knew already do not count.
func (tr *tour) sees(path, text string, n int) {
	tr.Helper()
	call := regexp.MustCompile(fmt.Sprintf(`(?m)^.*"path":"%s".*%s.*$`, path, text))
	count := func() (firsts int) { // what a kill made the engine send again is marked as a repeat
		for _, line := range call.FindAllString(tr.stub.printed(), -1) {
			if !strings.Contains(line, `"repeat":true`) {
				firsts++
			}
		}
		return firsts
	}
	for end := time.Now().Add(15 * time.Second); count() < n && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if got := count(); got != n {
		tr.Errorf("the platform got %d calls of %s with %s, want %d:\n%s", got, path, text, n, tr.stub.printed())
	}
}
