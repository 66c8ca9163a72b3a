package reference_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"bot/engine"
)

// validator is what an editor makes of docs/bot.schema.json.
func validator(t testing.TB) func(text string) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(read(t, "docs/bot.schema.json")))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("bot.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("bot.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return func(text string) error {
		t.Helper()
		var table map[string]any
		if _, err := toml.Decode(text, &table); err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		b, err := json.Marshal(table)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(b)))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
}

// commented are the keys and tables that the example shows as comments.
var commented = regexp.MustCompile(`(?m)^# ( *)(\w+ = .*|\[.*\].*)$`)

func TestEditorsTakeTheExample(t *testing.T) {
	valid := validator(t)
	example := read(t, "config.example.toml")
	if err := valid(example); err != nil {
		t.Errorf("%v", err)
	}
	// Each on its own, in the table that it stands beneath: together they would be
	// several accounts in one.
	header := regexp.MustCompile(`^\[`)
	table, alternatives := "", 0
	for line := range strings.Lines(example) {
		line = strings.TrimRight(line, "\n")
		switch {
		case header.MatchString(line):
			table = line
		case strings.HasPrefix(line, "# Accounts on other platforms"):
			table = "[[account]]"
		case strings.HasPrefix(line, "# Further keys that every skill has"):
			table = "[[skill]]"
		}
		m := commented.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if shown := m[2]; header.MatchString(shown) {
			table = shown
			continue
		}
		alternatives++
		value, found := alternative(table, m[2])
		if !found {
			t.Errorf("cannot read the alternative %q", line)
			continue
		}
		if err := valid(value); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if alternatives < 100 {
		t.Errorf("only %d alternatives were found", alternatives)
	}
}

// needs are keys that a table of its kind cannot be without.
var needs = map[string]string{
	"[[account]]": "name = \"x\"\nchannel = \"generic\"\n", "[[skill]]": "name = \"x\"\n", "[[schedule]]": "name = \"x\"\n",
	"[[risk]]": "name = \"x\"\non = \"link\"\naction = \"alert\"\n", "[[skill.step]]": "save = \"x\"\nask = \"x\"\n",
	"[skill.http]": "url = \"x\"\n", "[account.limit.action.accept_friend]": "rate = \"1/m\"\n",
}

// alternative makes a file of one line of a table. Behind its value may stand words
// for people, two spaces away.
func alternative(table, line string) (string, bool) {
	line, _, _ = strings.Cut(line, "   ")
	key, _, _ := strings.Cut(line, " ")
	table, _, _ = strings.Cut(strings.ReplaceAll(table, ",", " "), " ")
	var b strings.Builder
	for path, at := strings.Trim(table, "[]"), 0; at >= 0; {
		next := strings.IndexByte(path[at:], '.')
		name := path
		if next >= 0 {
			name = path[:at+next]
		}
		header := "[" + name + "]"
		if _, many := needs["["+header+"]"]; many {
			header = "[" + header + "]"
		}
		if name != "" {
			b.WriteString(header + "\n")
		}
		for need := range strings.Lines(needs[header]) {
			if !strings.HasPrefix(need, key+" ") {
				b.WriteString(need)
			}
		}
		if next < 0 {
			break
		}
		at += next + 1
	}
	b.WriteString(line + "\n")
	var doc map[string]any
	_, err := toml.Decode(b.String(), &doc)
	return b.String(), err == nil
}

func TestEditorsTakeEveryExampleOfTheReferenceAndOfTheContract(t *testing.T) {
	valid := validator(t)
	promised := strings.ReplaceAll(read(t, "engine/config/reference/testdata/promised.toml"), "[[account]]\nchannel", "[[account]]\nname = \"x\"\nchannel")
	if err := valid(promised); err != nil {
		t.Errorf("%v", err)
	}
	for _, table := range describe(t).Tables {
		if err := valid(table.Example); err != nil {
			t.Errorf("%s: %v", table.Header(), err)
		}
	}
}

func TestEditorsMarkMistakes(t *testing.T) {
	valid := validator(t)
	const account = "[[account]]\nname = \"a\"\nchannel = \"generic\"\n"
	const skill = "[[skill]]\nname = \"a\"\n"
	for name, text := range map[string]string{
		"an unknown table":               "[sever]\nlisten = \":80\"",
		"an unknown key":                 "[server]\nlitsen = \":80\"",
		"a number for a duration":        "shutdown_grace = 20",
		"a duration without its unit":    "shutdown_grace = \"20\"",
		"words for a duration":           "shutdown_grace = \"20 seconds\"",
		"a range with a dash":            account + "limit = {gap = \"1s-2s\"}",
		"a rate without its time":        "[limit]\nrate = \"20\"",
		"a rate of an unknown time":      "[limit]\nrate = \"20/week\"",
		"a size in words":                "[server]\nmax_body = \"1 meg\"",
		"a number for a size":            "[server]\nmax_body = 1048576",
		"a word that is not in the list": "[log]\nlevel = \"loud\"",
		"a text for a number":            "[queue]\nworkers = \"64\"",
		"a number out of bounds":         "[queue]\nworkers = 0",
		"a fraction of a whole number":   "[queue]\nworkers = 1.5",
		"a text for true":                account + "confirm = \"true\"",
		"an account without a channel":   "[[account]]\nname = \"a\"",
		"an unknown channel":             "[[account]]\nname = \"a\"\nchannel = \"telegram\"",
		"one account for many":           "[account]\nname = \"a\"\nchannel = \"generic\"",
		"an unknown action with a pace":  account + "[account.limit.action.accept_friend]\nrete = \"1/m\"",
		"a text for a list":              skill + "keywords = \"领券\"",
		"a number for a reply":           skill + "reply = 5",
		"an unknown event":               skill + "on = \"freind_added\"",
		"an unknown action":              skill + "do = \"accept_freind\"",
		"a step without a question":      skill + "[[skill.step]]\nsave = \"phone\"",
		"an unknown sort of answer":      skill + "[[skill.step]]\nsave = \"a\"\nask = \"?\"\nvalidate = \"phone\"",
		"a model that is too warm":       skill + "[skill.llm]\nbase_url = \"x\"\nmodel = \"m\"\ntemperature = 3",
		"a test without an answer":       skill + "[[skill.test]]\nsend = [\"hi\"]",
		"an unknown alert":               "[alert]\nkinds = [\"fire\"]",
		"hours that are no list":         "[hours]\nshop = \"mon-fri 09:00-18:00\"",
		"a risk without an action":       "[[risk]]\nname = \"a\"\non = \"link\"",
		"a schedule without a name":      "[[schedule]]\ncron = \"0 9 * * *\"",
		"a file for what has none":       "[log]\nlevel_file = \"x\"",
	} {
		t.Run(name, func(t *testing.T) {
			if valid(text) == nil {
				t.Errorf("not marked:\n%s", text)
			}
			if check(t, text) == nil {
				t.Errorf("and it is no mistake:\n%s", text)
			}
		})
	}
}

func TestEditorsKnowTheEnvironmentAndFilesOfSecrets(t *testing.T) {
	valid := validator(t)
	for _, text := range []string{
		"shutdown_grace = \"${GRACE:-20s}\"", "[log]\nlevel = \"${LEVEL}\"", "[admin]\ntoken_file = \"admin.token\"",
		"[[account]]\nname = \"a\"\nchannel = \"generic\"\nblocked_file = \"ids.txt\"\nkey_file = \"k\"",
	} {
		if err := valid(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The patterns of the schema take what the program takes, and nothing else.
func TestThePatternsAreThoseOfTheProgram(t *testing.T) {
	valid := validator(t)
	for _, text := range []string{
		"0", "0s", "1.5s", "10m", "1h30m", ".5h", "1.d", "400d", "+5s", " 5s ", "5", "-5s", "5 s", "1e3s", "d", "", "1d12h", "100ms", "3µs", "5min", "5S",
		"1s..2s", "1s .. 2s", "..2s", "1s..", "20/m", "20 / m", "0.5/s", "20/M", "/m", "20", "1MiB", "512", "1.5GB", "64KiB", "5kb", "5 MB", "1M", "1iB",
	} {
		var (
			d engine.Duration
			r engine.Range
			e engine.Rate
			z engine.Size
		)
		for key, u := range map[string]interface{ UnmarshalText([]byte) error }{
			"shutdown_grace = %": &d, "[limit]\nrate = %": &e, "[server]\nmax_body = %": &z,
			"[[account]]\nname = \"a\"\nchannel = \"generic\"\nlimit = {gap = %}": &r,
		} {
			want := u.UnmarshalText([]byte(text)) == nil
			if got := valid(strings.Replace(key, "%", "\""+text+"\"", 1)) == nil; got != want {
				t.Errorf("%T %q: the schema takes it: %v, the program: %v", u, text, got, want)
			}
		}
	}
}
