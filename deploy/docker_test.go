package deploy_test

import (
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

const dockerfile = "docker/Dockerfile"

// dockerBuild is the Dockerfile's own command, for a program at path. What
// cannot be had outside of a clone, the name of the commit, is asked for if it
// can.
func dockerBuild(path string) (string, error) {
	text, err := os.ReadFile(dockerfile)
	if err != nil {
		return "", err
	}
	m := regexp.MustCompile(`(?m)^RUN (CGO_ENABLED=0 go build .*) -o /out/bot \.$`).FindSubmatch(text)
	if m == nil {
		return "", errors.New("the Dockerfile has no line that builds /out/bot")
	}
	return strings.Replace(string(m[1]), "-buildvcs=true", "-buildvcs=auto", 1) + " -o '" + path + "' .", nil
}

func TestTheImagesProgramNeedsNothingBesideIt(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the image is one of Linux")
	}
	f, err := elf.Open(program(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("it asks for a dynamic loader")
		}
	}
	if libs, err := f.ImportedLibraries(); err == nil && len(libs) > 0 {
		t.Errorf("it asks for %q", libs)
	}
	// Zones that the machine does not have come with it.
	dir := t.TempDir()
	config := write(t, dir+"/bot.toml", strings.Replace(read(t, root+"/config.example.toml"), `# timezone = "Asia/Shanghai"`, `timezone = "America/Anchorage"`, 1))
	cmd := exec.Command(program(t), "check", "-config", config)
	cmd.Env = []string{"ZONEINFO=/nowhere"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestWhatTheImageRunsIsThere(t *testing.T) {
	text := read(t, dockerfile)
	for _, want := range []string{
		"-buildvcs=true", "\nFROM scratch\n", "\nUSER 65532:65532\n", "\nVOLUME /var/lib/bot\n", "ca-certificates.crt", "--chown=65532:65532 /out/data /var/lib/bot",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the Dockerfile has no %q", want)
		}
	}
	_, image, _ := strings.Cut(text, "FROM scratch")
	if strings.Contains(image, "RUN ") || strings.Contains(image, "CMD curl") {
		t.Error("there is no shell in the image")
	}
	help, err := exec.Command(program(t), "help").Output()
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`CMD \["(?:/usr/bin/bot", ")?(\w+)"`).FindAllStringSubmatch(image, -1)
	if len(commands) != 2 {
		t.Fatalf("%d commands, want the check of health and what is run", len(commands))
	}
	for _, c := range commands {
		if !regexp.MustCompile(`(?m)^  ` + c[1] + ` `).Match(help) {
			t.Errorf("bot has no command %s", c[1])
		}
	}
}

// TestTheDockerfilesConfigurationIsOne runs the check on what the head of the
// Dockerfile tells to write, with and without the token.
func TestTheDockerfilesConfigurationIsOne(t *testing.T) {
	head, _, _ := strings.Cut(read(t, dockerfile), "\nFROM ")
	for _, want := range []string{"--restart unless-stopped", "--stop-timeout 30", "-p 127.0.0.1:8080:8080", "-p 127.0.0.1:8081:8081"} {
		if !strings.Contains(head, want) {
			t.Errorf("docker run has no %q", want)
		}
	}
	var config strings.Builder
	for _, m := range regexp.MustCompile(`(?m)^#   (\[\w+\]|\w+ = .*)$`).FindAllStringSubmatch(head, -1) {
		config.WriteString(m[1] + "\n")
	}
	dir := t.TempDir()
	file := write(t, dir+"/bot.toml", config.String()+"[[account]]\nname = \"shop\"\nchannel = \"sandbox\"\n")
	check := func() (string, error) {
		out, err := exec.Command(program(t), "check", "-config", file).CombinedOutput()
		return string(out), err
	}
	if out, err := check(); err == nil {
		t.Errorf("it is taken without the token: %s", out)
	}
	write(t, dir+"/admin.token", "secret-of-the-console\n")
	if out, err := check(); err != nil {
		t.Errorf("%v: %s\n%s", err, out, config.String())
	}
}
