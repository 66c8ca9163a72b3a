package app_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bot/engine/app"
	"bot/engine/channel"
	"bot/engine/stub"
	"bot/engine/trial"
)

// worded is a word filter with one word for each action.
const worded = `
[words]
files = ["words.txt"]
list = ["微信"]
except = ["微信支付"]
`

const wordFile = "# not to be said\n赌博\trefuse\n奇怪\talert\nweixin\n"

// wordy is a rig whose configuration has that word file beside it.
func wordy(t *testing.T, file, text string) *rig {
	t.Helper()
	r := newRig(t, stub.Options{})
	t.Cleanup(r.platformUp())
	r.words(file)
	r.configure(text)
	return r
}

func (r *rig) words(file string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, "words.txt"), []byte(file), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) metric(line string) bool {
	r.t.Helper()
	resp, err := r.http.Get("http://" + r.life.at.Admin + "/metrics")
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return slices.Contains(strings.Split(string(b), "\n"), line)
}

func TestListedWordsAreCoveredInWhatIsSent(t *testing.T) {
	t.Parallel()
	r := wordy(t, wordFile, shop+worded+echo)
	r.begin()
	r.say("m1", "u", "加微.信，ｗｅｉｘｉｎ或微信支付") // a template's result
	if got, want := r.texts("u", 1), []string{"加***，******或微信支付"}; !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
	r.submit("t1", "push", "u", "W e i x i n？") // from another system
	if got := r.texts("u", 2); got[1] != "***********？" {
		t.Errorf("said %q", got)
	}
	if !r.metric(`bot_words_total{account="shop",action="replace"} 2`) {
		t.Error("not counted")
	}
}

func TestWhatHoldsARefusedWordIsADeadLetterWithoutAnAttempt(t *testing.T) {
	t.Parallel()
	r := wordy(t, wordFile, shop+worded+echo)
	r.begin()
	r.submit("t1", "push", "u", "来赌 博")
	r.died("t1", "words: refuse 1 (words.txt:2)")
	r.say("m1", "u", "很奇怪")
	if got := r.texts("u", 1); !slices.Equal(got, []string{"很奇怪"}) {
		t.Errorf("said %q: an alert is sent, and what is refused holds nothing up", got)
	}
	if !r.metric(`bot_words_total{account="shop",action="refuse"} 1`) || !r.metric(`bot_words_total{account="shop",action="alert"} 1`) {
		t.Error("not counted")
	}
	// Once the word is off the list the letter can be put back.
	r.words("赌场\trefuse\n")
	r.reloaded(shop + worded + echo)
	r.replay(r.letters(1)[0].ID)
	if got := r.texts("u", 2); got[1] != "来赌 博" {
		t.Errorf("said %q", got)
	}
}

func TestAReloadTakesTheWordsOver(t *testing.T) {
	t.Parallel()
	r := wordy(t, wordFile, shop+worded+echo)
	r.begin()
	r.say("m1", "u", "微信 天气")
	r.texts("u", 1)
	r.words("天气\n")
	r.reloaded(shop + strings.Replace(worded, `"微信"`, `"水"`, 1) + echo)
	r.say("m2", "u", "微信 天气")
	r.texts("u", 2)
	r.reloaded(shop + echo)
	r.say("m3", "u", "微信 天气")
	if got, want := r.texts("u", 3), []string{"** 天气", "微信 **", "微信 天气"}; !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
	status, problems := r.reload(shop + strings.Replace(worded, "words.txt", "none.txt", 1) + echo)
	if status == http.StatusOK || !strings.Contains(problems, `words.files: cannot read "none.txt"`) {
		t.Errorf("%d %s", status, problems)
	}
}

func TestProblemsOfWordsAreSaidWithTheirPlace(t *testing.T) {
	r := wordy(t, "微信\n\u200b\n微 信\nvx\n", shop+"[words]\nfiles = [\"words.txt\"]\nexcept = [\"VX\", \"水\"]\n")
	_, err := app.Prepare(r.load, r.build, channel.NewClient())
	for _, want := range []string{
		`words.txt:2:1: words: there is nothing to be seen in "\u200b"`,
		`bot.toml:18:11: words: except: "VX" is a listed word itself, at words.txt:4`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	r.words("微信\n微 信\nvx\n" + strings.Repeat("vx\n", 30))
	r.configure(shop + "[words]\nfiles = [\"words.txt\"]\nexcept = [\"水\"]\n")
	plan, err := app.Prepare(r.load, r.build, channel.NewClient())
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, w := range plan.Config.Warnings {
		told = append(told, w.Error())
	}
	if len(told) != 21 || told[0] != `words.txt:2:1: words: "微 信" is listed already, at words.txt:1` || told[20] != "words: 12 more words like these" {
		t.Errorf("%d warnings: %q", len(told), told)
	}
}

func TestATrialSaysWhatCustomersWouldHear(t *testing.T) {
	r := wordy(t, wordFile, shop+worded+echo)
	plan, err := app.Prepare(r.load, r.build, channel.NewClient())
	if err != nil {
		t.Fatal(err)
	}
	on := trial.New(plan.Trial("shop", false))
	for line, want := range map[string]trial.Reply{
		"微信":  {Texts: []string{"**"}},
		"赌博？": {Notes: []string{"send_text is not sent: words: refuse 1 (words.txt:2)"}},
		"奇怪":  {Texts: []string{"奇怪"}},
	} {
		got, err := on.Do(context.Background(), line)
		if err != nil || !slices.Equal(got.Texts, want.Texts) || !slices.Equal(got.Notes, want.Notes) {
			t.Errorf("%s: %+v, %v, want %+v", line, got, err, want)
		}
	}
}

func TestTheExamplesWordsAreGood(t *testing.T) {
	data, err := os.ReadFile("../../config.example.toml")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(data), "#   [words]\n")
	block, _, ended := strings.Cut(rest, "\n\n")
	if !found || !ended {
		t.Fatal("there is no block of words in the example")
	}
	r := wordy(t, wordFile, shop+"[words]\n"+strings.ReplaceAll(block, "#   ", "")+echo)
	r.begin()
	r.say("m1", "u", "微.信 w e i x i n 微信支付")
	if got := r.texts("u", 1); !slices.Equal(got, []string{"*** *********** 微信支付"}) {
		t.Errorf("said %q", got)
	}
}
