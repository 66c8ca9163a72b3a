package cli_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bot/engine/stub"
	"bot/store/boltstore"
)

var (
	killFor   = flag.Duration("kill.for", 6*time.Second, "how long the kill loop goes on")
	killCount = flag.Int("kill.count", 0, "end the kill loop after so many kills instead; 0 = go by time")
	killSeed  = flag.Uint64("kill.seed", 0, "repeat the random choices of a run; 0 = new ones")
)

const killSkills = `
[server]
listen = "127.0.0.1:0"
[admin]
listen = "127.0.0.1:0"
[[account]]
name = "shop"
channel = "generic"
path = "/in"
base_url = "http://%s"
on_doubt = "resend"
[[skill]]
name = "count"
match = "regex"
patterns = ['^n(\d+)$']
reply = "r{{index .Match 1}}"
[[skill]]
name = "form"
keywords = ["start"]
match = "exact"
done = "END {{.Data.a}} {{.Data.b}}"
[[skill.step]]
save = "a"
ask = "Q1"
pattern = '^a\d+$'
[[skill.step]]
save = "b"
ask = "Q2"
pattern = '^b\d+$'
`

// line is the i-th message of a user (from 1) and the one right answer to it.
// Users whose name begins with f walk through the form again and again, so
// that a lost or repeated state shows at once; the others count.
func line(user string, i int) (text, answer string) {
	if user[0] != 'f' {
		return fmt.Sprintf("n%d", i), fmt.Sprintf("r%d", i)
	}
	switch i % 3 {
	case 1:
		return "start", "Q1"
	case 2:
		return fmt.Sprintf("a%d", i), "Q2"
	default:
		return fmt.Sprintf("b%d", i), fmt.Sprintf("END a%d b%d", i-1, i)
	}
}

// ledger is what the senders of callbacks know: how many of each user's
// messages were acknowledged.
type ledger struct {
	mu    sync.Mutex
	acked map[string]int
	kills []time.Time
}

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

	platform, err := stub.New(stub.Options{Keep: 1 << 30})
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
	config := write(t, dir, "bot.toml", fmt.Sprintf(killSkills, l.Addr()))
	book := &ledger{acked: make(map[string]int)}
	bot := &reborn{p: start(t, config)}
	loading, stopLoad := context.WithCancel(ctx)
	var senders sync.WaitGroup
	for n := range 8 {
		senders.Go(func() { load(loading, bot, book, rand.New(rand.NewPCG(seed, uint64(n+2))), n) })
	}

	end := time.Now().Add(*killFor)
	for len(book.kills) < *killCount || *killCount == 0 && time.Now().Before(end) {
		pause(chance, 15, 200)
		book.kill(bot.current())
		for chance.IntN(5) == 0 { // and again before it is ready
			p, _ := launch(t, config)
			pause(chance, 1, 60)
			book.kill(p)
		}
		bot.replace(start(t, config))
	}
	pause(chance, 200, 201)
	stopLoad()
	senders.Wait()
	drain(t, platform, book)
	if code := bot.current().stop(t); code != 0 {
		t.Errorf("graceful stop at the end: exit %d", code)
	}
	reconcile(t, platform, book)
	checkFile(t, filepath.Join(dir, "bot.db"))
}

func pause(r *rand.Rand, least, most int) {
	time.Sleep(time.Duration(least+r.IntN(most-least)) * time.Millisecond)
}

// reborn is the program in its current life.
type reborn struct {
	mu sync.Mutex
	p  *process
}

func (r *reborn) current() *process {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.p
}

func (r *reborn) replace(p *process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.p = p
}

func (b *ledger) kill(p *process) {
	p.kill()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kills = append(b.kills, time.Now())
}

// load sends the messages of five users, each in order: the next one only when
// the one before was acknowledged. A third of them go out twice.
func load(ctx context.Context, bot *reborn, book *ledger, r *rand.Rand, n int) {
	client := &http.Client{Timeout: 3 * time.Second}
	defer client.CloseIdleConnections()
	sent := make([]int, 5)
	for ctx.Err() == nil {
		k := r.IntN(len(sent))
		user := fmt.Sprintf("u%d-%d", n, k)
		if k == 4 {
			user = fmt.Sprintf("f%d-%d", n, k)
		}
		text, _ := line(user, sent[k]+1)
		body := fmt.Sprintf(`{"msg_id":"%s/%d","sender":"%s","content":"%s"}`, user, sent[k]+1, user, text)
		acked := false
		for range 1 + r.IntN(3)/2 {
			resp, err := client.Post("http://"+bot.current().callback+"/in", "application/json", strings.NewReader(body))
			if err != nil {
				break
			}
			resp.Body.Close()
			acked = acked || resp.StatusCode == 200
		}
		if !acked {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		sent[k]++
		book.mu.Lock()
		book.acked[user] = sent[k]
		book.mu.Unlock()
	}
}

// drain waits until as many different commands have arrived as there were
// messages, or a minute has passed.
func drain(t *testing.T, platform *stub.Stub, book *ledger) {
	want := 0
	for _, n := range book.acked {
		want += n
	}
	for end := time.Now().Add(time.Minute); platform.Counts().Done < want && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond)
	}
	time.Sleep(500 * time.Millisecond) // what should not come has its chance to
	c := platform.Counts()
	t.Logf("kills %d, acknowledged %d, arrived %d, of these again %d", len(book.kills), want, c.Done, c.Repeats)
	if want < 10*len(book.kills) {
		t.Errorf("%d messages for %d kills: that was no load", want, len(book.kills))
	}
}

// reconcile compares the two ledgers user by user.
func reconcile(t *testing.T, platform *stub.Stub, book *ledger) {
	for user, acked := range book.acked {
		var said []string
		first := make(map[string]time.Time) // by idempotency key
		var twins [][2]time.Time
		for _, c := range platform.Calls(stub.Text(user)) {
			if c.Key == "" {
				t.Fatalf("%s: a call without an idempotency key", user)
			}
			if at, again := first[c.Key]; again {
				twins = append(twins, [2]time.Time{at, c.Time})
				first[c.Key] = c.Time
				continue
			}
			first[c.Key] = c.Time
			said = append(said, c.JSON()["content"].(string))
		}
		if len(said) < acked {
			t.Errorf("%s: %d messages acknowledged, %d answered: LOST", user, acked, len(said))
		}
		if len(said) > acked+1 { // the last one may be on disk and its answer lost with the kill
			t.Errorf("%s: %d messages acknowledged, %d answered: DOUBLED", user, acked, len(said))
		}
		for i, got := range said {
			if _, want := line(user, i+1); got != want {
				t.Errorf("%s: answer %d is %q, want %q: lost, doubled or out of order", user, i+1, got, want)
				break
			}
		}
		for _, twin := range twins {
			if !book.killedBetween(twin[0], twin[1]) {
				t.Errorf("%s: sent twice at %v and %v with no kill between", user, twin[0], twin[1])
			}
		}
	}
}

// killedBetween allows for a send that the platform read a little late.
func (b *ledger) killedBetween(from, to time.Time) bool {
	for _, k := range b.kills {
		if k.After(from.Add(-100*time.Millisecond)) && k.Before(to) {
			return true
		}
	}
	return false
}

// checkFile has the store look at every page and reference of its file.
func checkFile(t *testing.T, path string) {
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
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		for _, f := range left {
			if i, err := os.Stat(f); err == nil && i.Size() > 0 && !strings.HasSuffix(f, ".run") {
				t.Logf("beside the store: %s (%d bytes)", filepath.Base(f), i.Size())
			}
		}
	}
}
