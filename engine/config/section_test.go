package config

import (
	"math"
	"strings"
	"testing"
	"time"

	"bot/engine"
)

// section parses a file whose first skill is the one to test.
func section(t *testing.T, text string) (*Section, *Config) {
	t.Helper()
	cfg, err := Parse("bot.toml", []byte(text), lookup(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg.Skills[0], cfg
}

func TestDecodeSetsEveryKindOfField(t *testing.T) {
	type inner struct {
		X int `toml:"x"`
	}
	type embedded struct {
		Name string `toml:"name"`
		Same string `toml:"same"`
	}
	var got struct {
		embedded
		Same   int               `toml:"same"` // hides the embedded one
		I8     int8              `toml:"i8"`
		U16    uint16            `toml:"u16"`
		F      float64           `toml:"f"`
		Whole  float32           `toml:"whole"`
		B      bool              `toml:"b"`
		P      *string           `toml:"p"`
		PI     *inner            `toml:"pi"`
		Absent *inner            `toml:"absent"`
		L      []string          `toml:"l"`
		LL     [][]int           `toml:"ll"`
		T      []inner           `toml:"t"`
		M      map[string]inner  `toml:"m"`
		H      map[string]string `toml:"h"`
		D      engine.Duration   `toml:"d"`
		PR     *engine.Range     `toml:"pr"`
		S      Secret            `toml:"s"`
		Any    any               `toml:"any"`
		AnyT   any               `toml:"anyt"`
		Raw    *Section          `toml:"raw"`
		Skip   string            `toml:"-"`
		Bare   string
	}
	s, _ := section(t, `[[skill]]
name = "n"
same = 7
i8 = -128
u16 = 65535
f = 1.5
whole = 3
b = true
p = "p"
pi = {x = 1}
l = ["a", "b"]
ll = [[1], [], [2, 3]]
h = {"404" = "none", "a.b" = "c"}
d = "2d"
pr = "1s..2s"
s = "secret"
any = ["x", {text = "y"}]
anyt = 2024-01-01
[skill.m.one]
x = 1
[skill.raw]
free = 1
[[skill.t]]
x = 1
[[skill.t]]
x = 2
`)
	if err := s.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Name != "n" || got.embedded.Same != "" || got.Same != 7 || got.I8 != -128 || got.U16 != 65535 || got.F != 1.5 || got.Whole != 3 || !got.B {
		t.Errorf("scalars: %+v", got)
	}
	if *got.P != "p" || got.PI.X != 1 || got.Absent != nil || time.Duration(got.D) != 48*time.Hour || got.PR.Max != 2*time.Second || got.S.Reveal() != "secret" {
		t.Errorf("pointers and texts: %+v", got)
	}
	if len(got.L) != 2 || got.L[1] != "b" || len(got.LL) != 3 || got.LL[2][1] != 3 || got.T[1].X != 2 || got.M["one"].X != 1 || got.H["a.b"] != "c" {
		t.Errorf("lists and maps: %+v", got)
	}
	parts, _ := got.Any.([]any)
	if len(parts) != 2 || parts[0] != "x" || parts[1].(map[string]any)["text"] != "y" {
		t.Errorf("any: %#v", got.Any)
	}
	if _, ok := got.AnyT.(time.Time); !ok || !got.Raw.Has("free") {
		t.Errorf("date %T, raw %v", got.AnyT, got.Raw)
	}
}

func TestDecodeRefusesNumbersThatDoNotFit(t *testing.T) {
	for _, text := range []string{"i = 128", "i = -129", "u = -1", "u = 256", "f = nan", "f = inf", "i = 1.0", "i = true"} {
		var v struct {
			I int8    `toml:"i"`
			U uint8   `toml:"u"`
			F float64 `toml:"f"`
		}
		s, _ := section(t, "[[skill]]\n"+text)
		if err := s.Decode(&v); err == nil || v.I != 0 || v.U != 0 || v.F != 0 || math.IsNaN(v.F) {
			t.Errorf("%s: %+v, %v", text, v, err)
		}
	}
}

func TestDecodeSetsWhatItCan(t *testing.T) {
	s, _ := section(t, "[[skill]]\nname = \"n\"\npriority = \"x\"\nenabled = false\nnope = 1\n")
	for range 2 { // asking again gets the same answer
		var v sampleSkill
		err := s.Decode(&v)
		if ps := ProblemsIn(err); len(ps) != 2 {
			t.Errorf("problems: %v", err)
		}
		if v.Name != "n" || v.Enabled == nil || *v.Enabled {
			t.Errorf("not set: %+v", v)
		}
	}
}

func TestValuesOfAWrongShapeAreDescribed(t *testing.T) {
	var v struct {
		Raw  *Section       `toml:"raw"`
		M    map[string]int `toml:"m"`
		B    bool           `toml:"b"`
		LL   [][]int        `toml:"ll"`
		S    Secret         `toml:"s"`
		Name string         `toml:"name"`
	}
	for text, want := range map[string]string{
		"raw = 5":                 `raw: expected a table, found the integer 5 (open it with [skill.raw])`,
		"m = [1]":                 `m: expected a table, found a list (open it with [skill.m])`,
		"m = {a = 'x'}":           `m.a: expected an integer, found the string "x"`,
		"b = 'off'":               `b: expected true or false, found the string "off" (write false, without quotes)`,
		"b = 'maybe'":             `b: expected true or false, found the string "maybe"`,
		"ll = 1":                  `ll: expected a list, found the integer 1 (write […])`,
		"s = 'a'\n[skill.s_file]": `s_file: expected a string, found a table (write "…")`,
		"s = true":                `s: expected a string, found true or false (write "…")`,
		"s = 1.5":                 `s: expected a string, found a number (write "…")`,
		"name = ['a', 'b']":       `name: expected a string, found a list (write "…")`,
		"name = 1.5":              `name: expected a string, found the number 1.5 (write "1.5")`,
	} {
		s, _ := section(t, "[[skill]]\n"+text)
		if err := s.Decode(&v); err == nil || !strings.HasSuffix(err.Error(), ": skill: "+want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestDecodeIntoNoStructIsTheCallersBug(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	s, _ := section(t, "[[skill]]")
	_ = s.Decode(map[string]any{}) // panics
}

func TestAnOwnersComplaintsStandAtTheKey(t *testing.T) {
	s, cfg := section(t, `
[[skill]]
name = "bind"
patterns = [
  'a',
  'b(',
]
[[skill.step]]
ask = "x"
[[skill.step]]
ask   =   "y"
save = {a = {b = 1}}
`)
	for key, want := range map[string]string{
		"":                `bot.toml:2:3: skill "bind": m`,
		"name":            `bot.toml:3:8: skill "bind": m`,
		"patterns":        `bot.toml:4:12: skill "bind": m`,
		"patterns.1":      `bot.toml:6:3: skill "bind": m`,
		"patterns.9":      `bot.toml:4:12: skill "bind": m`,
		"patterns.x":      `bot.toml:4:12: skill "bind": m`,
		"step":            `bot.toml:8:9: skill "bind": m`,
		"step.1":          `bot.toml:10:9: skill "bind": m`,
		"step.1.ask":      `bot.toml:11:11: skill "bind": m`,
		"step.1.missing":  `bot.toml:10:9: skill "bind": m`,
		"step.1.save.a.b": `bot.toml:12:18: skill "bind": m`,
		"missing":         `bot.toml:2:3: skill "bind": m`,
		"missing.deep":    `bot.toml:2:3: skill "bind": m`,
	} {
		if got := s.Errorf(key, "%s", "m").Error(); got != want {
			t.Errorf("%q: got %s, want %s", key, got, want)
		}
		if has := s.Has(key); has == (strings.Contains(key, "missing") || key == "patterns.9" || key == "patterns.x") {
			t.Errorf("Has(%q) is %t", key, has)
		}
	}
	if got := s.Position("step.1.ask"); got != "bot.toml:11:11" {
		t.Errorf("Position: %s", got)
	}
	if got := s.At("step.1.ask"); got != "bot.toml:11" {
		t.Errorf("At: %s", got)
	}
	before := len(cfg.Warnings)
	s.Warnf("name", "odd")
	if ws := cfg.Warnings[before:]; len(ws) != 1 || ws[0].Error() != `bot.toml:3:8: skill "bind": odd` {
		t.Errorf("warnings: %v", ws)
	}
}
