package cli_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bot/engine/channel/generic/genericstub"
	"bot/engine/stub"
	"bot/store/boltstore"
)

var (
	killFor   = flag.Duration("kill.for", 6*time.Second, "how long the kill loop goes on")
	killCount = flag.Int("kill.count", 0, "end the kill loop after so many kills instead; 0 = go by time")
	killLife  = flag.Duration("kill.life", 200*time.Millisecond, "how long a life of the kill loop lasts at most, once it is ready")
	killSeed  = flag.Uint64("kill.seed", 0, "repeat the random choices of a run; 0 = new ones")
)

const killSkills = `
[server]
listen = "%[1]s:0"
[admin]
listen = "%[1]s:0"
[[account]]
name = "shop"
channel = "generic"
path = "/in"
base_url = "http://%[2]s"
on_doubt = "resend"
[account.retry]
attempts = 100 # on a busy machine eight lives in a row may end in the middle of one send
` + dialogues

// TestKillLoop kills the real program at random moments under load with
// duplicates, its start included, and reconciles two ledgers: what was
// acknowledged, and what arrived at the platform.
func TestKillLoop(t *testing.T) {
	seed := *killSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d (repeat with -kill.seed)", seed)
	chance := rand.New(rand.NewPCG(seed, 1))

	platform, err := stub.New(stub.Options{Protocol: genericstub.New, Keep: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var platformDown sync.WaitGroup
	platformDown.Go(func() { platform.Run(ctx, l) })
	defer platformDown.Wait()
	defer cancel()

	dir := t.TempDir()
	config := write(t, dir, "bot.toml", fmt.Sprintf(killSkills, home(), l.Addr()))
	book := &ledger{acked: make(map[string]int)}
	bot := &reborn{p: start(t, config)}
	loading, stopLoad := context.WithCancel(ctx)
	var senders sync.WaitGroup
	for n := range 8 {
		c := newCaller(bot, book, rand.New(rand.NewPCG(seed, uint64(n+2))), n)
		senders.Go(func() { c.call(loading) })
	}

	end := time.Now().Add(*killFor)
	kills := 0
	kill := func(p *process) {
		p.kill()
		book.cut(time.Now())
		kills++
	}
	for kills < *killCount || *killCount == 0 && time.Now().Before(end) {
		pause(chance, 15, max(16, int(killLife.Milliseconds())))
		kill(bot.current())
		for chance.IntN(5) == 0 { // and again before it is ready
			p, _ := launch(t, config)
			pause(chance, 1, 60)
			kill(p)
		}
		bot.replace(start(t, config))
	}
	pause(chance, 200, 201)
	stopLoad()
	senders.Wait()
	drain(t, platform, book, kills)
	if code := bot.current().stop(t); code != 0 {
		t.Errorf("graceful stop at the end: exit %d", code)
	}
	reconcile(t, newEars(platform), book, nil)
	checkFile(t, filepath.Join(dir, "bot.db"))
}

func pause(r *rand.Rand, least, most int) {
	time.Sleep(time.Duration(least+r.IntN(most-least)) * time.Millisecond)
}

// drain waits until as many different commands have arrived as there were
// messages, or a minute has passed.
func drain(t *testing.T, platform *stub.Stub, book *ledger, kills int) {
	want := book.total()
	for end := time.Now().Add(time.Minute); platform.Counts().Done < want && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond)
	}
	time.Sleep(500 * time.Millisecond) // what should not come has its chance to
	c := platform.Counts()
	t.Logf("kills %d, acknowledged %d, arrived %d, of these again %d", kills, want, c.Done, c.Repeats)
	if want < 10*kills {
		t.Errorf("%d messages for %d kills: that was no load", want, kills)
	}
}

// checkFile has the store look at every page and reference of its file, which
// is to hold nothing that waits.
func checkFile(t testing.TB, path string) {
	st, err := boltstore.Open(context.Background(), boltstore.Options{Path: path, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.CheckNow(); err != nil {
		t.Errorf("the file after the last stop: %v", err)
	}
	stats, err := st.Stats()
	if err != nil {
		t.Fatal(err)
	}
	if stats.Events != 0 || stats.Commands != 0 || stats.Letters != 0 {
		t.Errorf("left behind: %d events, %d commands, %d dead letters", stats.Events, stats.Commands, stats.Letters)
	}
	events, errE := st.Read(0, 10)
	commands, errC := st.Deliveries(0, 10)
	letters, errL := st.Letters(0, 10)
	if err := errors.Join(errE, errC, errL); err != nil || len(events)+len(commands)+len(letters) > 0 {
		t.Errorf("counted as empty and holds %v, %v, %v (%v)", events, commands, letters, err)
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		for _, f := range left {
			if i, err := os.Stat(f); err == nil && i.Size() > 0 && !strings.HasSuffix(f, ".run") {
				t.Logf("beside the store: %s (%d bytes)", filepath.Base(f), i.Size())
			}
		}
	}
}
