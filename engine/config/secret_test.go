package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

func TestASecretIsNeverShown(t *testing.T) {
	s := NewSecret("hunter2")
	hidden := struct{ s Secret }{s} // a field that fmt may not call methods of
	open := struct{ S Secret }{s}
	var out strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%p"} {
		for _, v := range []any{s, &s, hidden, &hidden, open, []Secret{s}, map[string]Secret{"k": s}} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
	}
	for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(handler).Info("m", "s", s, "open", open, "hidden", hidden)
	}
	if err := json.NewEncoder(&out).Encode(open); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := toml.NewEncoder(&file).Encode(open); err != nil {
		t.Fatal(err)
	}
	out.Write(file.Bytes())
	// 68756e74 and 104 117 are how hexadecimal and decimal verbs begin.
	for _, leak := range []string{"hunter2", "68756e74", "104 117"} {
		if strings.Contains(out.String(), leak) {
			t.Errorf("%q in\n%s", leak, out.String())
		}
	}
	if got := fmt.Sprintf("%d %x %#v ", s, s, s) + s.GoString(); got != "*** *** *** ***" {
		t.Errorf("printed as %s", got)
	}
	if s.String() != "***" || s.Reveal() != "hunter2" || s != NewSecret("hunter2") || s == NewSecret("other") {
		t.Errorf("%v", s)
	}
}

func TestNoSecretReadsAsNothing(t *testing.T) {
	var s Secret
	b, err := json.Marshal(s)
	if got := fmt.Sprintf("%v|%#v|%s|%s", s, s, s.Reveal(), b); got != `|||""` || err != nil || s != NewSecret("") {
		t.Errorf("got %s", got)
	}
}

// fakeDisk holds files by absolute path.
type fakeDisk map[string]string

func (d fakeDisk) read(path string, limit int64) ([]byte, error) {
	text, ok := d[path]
	switch {
	case !ok:
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	case int64(len(text)) > limit:
		return nil, errTooLarge
	}
	return []byte(text), nil
}

func (d fakeDisk) glob(string) ([]string, error) { return nil, nil }

func TestASecretMayStandInAFile(t *testing.T) {
	disk := fakeDisk{"/etc/bot/shop.token": "from file\r\n", "/run/s": "abs\n\n", "/etc/bot/empty": "\n",
		"/etc/bot/notepad": "\ufefffrom file\r\n", "/etc/bot/commented": "# of the shop\nfrom file\n", "/etc/bot/nul": "from\x00file",
		"/etc/bot/wide": "\xff\xfea\x00b\x00", "/etc/bot/tab": "from file\t\n", "/etc/bot/big": strings.Repeat("x", maxSecret+1)}
	const account = "[[account]]\nname = \"shop\"\nchannel = \"generic\"\nbase_url = \"https://example.com\"\n"
	for name, c := range map[string]struct{ keys, token, secret, problem string }{
		"relative to the file":         {`token_file = "shop.token"`, "from file", "", ""},
		"absolute":                     {`secret_file = "/run/s"`, "", "abs", ""},
		"named by the environment":     {`secret_file = "${DIR}/s"`, "", "abs", ""},
		"a missing file":               {`token_file = "nope"`, "", "", `bot.toml:5:14: account "shop": token_file: cannot read "nope": file does not exist`},
		"an empty file":                {`token_file = "empty"`, "", "", `bot.toml:5:14: account "shop": token_file: file "empty" is empty`},
		"a file too large":             {`token_file = "big"`, "", "", `bot.toml:5:14: account "shop": token_file: cannot read "big": file is too large`},
		"written by Notepad":           {`token_file = "notepad"`, "from file", "", ""},
		"a comment beside it":          {`token_file = "commented"`, "", "", `bot.toml:5:14: account "shop": token_file: file "commented" holds a line break (the file is to hold the token alone, on one line)`},
		"a tab behind it":              {`token_file = "tab"`, "", "", `bot.toml:5:14: account "shop": token_file: file "tab" holds a tab (the file is to hold the token alone, on one line)`},
		"a zero byte":                  {`secret_file = "nul"`, "", "", `bot.toml:5:15: account "shop": secret_file: file "nul" holds a control character (U+0000) (the file is to hold the secret alone, on one line)`},
		"another encoding":             {`token_file = "wide"`, "", "", `bot.toml:5:14: account "shop": token_file: file "wide" looks like UTF-16 (save it as UTF-8)`},
		"a line break where it stands": {`token = "a\nb"`, "", "", `bot.toml:5:9: account "shop": token: the secret holds a line break (it is to stand alone, on one line)`},
		"one from the environment":     {`token = "${BROKEN}"`, "", "", `bot.toml:5:9: account "shop": token: the secret holds a line break (it is to stand alone, on one line)`},
		"not the name of a file":       {`token_file = 5`, "", "", `bot.toml:5:14: account "shop": token_file: expected a string, found the integer 5 (write "5")`},
		"both":                         {"token = \"x\"\ntoken_file = \"shop.token\"", "x", "", `bot.toml:6:1: account "shop": both token and token_file are given (keep one of them)`},
		"only secrets have such a key": {`app_id_file = "shop.token"`, "", "", `bot.toml:5:1: account "shop": unknown key "app_id_file"`},
		"a near miss":                  {`tokenfile = "shop.token"`, "", "", `bot.toml:5:1: account "shop": unknown key "tokenfile" (did you mean "token_file"?)`},
	} {
		t.Run(name, func(t *testing.T) {
			l := &loader{disk: disk, env: lookup(map[string]string{"DIR": "/run", "BROKEN": "a\n"}), channels: testChannels("generic")}
			cfg, err := l.load("/etc/bot/bot.toml", []byte(account+c.keys))
			if got := errors.Join(err); got == nil && c.problem != "" || got != nil && got.Error() != c.problem {
				t.Errorf("got %v, want %s", got, c.problem)
			}
			if a := cfg.Accounts[0]; a.Token.Reveal() != c.token || a.Secret.Reveal() != c.secret {
				t.Errorf("token %q, secret %q", a.Token.Reveal(), a.Secret.Reveal())
			}
		})
	}
}

// A shell has not the environment of the service; where it matters, a file has.
func TestAVariableThatIsNotSetIsAdvisedOn(t *testing.T) {
	const file = `set it, or keep it in a file, which the service and shells read alike: %s_file = "…"`
	for text, want := range map[string]string{
		"[admin]\ntoken = \"${NOPE}\"":                          fmt.Sprintf(file, "token"),
		"[[account]]\nencoding_aes_key = \"${NOPE}\"":           fmt.Sprintf(file, "encoding_aes_key"),
		"[[skill]]\nllm = {api_key = \"${NOPE}\"}":              fmt.Sprintf(file, "api_key"),
		"[[skill]]\nhttp = {headers = {token = \"x ${NOPE}\"}}": "set it, or give a default: ${NOPE:-…}",
		"[[skill]]\nparams = {deep = [{secret = \"${NOPE}\"}]}": "set it, or give a default: ${NOPE:-…}",
		"[[account]]\nname = \"${NOPE}\"":                       "set it, or give a default: ${NOPE:-…}",
		"[admin]\ntoken = \"${no name}\"":                       "write ${NAME} or ${NAME:-default}; $${ is a literal ${",
	} {
		_, err := Parse("bot.toml", []byte(text), lookup(nil), testChannels("generic"))
		if err == nil || !strings.Contains(err.Error(), "("+want+")") {
			t.Errorf("%s\nsays %v\nwant %s", text, err, want)
		}
	}
}
