package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/app"
	"bot/engine/channel"
	"bot/engine/channel/generic/genericstub"
	"bot/engine/config"
	"bot/engine/stub"
	"bot/skills"
	"bot/skills/kind"
	"bot/store"
	"bot/store/boltstore"
)

// patience bounds every wait for something that is to happen. It is generous:
// only a failing test uses it up.
const patience = 20 * time.Second

// rig is one engine's surroundings: a platform on loopback, a folder with a
// configuration and a store, and skills written in Go that a test controls.
type rig struct {
	t        testing.TB
	dir      string
	platform *stub.Stub
	address  string // of the platform
	// connections counts those that the platform has accepted.
	connections atomic.Int64
	skills      map[string]handler
	http        *http.Client
	life        *life
}

// handler is what a skill with `go = "name"` does.
type handler func(ctx context.Context, t *engine.Turn) (engine.Outcome, error)

// life is one run of the engine.
type life struct {
	app  *app.App
	at   app.Addrs
	stop context.CancelFunc
	done chan error
}

// head is the part of a configuration that all tests have in common.
const head = `
shutdown_grace = "2s"
[server]
listen = "127.0.0.1:0"
[admin]
listen = "127.0.0.1:0"
[store]
min_free = "0B"
`

const shop = `
[[account]]
name = "shop"
channel = "generic"
path = "/in"
app_id = "wx_demo"
base_url = "http://PLATFORM"
`

// echo answers everything with itself, so that order and repeats show.
const echo = `
[[skill]]
name = "echo"
match = "any"
reply = "{{.Text}}"
`

func newRig(t testing.TB, manners stub.Options) *rig {
	t.Helper()
	if manners.Keep == 0 {
		manners.Keep = 1 << 20
	}
	if manners.Protocol == nil {
		manners.Protocol = genericstub.New
	}
	platform, err := stub.New(manners)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{
		t: t, dir: t.TempDir(), platform: platform, skills: make(map[string]handler),
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}, Timeout: patience},
	}
	t.Cleanup(r.http.CloseIdleConnections)
	return r
}

// platformUp lets the platform serve on its address until the func returned is
// called. The first time gives it one.
func (r *rig) platformUp() (down func()) {
	r.t.Helper()
	if r.address == "" {
		r.address = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", r.address)
	if err != nil {
		r.t.Fatal(err)
	}
	r.address = l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.platform.Run(ctx, counting{l, &r.connections}) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			r.t.Error(err)
		}
	})
}

// counting is a listener that counts.
type counting struct {
	net.Listener
	accepted *atomic.Int64
}

func (c counting) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.accepted.Add(1)
	}
	return conn, err
}

// start brings up platform and engine with that configuration and takes both
// down when the test ends.
func start(t testing.TB, manners stub.Options, text string) *rig {
	t.Helper()
	r := newRig(t, manners)
	t.Cleanup(r.platformUp())
	r.configure(text)
	r.begin()
	return r
}

// configure writes the configuration file.
func (r *rig) configure(text string) {
	r.t.Helper()
	text = strings.ReplaceAll(head+text, "PLATFORM", r.address)
	if err := os.WriteFile(r.file(), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) file() string { return filepath.Join(r.dir, "bot.toml") }

func (r *rig) load() (*config.Config, error) {
	return config.Load(r.file(), func(string) (string, bool) { return "", false }, app.Channels())
}

// build is skills.Build with one kind more.
func (r *rig) build(sections []engine.Section, accounts app.Accounts) (app.Skills, error) {
	set, err := skills.Build(sections, skills.Options{
		Accounts: accounts.Names, Can: accounts.Can, Kinds: []kind.Kind{{Key: "go", Name: "Go", New: r.skill}},
		Fetch: accounts.Fetch, Schedules: accounts.Schedules, Location: accounts.Location,
	})
	if err != nil {
		return nil, err
	}
	return set, nil
}

func (r *rig) skill(d *kind.Draft) engine.Skill {
	var c struct {
		kind.Keys
		Go string `toml:"go"`
	}
	d.Decode(&c)
	return &goSkill{d.Base(d.Seen()), r.skills[c.Go]}
}

type goSkill struct {
	kind.Base
	handle handler
}

func (s *goSkill) Handle(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
	return s.handle(ctx, t)
}

func openStore(ctx context.Context, o app.StoreOptions) (store.Store, error) {
	st, err := boltstore.Open(ctx, boltstore.Options{
		Path: o.Path, Window: o.Window, MaxKeys: o.MaxKeys, MinFree: o.MinFree, CommandWindow: o.CommandWindow,
		Now: time.Now, Log: o.Log, Observe: o.Observe,
	})
	if err != nil {
		return nil, err
	}
	return st, nil
}

// make prepares an engine without running it.
func (r *rig) make(started func(app.Addrs)) *app.App {
	r.t.Helper()
	plan, err := app.Prepare(r.load, r.build, channel.NewClient())
	if err != nil {
		r.t.Fatal(err)
	}
	o := r.options(plan)
	o.Started = started
	return app.New(o)
}

// options is what every engine of a rig is made with.
func (r *rig) options(plan *app.Plan) app.Options {
	return app.Options{
		Plan: plan, Load: r.load, BuildSkills: r.build, OpenStore: openStore,
		Announce: func(path, callback, admin string) error {
			return boltstore.WriteRun(path, boltstore.Run{PID: os.Getpid(), Callback: callback, Admin: admin})
		},
		Version: "test", Chance: rand.Float64, Log: slog.New(slog.DiscardHandler),
	}
}

// begin starts a life of the engine and waits until it takes callbacks.
func (r *rig) begin() *life {
	r.t.Helper()
	started := make(chan app.Addrs, 1)
	ctx, stop := context.WithCancel(context.Background())
	l := &life{app: r.make(func(at app.Addrs) { started <- at }), stop: stop, done: make(chan error, 1)}
	go func() { l.done <- l.app.Run(ctx) }()
	select {
	case l.at = <-started:
	case err := <-l.done:
		stop()
		r.t.Fatalf("the engine ended before it was ready: %v", err)
	case <-time.After(patience):
		stop()
		r.t.Fatal("the engine is not ready")
	}
	r.life = l
	r.t.Cleanup(func() {
		if r.life == l {
			r.end()
		}
	})
	return l
}

// end stops the present life gracefully.
func (r *rig) end() {
	r.t.Helper()
	l := r.life
	if l == nil {
		return
	}
	r.life = nil
	l.stop()
	select {
	case err := <-l.done:
		if err != nil {
			r.t.Errorf("graceful stop: %v", err)
		}
	case <-time.After(patience):
		r.t.Fatal("no end after a graceful stop")
	}
}

// post calls the engine as the platform would.
func (r *rig) post(body string) (status int, answer string) {
	resp, err := r.http.Post("http://"+r.life.at.Callback+"/in", "application/json", strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(b)
}

// say posts a message and expects it to be taken.
func (r *rig) say(id, user, text string) {
	r.t.Helper()
	if status, answer := r.post(message(id, user, text)); status != http.StatusOK {
		r.t.Errorf("message %s of %s: %d %s", id, user, status, answer)
	}
}

func message(id, user, text string) string {
	b, err := json.Marshal(map[string]string{"msg_id": id, "sender": user, "content": text})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// admin makes a request of the admin listener and decodes its answer into out
// unless that is nil.
func (r *rig) admin(method, path, body string, out any) int {
	r.t.Helper()
	req, err := http.NewRequest(method, "http://"+r.life.at.Admin+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	resp, err := r.http.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	if out != nil {
		if err := json.Unmarshal(b, out); err != nil {
			r.t.Fatalf("%s %s: %v in %s", method, path, err, b)
		}
	}
	return resp.StatusCode
}

func (r *rig) status() (s app.Status) {
	r.t.Helper()
	r.admin(http.MethodGet, "/api/v1/status", "", &s)
	return s
}

// texts waits for n texts to the user and returns what they say, in order of
// arrival and without repeats under one key.
func (r *rig) texts(user string, n int) []string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	calls, err := r.platform.Wait(ctx, n, func(c stub.Call) bool {
		return stub.Text(user)(c) && !c.Repeat && (c.Status/100 == 2 || c.Status == 0)
	})
	if err != nil {
		r.t.Errorf("texts to %s: %v", user, err)
	}
	var said []string
	for _, c := range calls {
		said = append(said, c.Text)
	}
	return said
}

// idle waits until nothing is left to do, so that what is not to come would
// have come.
func (r *rig) idle() {
	r.t.Helper()
	r.until("everything is done", func() bool {
		s := r.status()
		return s.Events == 0 && s.Commands == s.InDoubt
	})
}

// until waits for a condition.
func (r *rig) until(what string, cond func() bool) {
	r.t.Helper()
	for end := time.Now().Add(patience); !cond(); {
		if time.Now().After(end) {
			r.t.Fatalf("waited in vain until %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// gate holds skills until it is opened.
type gate struct {
	in   chan *engine.Turn // gets each turn that comes to the gate
	open chan struct{}
}

func newGate() *gate {
	return &gate{in: make(chan *engine.Turn, 1<<16), open: make(chan struct{})}
}

// pass waits at the gate, then answers with the text.
func (g *gate) pass(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
	g.in <- t
	select {
	case <-g.open:
		return answer(t.Event.Text), nil
	case <-ctx.Done():
		return engine.Outcome{}, ctx.Err()
	}
}

func answer(text string) engine.Outcome {
	return engine.Outcome{Commands: []engine.Command{{Action: engine.SendText, Text: text}}}
}

// entered waits until n turns have come to the gate.
func (g *gate) entered(t testing.TB, n int) {
	t.Helper()
	for i := range n {
		select {
		case <-g.in:
		case <-time.After(patience):
			t.Fatalf("%d of %d turns came", i, n)
		}
	}
}

var errBroken = errors.New("broken on purpose")

func numbered(prefix string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%s%d", prefix, i+1)
	}
	return all
}
