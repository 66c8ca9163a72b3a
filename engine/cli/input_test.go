package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParamsAreOneObjectAndNothingElse(t *testing.T) {
	const no = `-params is no JSON object, such as '{"url":"https://…"}': `
	for _, tt := range []struct {
		name, text string
		want       map[string]any
		err        string // its beginning
	}{
		{"an object", `{"a":"b"}`, map[string]any{"a": "b"}, ""},
		{"an empty one", ` {} `, map[string]any{}, ""},
		{"a number with more digits than a float keeps", `{"id":9007199254740993}`, map[string]any{"id": json.Number("9007199254740993")}, ""},
		{"nothing", "", nil, no + "EOF"},
		{"half of one", `{"a":`, nil, no + "unexpected EOF"},
		{"a list", `[1]`, nil, no},
		{"null", `null`, nil, no + "it is null"},
		{"something behind it", `{"a":1} junk`, nil, no + "something follows it"},
		{"another one behind it", `{"a":1}{"b":2}`, nil, no + "something follows it"},
		{"a bracket behind it", `{"a":1}}`, nil, no + "something follows it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readParams("-params", tt.text)
			if (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
				t.Errorf("says %v, want %q", err, tt.err)
			}
			if err == nil && !reflect.DeepEqual(got, tt.want) {
				t.Errorf("reads %v, want %v", got, tt.want)
			}
		})
	}
}

func TestEveryVerbReadsItsParamsAlike(t *testing.T) {
	config := t.TempDir() + "/bot.toml"
	if code := Main(context.Background(), []string{"init", "-config", config}, Parts{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, Example: []byte("[store]\npath = \"bot.db\"\n")}); code != exitOK {
		t.Fatal("init: exit", code)
	}
	const junk = `{"a":1} junk`
	for _, args := range [][]string{
		{"send", "-account", "shop", "-task", "t", "-params", junk},
		{"broadcast", "create", "-account", "shop", "-to", "-", "-params", junk},
		{"call", "-account", "shop", "/method", junk},
	} {
		t.Run(args[0], func(t *testing.T) {
			var complaints bytes.Buffer
			p := Parts{Out: &bytes.Buffer{}, Err: &complaints, In: &bytes.Buffer{}, Now: time.Now, Env: func(string) (string, bool) { return "", false }}
			code := Main(context.Background(), append(args, "-config", config), p)
			if code != exitUsage || !strings.HasSuffix(complaints.String(), `is no JSON object, such as '{"url":"https://…"}': something follows it`+"\n") {
				t.Errorf("exit %d, %q", code, complaints.String())
			}
		})
	}
}
