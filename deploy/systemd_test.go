package deploy_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

var units = []string{"bot.service", "bot.socket", "bot-admin.socket"}

// installed puts the units into a folder, with a program that is really there.
func installed(t *testing.T) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range units {
		text := strings.ReplaceAll(read(t, filepath.Join("systemd", name)), "/usr/bin/bot", program(t))
		paths = append(paths, write(t, filepath.Join(dir, name), text))
	}
	return paths
}

// newer are the keys that old versions of systemd leave out, and say so.
var newer = regexp.MustCompile(`Unknown key (name )?'(RestartSteps|RestartMaxDelaySec)' in section .Service., ignoring`)

// TestSystemdUnderstandsTheUnits has systemd itself read them.
func TestSystemdUnderstandsTheUnits(t *testing.T) {
	analyze := needProgram(t, "systemd-analyze")
	cmd := exec.Command(analyze, append([]string{"verify", "--man=no", "--recursive-errors=no"}, installed(t)...)...)
	out, err := cmd.CombinedOutput()
	rest, old := "", newer.Match(out)
	for line := range strings.Lines(string(out)) {
		if !newer.MatchString(line) {
			rest += line
		}
	}
	if err != nil && !old || rest != "" {
		t.Errorf("%v\n%s", err, rest)
	}
}

// TestTheServiceIsShutIn holds systemd's own measure of what a service may do, 0
// to 100, low.
func TestTheServiceIsShutIn(t *testing.T) {
	analyze := needProgram(t, "systemd-analyze")
	out, err := exec.Command(analyze, "security", "--offline=yes", "--no-pager", "--threshold=20", installed(t)[0]).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestAddressesAreThoseOfTheExample: sockets whose address is not the file's are
// refused, so that the two must go together.
func TestAddressesAreThoseOfTheExample(t *testing.T) {
	example := read(t, filepath.Join(root, "config.example.toml"))
	for unit, section := range map[string]string{"bot.socket": "server", "bot-admin.socket": "admin"} {
		m := regexp.MustCompile(`(?m)^ListenStream=(.*)$`).FindStringSubmatch(read(t, filepath.Join("systemd", unit)))
		if m == nil || !regexp.MustCompile(`(?m)^\[`+section+`\]\n(#.*\n)*listen = "`+regexp.QuoteMeta(m[1])+`"$`).MatchString(example) {
			t.Errorf("%s listens on %q, which is not that of [%s]", unit, m, section)
		}
	}
}

// TestWhatTheWatchdogEndsIsStartedAgain: systemd ends a process that gives no
// sign of life by SIGABRT. Go makes an exit code 2 of it, which stands for a bad
// configuration and is not restarted, unless the unit's environment prevents it.
func TestWhatTheWatchdogEndsIsStartedAgain(t *testing.T) {
	unit := read(t, "systemd/bot.service")
	if !strings.Contains(unit, "\nRestartPreventExitStatus=2 3\n") {
		t.Error("codes 2 and 3 are restarted")
	}
	dir := t.TempDir()
	config := write(t, filepath.Join(dir, "bot.toml"), strings.ReplaceAll(read(t, root+"/config.example.toml"), "127.0.0.1:808", "127.0.0.1:0 #"))
	config = write(t, config, strings.NewReplacer(`127.0.0.1:0 #0"`, `127.0.0.1:0"`, `127.0.0.1:0 #1"`, `127.0.0.1:0"`).Replace(read(t, config)))
	cmd := exec.Command(program(t), "run", "-config", config)
	cmd.Dir = dir
	for _, m := range regexp.MustCompile(`(?m)^Environment=(.*)$`).FindAllStringSubmatch(unit, -1) {
		cmd.Env = append(cmd.Env, m[1])
	}
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	// No file is left of what would be the core: it is of no use to a test.
	cmd.Path, cmd.Args = needProgram(t, "sh"), append([]string{"sh", "-c", `ulimit -c 0; exec "$0" "$@"`}, cmd.Args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	told := make(chan struct{})
	go func() {
		defer close(told)
		b := make([]byte, 32<<10)
		for ready := false; ; {
			n, err := log.Read(b)
			if said.Write(b[:n]); err != nil {
				return
			}
			if !ready && strings.Contains(said.String(), `"msg":"ready"`) {
				ready = true
				cmd.Process.Signal(syscall.SIGABRT)
			}
		}
	}()
	select {
	case <-told:
	case <-time.After(30 * time.Second):
		cmd.Process.Kill()
		<-told
		t.Error("it does not end")
	}
	err = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != -1 {
		t.Errorf("%v: exit code %d, want a signal\n%s", err, code, said.String())
	}
	if !strings.Contains(said.String(), "goroutine ") {
		t.Error("it does not say what it was doing")
	}
}
