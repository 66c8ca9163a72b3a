package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestThePackageIsBuiltAndHolds builds the package with the documented command.
func TestThePackageIsBuiltAndHolds(t *testing.T) {
	if runtime.GOOS != "linux" || testing.Short() {
		t.Skip("the package is one of Linux, and takes a while")
	}
	dpkg := needProgram(t, "dpkg-deb")
	out, err := exec.Command("go", "list", "-m", "github.com/goreleaser/nfpm/v2@v2.44.1").CombinedOutput()
	if err != nil {
		t.Skipf("nfpm cannot be had: %v\n%s", err, out)
	}
	cmd := exec.Command("bash", "deb/build", t.TempDir())
	var said strings.Builder
	cmd.Stderr = &said
	path, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	deb := strings.TrimSpace(string(path))
	list, err := exec.Command(dpkg, "--contents", deb).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"-rwxr-xr-x root/root|./usr/bin/bot", "-rw-r----- root/bot|./etc/bot/bot.toml", "drwxr-x--- root/bot|./etc/bot/",
		"-rw-r--r-- root/root|./lib/systemd/system/bot.service", "|./lib/systemd/system/bot.socket", "|./lib/systemd/system/bot-admin.socket",
		"|./usr/share/bash-completion/completions/bot", "|./usr/share/doc/bot/operations.md",
	} {
		mode, name, _ := strings.Cut(want, "|")
		found := false
		for line := range strings.Lines(string(list)) {
			found = found || strings.HasPrefix(line, mode) && strings.HasSuffix(line, " "+name+"\n")
		}
		if !found {
			t.Errorf("no %s %s in\n%s", mode, name, list)
		}
	}

	dir := t.TempDir()
	if out, err := exec.Command(dpkg, "--raw-extract", deb, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := read(t, filepath.Join(dir, "DEBIAN/conffiles")); got != "/etc/bot/bot.toml\n" {
		t.Errorf("conffiles: %q", got)
	}
	config := read(t, filepath.Join(dir, "etc/bot/bot.toml"))
	if !strings.Contains(config, "\npath = \"/var/lib/bot/bot.db\"\n") {
		t.Error("the store is not where the service may write")
	}
	for _, script := range []string{"preinst", "postinst", "prerm", "postrm"} {
		if info, err := os.Stat(filepath.Join(dir, "DEBIAN", script)); err != nil || info.Mode()&0o111 == 0 {
			t.Errorf("%s: %v", script, err)
		}
	}
}

// TestAnUpgradeRestartsOnlyWhatWillStart plays dpkg, and the programs that the
// script calls.
func TestAnUpgradeRestartsOnlyWhatWillStart(t *testing.T) {
	for name, c := range map[string]struct {
		args         []string
		noSystemd    bool
		active, good bool
		calls, says  string
	}{
		"a first installation starts nothing": {
			args: []string{"configure", ""}, active: true, good: true, calls: "daemon-reload", says: "not started",
		},
		"an upgrade restarts what runs": {
			args: []string{"configure", "1.0"}, active: true, good: true,
			calls: "daemon-reload|is-active --quiet bot.service|check|restart bot.service",
		},
		"an upgrade leaves alone what would not start again": {
			args: []string{"configure", "1.0"}, active: true,
			calls: "daemon-reload|is-active --quiet bot.service|check", says: "was not restarted",
		},
		"an upgrade starts nothing that was stopped": {
			args: []string{"configure", "1.0"}, good: true, calls: "daemon-reload|is-active --quiet bot.service",
		},
		"in a container there is nothing to start":    {args: []string{"configure", "1.0"}, noSystemd: true, calls: "daemon-reload"},
		"an upgrade that was broken off does nothing": {args: []string{"abort-upgrade", "1.0"}, active: true, good: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fake := func(name, text string) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			fake("systemctl", `echo "$*" >>"$CALLS"; case $1 in daemon-reload) exit $SYSTEMD ;; is-active) exit $ACTIVE ;; esac`)
			fake("systemd-run", `echo check >>"$CALLS"; exit $GOOD`)
			code := map[bool]string{true: "0", false: "1"}
			cmd := exec.Command(needProgram(t, "sh"), append([]string{"deb/postinst"}, c.args...)...)
			cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "CALLS=" + filepath.Join(dir, "calls"),
				"SYSTEMD=" + code[!c.noSystemd], "ACTIVE=" + code[c.active], "GOOD=" + code[c.good]}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("it fails, and with it the upgrade: %v\n%s", err, out)
			}
			calls, _ := os.ReadFile(filepath.Join(dir, "calls"))
			if got := strings.ReplaceAll(strings.TrimSpace(string(calls)), "\n", "|"); got != c.calls {
				t.Errorf("called %s, want %s", got, c.calls)
			}
			if !strings.Contains(string(out), c.says) {
				t.Errorf("says %q, want %q", out, c.says)
			}
		})
	}
}

// What people are told to type is what the package does itself.
func TestTheDocsCheckWithTheEnvironmentOfTheService(t *testing.T) {
	script, err := os.ReadFile("deb/postinst")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, command, found := strings.Cut(string(script), "\nif systemd-run ")
	command, _, _ = strings.Cut(command, "; then")
	command = "systemd-run " + strings.Join(strings.Fields(strings.ReplaceAll(command, "\\\n", " ")), " ")
	if !found || !strings.Contains(string(docs), "sudo "+command+"\n") {
		t.Errorf("docs/operations.md does not name %q", command)
	}
}
