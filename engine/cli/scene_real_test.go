package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bot/engine/channel/generic/genericstub"
	"bot/engine/stub"
)

// patience bounds every wait for something that is to happen.
const patience = 30 * time.Second

// scene is a folder with a configuration, and a platform to send to, for the
// real program.
type scene struct {
	t        testing.TB
	dir      string
	config   string // path of the file
	home     string // address of the programs
	platform *stub.Stub
	address  string // of the platform
	// platformDown ends the platform's present service.
	platformDown func()
	client       *http.Client
}

const realHead = `
[server]
listen = "HOME:0"
[admin]
listen = "HOME:0"
[[account]]
name = "shop"
channel = "generic"
path = "/in"
base_url = "http://PLATFORM"
`

const realEcho = `
[[skill]]
name = "echo"
match = "any"
reply = "{{.Text}}"
`

// newScene brings up a platform and writes a configuration, which follows the
// common head.
func newScene(t testing.TB, manners stub.Options, text string) *scene {
	t.Helper()
	manners.Protocol, manners.Keep = genericstub.New, 1<<20
	platform, err := stub.New(manners)
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{
		t: t, dir: t.TempDir(), home: home(), platform: platform,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200}, Timeout: patience},
	}
	t.Cleanup(s.client.CloseIdleConnections)
	s.platformUp()
	t.Cleanup(func() { s.platformDown() })
	s.configure(text)
	return s
}

// platformUp lets the platform serve, always on the same address.
func (s *scene) platformUp() {
	s.t.Helper()
	if s.address == "" {
		s.address = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.address = l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() { s.platform.Run(ctx, l) })
	s.platformDown = func() { cancel(); serving.Wait() }
}

// configure puts a configuration file in the place of the last one, at once:
// a reload that is under way reads one or the other.
func (s *scene) configure(text string) {
	s.t.Helper()
	s.config = filepath.Join(s.dir, "bot.toml")
	next := write(s.t, s.dir, "bot.toml.next", strings.NewReplacer("HOME", s.home, "PLATFORM", s.address).Replace(realHead+text))
	if err := os.Rename(next, s.config); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) store() string { return filepath.Join(s.dir, "bot.db") }

// poison is the program of testdata/poison, built once, beside the real one.
var poison = sync.OnceValues(func() (string, error) {
	beside, err := binary()
	if err != nil {
		return "", err
	}
	return build(filepath.Join(filepath.Dir(beside), "poison"), "bot/engine/cli/testdata/poison")
})

func poisonProgram(t testing.TB) string {
	t.Helper()
	path, err := poison()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// bot runs a verb of the program to its end.
func (s *scene) bot(args ...string) (code int, out, complaints string) {
	s.t.Helper()
	path, err := binary()
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, append(args, "-config", s.config)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// say posts a message; the status is 0 when nobody answered.
func (s *scene) say(p *process, id, user, text string) (status int, header http.Header) {
	b, err := json.Marshal(map[string]string{"msg_id": id, "sender": user, "content": text})
	if err != nil {
		panic(err)
	}
	resp, err := s.client.Post("http://"+p.callback+"/in", "application/json", bytes.NewReader(b))
	if err != nil {
		return 0, nil
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, resp.Header
}

// said expects a message to be taken.
func (s *scene) said(p *process, id, user, text string) {
	s.t.Helper()
	if status, _ := s.say(p, id, user, text); status != http.StatusOK {
		s.t.Errorf("message %s of %s: %d; %v", id, user, status, p.tail())
	}
}

// state is what GET /api/v1/status shows.
type state struct {
	Generation int64 `json:"generation"`
	Events     int   `json:"events_waiting"`
	Commands   int   `json:"commands_waiting"`
	Dead       int   `json:"dead_letters"`
}

func (s *scene) state(p *process) state {
	s.t.Helper()
	st, err := s.peek(p)
	if err != nil {
		s.t.Fatal(err)
	}
	return st
}

// peek is state of a process that may be gone.
func (s *scene) peek(p *process) (st state, err error) {
	resp, err := s.client.Get("http://" + p.admin + "/api/v1/status")
	if err != nil {
		return st, err
	}
	defer resp.Body.Close()
	return st, json.NewDecoder(resp.Body).Decode(&st)
}

// idle waits until nothing is left to do.
func (s *scene) idle(p *process) {
	s.t.Helper()
	s.until("everything is done", func() bool { st := s.state(p); return st.Events == 0 && st.Commands == 0 })
}

func (s *scene) until(what string, cond func() bool) {
	s.t.Helper()
	for end := time.Now().Add(patience); !cond(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("waited in vain until %s", what)
		}
	}
}

// told is what each user was told, in order of arrival, without repeats under
// a known key.
func (s *scene) told() map[string][]string {
	told := make(map[string][]string)
	for _, c := range s.platform.Calls(func(c stub.Call) bool { return !c.Repeat && c.Status/100 == 2 }) {
		body := c.JSON()
		to, content := body["to"].(string), body["content"].(string)
		told[to] = append(told[to], content)
	}
	return told
}

// heard expects that every one of them was told exactly that.
func (s *scene) heard(want map[string][]string) {
	s.t.Helper()
	told := s.told()
	for user, texts := range want {
		if !slices.Equal(told[user], texts) {
			s.t.Errorf("%s was told %s, want %s", user, brief(told[user]), brief(texts))
		}
	}
}

func brief(texts []string) string {
	const most = 12
	if len(texts) <= most {
		return fmt.Sprintf("%q", texts)
	}
	return fmt.Sprintf("%q… (%d)", texts[:most], len(texts))
}

// counted is t1 to tn.
func counted(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("t%d", i+1)
	}
	return all
}
