package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bot/engine/stub"
)

func TestContactsFromTheCommandLine(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, "[[audience]]\nname = \"vip\"\nlabels = [\"vip\"]\n"+realEcho)
	list := filepath.Join(s.dir, "list.txt")
	if err := os.WriteFile(list, []byte("# ours\nu1\tvip,old\na/b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(s.dir, "bad.txt")
	if err := os.WriteFile(bad, []byte("u1\nu2\tvip\tnew\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, s.config)
	for _, step := range []struct {
		args     string
		code     int
		out, err string
	}{
		{"list -account shop", 0, "no contacts\n", ""},
		{"import -account shop " + list, 0, "imported: 2\n", ""},
		{"import -account shop " + bad, 1, "", `line 2: "vip\tnew" is no label`},
		{"import -account shop " + list + "x", 2, "", "no such file"},
		{"import -account shop -groups -", 0, "imported: 0\n", ""},
		{"label -account shop -add vip,new -remove old u1 a/b", 0, "labelled: 2\n", ""},
		{"label -account shoop -add vip u1", 1, "", `contact u1: there is no account "shoop"`},
		{"list -account shop -label new -label vip", 0, "a/b  -     new,vip  -      -       -\n", ""},
		{"list -account shop -where group", 0, "no contacts\n", ""},
		{"list -account shop -active soon", 1, "", `active_within: "soon" is no time like 30d`},
		{"list -account shop -json", 0, `[{"id":"a/b","labels":["new","vip"]},{"id":"u1","labels":["new","vip"]}]`, ""},
		{"count -audience vip", 0, "vip       shop     2\n", ""},
		{"count -audience vip -account desk", 1, "", `audience "vip" is of account "shop"`},
		{"count -audience none", 1, "", "there is no audience of that name"},
		{"forget -account shop u1", 0, "forgotten: 1\n", ""},
		{"count -audience vip -account shop", 0, "vip       shop     1\n", ""},
		{"list", 2, "", "say of which account: -account NAME"},
		{"count", 2, "", "say which audience: -audience NAME"},
		{"label -account shop u1", 2, "", "say which labels: -add LABEL or -remove LABEL"},
		{"label -account shop -add vip", 2, "", "usage: bot contacts"},
		{"import -account shop", 2, "", "usage: bot contacts"},
		{"drop -account shop", 2, "", "usage: bot contacts"},
	} {
		code, out, complaints := s.bot(append([]string{"contacts"}, strings.Fields(step.args)...)...)
		if code != step.code || !strings.Contains(out, step.out) || !strings.Contains(complaints, step.err) {
			t.Errorf("bot contacts %s: exit %d, %q, %q; want %d, %q, %q", step.args, code, out, complaints, step.code, step.out, step.err)
		}
	}
}
