package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestSecretsInAFileAreStars(t *testing.T) {
	for in, want := range map[string]string{
		`token = "abc"`:                                 `token = "***"`,
		`  secret='abc' # why`:                          `  secret="***" # why`,
		`token = "${SHOP_TOKEN}"`:                       `token = "${SHOP_TOKEN}"`,
		`token = "${SHOP_TOKEN:-}"`:                     `token = "${SHOP_TOKEN:-}"`,
		`token = "${SHOP_TOKEN:-abc}"`:                  `token = "***"`,
		`token_file = "shop.token"`:                     `token_file = "shop.token"`,
		`keywords = ["token"]`:                          `keywords = ["token"]`,
		`key = "abc"`:                                   `key = "***"`,
		`headers = {Authorization = "Bearer x", A = 1}`: `headers = {Authorization = "***", A = 1}`,
		`headers = {"X-Api-Key" = "x"}`:                 `headers = {"X-Api-Key" = "***"}`,
		`headers = {Authorization = "Bearer ${T:-}"}`:   `headers = {Authorization = "Bearer ${T:-}"}`,
		`api_key = """abc"""`:                           `api_key = "***"`,
		`reply = "your token = 5"`:                      `reply = "your token = 5"`,
		"a = 1\ncallback_token = \"x\\\"y\"\nb = 2":     "a = 1\ncallback_token = \"***\"\nb = 2",
		`token = ""`:                                    `token = ""`,
		`#token = "abc"`:                                `#token = "***"`,
		"token = \"abc\nname = \"x\"":                   "token = \"***\"\nname = \"x\"",
		`secret = 'abc`:                                 `secret = "***"`,
		"token = abc # why":                             `token = "***" # why`,
		`max_tokens = 500`:                              `max_tokens = 500`,
		`token_needed = true`:                           `token_needed = true`,
		`webhook = "https://h/?key=abc"`:                `webhook = "***"`,
	} {
		if got := Conceal(in); got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", in, got, want)
		}
	}
}

// A secret that was written without quotes stands in no error.
func TestAFaultBesideASecretDoesNotShowIt(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a word", `token = NAKEDSECRET`, `bot.toml:1:9: expected value (texts stand in quotes: "…")`},
		{"a word of another writing", `token = 中文NAKEDSECRET`, `bot.toml:1:9: expected value (texts stand in quotes: "…")`},
		{"a long number", `Secret = 123456789012345678901234567890`, `bot.toml:1:10: the value is none that TOML knows (texts stand in quotes: "…")`},
		{"a number that begins with nought", `api_key = 0123456789`, `bot.toml:1:11: the value is none that TOML knows (texts stand in quotes: "…")`},
		{"parts of a number", `password = 1.5.678`, `bot.toml:1:12: the value is none that TOML knows (texts stand in quotes: "…")`},
		{"a number with letters", `token = 12345abc`, `bot.toml:1:14: expected a top-level item to end with a newline, comment, or EOF (texts stand in quotes: "…")`},
		{"a date", `secret = 2024-99-99`, `bot.toml:1:10: the value is none that TOML knows (texts stand in quotes: "…")`},
		{"in a table", `headers = {"X-Api-Key" = NAKEDSECRET}`, `bot.toml:1:26: expected value (texts stand in quotes: "…")`},
		{"in a list", "tokens = [\n  NAKEDSECRET\n]", `bot.toml:2:3: expected value (texts stand in quotes: "…")`},
		{"without =", `token NAKEDSECRET`, `bot.toml:1:7: expected '.' or '=' (a line is a [table], or key = value)`},
		{"a quote left out", `token = "NAKEDSECRET`, `bot.toml:1:20: unexpected EOF; expected '"' (a text is opened and never closed)`},
		{"what is no secret is shown", `name = shop`, `bot.toml:1:8: expected value but found "shop" instead (texts stand in quotes: "…")`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Parse("bot.toml", []byte(tt.text), lookup(nil), nil); err == nil || err.Error() != tt.want {
				t.Errorf("says\n%v\nwant\n%s", err, tt.want)
			}
		})
	}
}

// Whatever is a Secret in the configuration is one by its name.
func TestEverySecretHasANameThatIsConcealed(t *testing.T) {
	var keys []string
	var walk func(reflect.Type)
	walk = func(of reflect.Type) {
		for i := range of.NumField() {
			f := of.Field(i)
			key := f.Tag.Get("toml")
			switch {
			case f.Type == reflect.TypeFor[Secret]():
				keys = append(keys, key)
			case f.Type.Kind() == reflect.Struct && f.IsExported() && key != "" && key != "-":
				walk(f.Type)
			}
		}
	}
	walk(reflect.TypeFor[Config]())
	walk(reflect.TypeFor[Account]())
	if len(keys) < 5 {
		t.Fatalf("found only %q", keys)
	}
	for _, key := range keys {
		if got := Conceal(key + ` = "hush"`); strings.Contains(got, "hush") {
			t.Errorf("%s is shown: %s", key, got)
		}
		if !slices.Contains(secretKeys, key) {
			t.Errorf("%s may stand in a file, and nothing says so where its variable is not set", key)
		}
	}
}
