package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Whatever is wrong elsewhere in a file, the engine that runs by it is found.
func TestTheEngineOfABrokenFile(t *testing.T) {
	const broken = "\n[queue\nworkers = many\n[[skill]]\nreply = \"hello\n"
	for _, tt := range []struct {
		name, text   string
		store, token string // store is relative to the folder
		unset        []string
		problem      string // what is said in place of a store
	}{
		{"a file that is right", "[store]\npath = \"x.db\"\n[admin]\ntoken = \"t\"\n", "x.db", "t", nil, ""},
		{"nothing is said", broken, "bot.db", "", nil, ""},
		{"before the fault", "[store]\npath = \"x.db\" # why\n[admin]\ntoken = 't'" + broken, "x.db", "t", nil, ""},
		{"behind the fault", broken + "[store]\npath = \"x.db\"\r\n[ admin ]\r\ntoken = \"t\"\r\n", "x.db", "t", nil, ""},
		{"a fault in the same table", "[store]\nmin_free = 64MiB\npath = \"x.db\"\n[admin]\nlisten = :80\ntoken = \"t\"\n", "x.db", "t", nil, ""},
		{"dotted keys", "store.path = \"x.db\"\nadmin.token = \"t\"\nlimit = {rate = }\n", "x.db", "t", nil, ""},
		{"an absolute path", "[store]\npath = \"/nowhere/x.db\"" + broken, "/nowhere/x.db", "", nil, ""},
		{"a token in a file", "[admin]\ntoken_file = \"admin.token\"" + broken, "bot.db", "of the file", nil, ""},
		{"a token in a file that is not there", "[admin]\ntoken_file = \"nope\"" + broken, "bot.db", "", nil, ""},
		{"variables", "[store]\npath = \"${NAME}.db\"\n[admin]\ntoken = \"${TOKEN:-}\"" + broken, "shop.db", "of the shell", nil, ""},
		{"a variable that is not set", "[admin]\ntoken = \"${NOPE:-}\"" + broken, "bot.db", "", []string{"NOPE"}, ""},
		{"one that has no default", "[admin]\ntoken = \"${NOPE}\"" + broken, "bot.db", "", []string{"NOPE"}, ""},
		{"a token without quotes", "[admin]\ntoken = NAKED\n", "bot.db", "", nil, ""},
		{"an included file", "include = [\n  \"more/*.toml\",\n]" + broken, "more/y.db", "included", nil, ""},
		{"bytes of another encoding", "# \xb5\xd8\xd6\xb7\n[store]\npath = \"x.db\"\n", "x.db", "", nil, ""},

		{"a path that is not closed", "[store]\npath = \"x.db\n", "", "", nil, "store.path cannot be read"},
		{"a table that is not closed", "[store\npath = \"x.db\"\n", "", "", nil, "store.path cannot be read"},
		{"two paths", "[store]\npath = \"x.db\"\n[queue]\n[store]\npath = \"y.db\"\n", "", "", nil, "store.path cannot be read"},
		{"a path that is no text", "[store]\npath = 5" + broken, "", "", nil, "store.path cannot be read"},
		{"a path of another encoding", "[store]\npath = \"\xb5\xd8.db\"\n", "", "", nil, "store.path cannot be read"},
		{"files that cannot be known", "include = [more]" + broken, "", "", nil, "store.path cannot be read"},
		{"a path without its variable", "[store]\npath = \"${NOPE}\"" + broken, "", "", nil, "store.path: environment variable NOPE is not set"},
		{"no text", "\xff\xfe[\x00s\x00", "", "", nil, "the file is no text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"bot.toml": tt.text, "admin.token": "\ufeffof the file\r\n",
				"more/y.toml": "[store]\npath = \"y.db\"\n[admin]\ntoken = \"included\"\n[x\n",
			} {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			e, err := FindEngine(filepath.Join(dir, "bot.toml"), lookup(map[string]string{"NAME": "shop", "TOKEN": "of the shell"}))
			if tt.problem != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tt.problem) {
					t.Errorf("found %q, %v; want %s", e.Store, err, tt.problem)
				}
				return
			}
			want := tt.store
			if !filepath.IsAbs(want) {
				want = filepath.Join(dir, want)
			}
			if err != nil || e.Store != want || e.Token.Reveal() != tt.token || !slices.Equal(e.Unset, tt.unset) {
				t.Errorf("found %q, token %q, unset %q, %v; want %q, %q, %q", e.Store, e.Token.Reveal(), e.Unset, err, want, tt.token, tt.unset)
			}
		})
	}
}
