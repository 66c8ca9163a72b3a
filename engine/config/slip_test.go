package config

import (
	"strings"
	"testing"
)

func TestSyntaxHints(t *testing.T) {
	for _, tt := range []struct {
		name, line string // the line stands below [[skill]]
		want       string // how the problem ends; it is on line 2 unless it says so
	}{
		{"a capital letter in false", `enabled = False`, "(write true or false in small letters)"},
		{"capitals in TRUE", `enabled = TRUE`, "(write true or false in small letters)"},
		{"another bare word", `name = falsehood`, `(texts stand in quotes: "…")`},
		{"a bare duration", `delay = 5分钟`, `(texts stand in quotes: "…")`},

		{"a key on the line of a header", `[[skill.test]]send = []`, "but got 's' instead"},

		{"a Chinese closing quote", "reply = \"您好”\nname = \"b\"", `(the text ends with ”; close it with a straight ")`},
		{"a Chinese closing quote in a list", `keywords = ["x", "y”]`, `(the text ends with ”; close it with a straight ")`},
		{"a Chinese closing quote within a list", `keywords = ["x”, "y"]`, `(a text ends with ”; close it with a straight ")`},
		{"a Chinese opening quote", `name = “x"`, `(use straight quotes: "…")`},
		{"an ordinary quote left out", "reply = \"您好\nname = \"b\"", `(close the text on its line, or put it between """ and """)`},
		{"a quote left out within a list", `keywords = ["地址, "在哪"]`, `(is a " missing before here?)`},
		{"quoted words are not to blame", `keywords = ["“好”", "地址, "在哪"]`, `(is a " missing before here?)`},
		{"a comma left out", `keywords = ["x" "y"]`, `(is a , missing before here?)`},
		{"a comma left out between lines", "keywords = [\n\"x\"\n\"y\"\n]", `bot.toml:4:1: expected a comma (',') or array terminator (']'), but got '"' (is a , missing before here?)`},

		{"a list not closed, then a key", "keywords = [\"x\"\nname = \"b\"", "bot.toml:3:1: expected a comma (',') or array terminator (']'), but got 'n' (the list that begins on line 2 is not closed: write ])"},
		{"a list that ends in a comma and is not closed", "keywords = [\"x\",\n\n name = \"b\"", "(the list that begins on line 2 is not closed: write ])"},
		{"a list not closed, then a table", "keywords = [\n\"x\"\n[[skill]]", "(the list that begins on line 2 is not closed: write ])"},
		{"a list not closed at the end of the file", `keywords = ["x"`, "(the list that begins on line 2 is not closed: write ])"},
		{"a list with nothing in it at the end of the file", `keywords = [`, "(the list that begins on line 2 is not closed: write ])"},
		{"the innermost of two lists", "a = [[1], [\n2\nb = 1", "(the list that begins on line 2 is not closed: write ])"},

		{"、 in a list", `keywords = ["x"、"y"]`, "(write ,)"},
		{"， in a list", `keywords = ["x"，"y"]`, "(write ,)"},
		{"： for =", `reply： "x"`, "(write = in place of ：)"},
		{": for =", `reply: "x"`, "(write = in place of :)"},
		{"＝ for =", `reply ＝ "x"`, "(use the ASCII sign in place of the full-width one)"},
		{"a full-width space before =", "reply　= \"x\"", "(a full-width space; use an ordinary one)"},
		{"a full-width space after =", "reply =　\"x\"", "(a full-width space; use an ordinary one)"},
		{"a full-width space in a list", "keywords = [\"x\",　\"y\"]", "(a full-width space; use an ordinary one)"},
		{"a full-width space at the end", "reply = \"x\"　", "(a full-width space; use an ordinary one)"},
		{"a no-break space", "reply =\u00a0\"x\"", "(a no-break space; use an ordinary one)"},
		{"// for a comment", "// hello", "(comments begin with #)"},
		{"// for a comment after a value", `reply = "x" // hello`, "(comments begin with #)"},

		{"one bracket too few", "[[skill.test]\nsend = []", "(write [[skill.test]])"},
		{"two brackets too few", "[[skill.test\nsend = []", "(write [[skill.test]])"},
		{"one of a single table's", "[server\nlisten = \"\"", "(write [server])"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("bot.toml", []byte("[[skill]]\n"+tt.line), lookup(nil), nil)
			if err == nil || !strings.HasSuffix(err.Error(), tt.want) {
				t.Errorf("got %v\nwant … %s", err, tt.want)
			}
		})
	}
}

func TestTablesOfSkillsAtTheTopOfTheFile(t *testing.T) {
	for _, name := range []string{"test", "step"} {
		_, err := Parse("bot.toml", []byte("[["+name+"]]\n"), lookup(nil), nil)
		if err == nil || !strings.Contains(err.Error(), "(did you mean [[skill."+name+"]]?)") {
			t.Errorf("got %v", err)
		}
	}
}
