package cli_test

import (
	"os"
	"strings"
	"testing"
)

const adminOf = "[server]\nlisten = \"127.0.0.1:0\"\n[admin]\nlisten = \"127.0.0.1:0\"\nADMIN\n"

// Who asks without the engine's token is told where it is to come from.
func TestAVerbWithoutTheEnginesTokenIsExplained(t *testing.T) {
	s := newShell(t)
	write := func(admin string) { s.write("bot.toml", strings.Replace(adminOf, "ADMIN", admin, 1)) }
	const asked = `token = "${ADMIN:-}"`
	write(asked)
	s.env = []string{"ADMIN=the right one"}
	s.start("run").await(`"msg":"ready"`)
	s.bot("status").wants(t, 0, "ready", "")

	for _, tt := range []struct {
		name, admin string
		env         []string
		says        string
	}{
		{"a variable that the shell does not have", asked, nil,
			`the engine wants its admin token, and bot.toml gives none here: ADMIN is not set in this shell; set it, or keep the token in a file that the service and shells can read: token_file = "admin.token" in place of token` + "\n"},
		{"one that must be set", `token = "${ADMIN}"`, nil, "ADMIN is not set in this shell"},
		{"no token", "", nil, "the engine wants its admin token, and bot.toml gives none: token, or token_file, of [admin]\n"},
		{"a file that is not there", `token_file = "nope"`, nil, `the engine wants its admin token: bot.toml:5:14: admin.token_file: cannot read "nope"`},
		{"another one", asked, []string{"ADMIN=another"},
			"the admin token that bot.toml gives here is not the running engine's; a new one holds from the next start of the engine on\n"},
		{"a broken file", asked + "\n[[skill]\n", nil, "ADMIN is not set in this shell"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			write(tt.admin)
			s.env = tt.env
			for _, verb := range []string{"status", "pause -all", "backup copy.db"} {
				if got := s.bot(strings.Fields(verb)...); got.code != 1 || !strings.Contains(got.err, tt.says) || strings.Contains(got.err, "Bearer") {
					t.Errorf("%s: exit %d, %q, want %q", verb, got.code, got.err, tt.says)
				}
			}
			if _, err := os.Stat(s.path("copy.db")); err == nil {
				t.Error("there is a backup")
			}
		})
	}
}
