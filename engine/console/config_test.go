package console

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"bot/engine/config"
)

func TestTheConfigurationIsComparedWithTheFilesOnDisk(t *testing.T) {
	for name, c := range map[string]struct {
		running, disk string // "" is no file
		want, not     []string
	}{
		"the same":             {"a = 1\n", "a = 1\n", []string{"not changed", "The files on disk are those that run."}, []string{"<pre"}},
		"a line changed":       {"a = 1\nb = 2\n", "a = 1\nb = 3\n", []string{"Files that differ from what runs: 1", `<span class="del">-b = 2`, `<span class="add">&#43;b = 3`}, nil},
		"a secret changed":     {"token = \"hush1\"\n", "token = \"hush2\"\n", []string{"changed only in secrets"}, []string{"<pre", "hush"}},
		"a secret beside it":   {"token = \"hush1\"\nb = 2\n", "token = \"hush2\"\nb = 3\n", []string{`-b = 2`, `token = &#34;***&#34;`}, []string{"hush"}},
		"a new file":           {"", "b = 3\n", []string{`class="state new"`, "&#43;b = 3"}, nil},
		"a file that is gone":  {"b = 3\n", "", []string{`class="state gone"`}, []string{"<pre"}},
		"markup in a file":     {"a = 1\n", "a = '<script>alert(1)</script>'\n", []string{"&lt;script&gt;"}, []string{"<script>alert"}},
		"a secret cut in half": {"a = 1\n", "a = 1\ntoken = \"hush\n", []string{"&#43;token = &#34;***"}, []string{"hush"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.login()
			if c.running != "" {
				r.config.Running = []config.File{{Name: "bot.toml", Text: c.running}}
			}
			if c.disk != "" {
				r.config.OnDisk = []config.File{{Name: "bot.toml", Text: c.disk}}
			}
			page := r.page("/config")
			for _, want := range c.want {
				if !strings.Contains(page, want) {
					t.Errorf("the page lacks %q: %s", want, page)
				}
			}
			for _, not := range c.not {
				if strings.Contains(page, not) {
					t.Errorf("the page shows %q: %s", not, page)
				}
			}
		})
	}
}

func TestALongDifferenceIsCut(t *testing.T) {
	d := compare("bot.toml", "", strings.Repeat("a = 1\n", maxDiff+100))
	if len(d.Lines) != maxDiff || d.More != 101 { // the line with the numbers is one too
		t.Errorf("%d lines and %d more", len(d.Lines), d.More)
	}
}

func TestACheckChangesNothingAndAReloadIsWholeOrRefused(t *testing.T) {
	r := newRig(t)
	r.login()
	r.config.Warnings = []string{"bot.toml:3:1: not signed"}
	page := r.page("/config?check=yes")
	for _, want := range []string{"The files on disk are right", "Configuration 3 since the start", "1 h ago", "bot.toml:3:1: not signed"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if page := r.press("/config", url.Values{}); !strings.Contains(page, "Reloaded.") || r.reloads != 1 {
		t.Errorf("reloads %d: %s", r.reloads, page)
	}
	r.checked = errors.New("bot.toml:9:1: unknown key \"replay\" (did you mean \"reply\"?)\nskills.d/a.toml:2:3: <b>no</b>")
	page = r.page("/config?check=yes")
	for _, want := range []string{"nothing was changed", "<li><code>bot.toml:9:1: unknown key", "<li><code>skills.d/a.toml:2:3: &lt;b&gt;no"} {
		if !strings.Contains(page, want) {
			t.Errorf("a check lacks %q: %s", want, page)
		}
	}
	resp := r.send(http.MethodPost, "/config", url.Values{})
	page = text(t, resp)
	if resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(page, "what ran before runs on") || strings.Count(page, "<li><code>") != 3 || r.reloads != 1 {
		t.Errorf("a refused reload: %s %s", resp.Status, page)
	}
}
