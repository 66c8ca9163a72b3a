package config

import (
	"reflect"
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
	}
}
