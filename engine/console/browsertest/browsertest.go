// Package browsertest drives a real browser, without a window, over the console's
// pages. A test without a browser is skipped, and fails where CI=true says that there
// must be one.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// patience bounds everything that a browser does in one test.
const patience = 3 * time.Minute

// Tab is one tab of a browser of its own. Whatever does not come about fails the test.
type Tab struct {
	testing.TB
	ctx context.Context
}

// Open starts a browser, which ends with the test.
func Open(tb testing.TB) *Tab {
	tb.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(find(tb)), chromedp.NoSandbox,
		chromedp.Flag("lang", "en"), chromedp.UserDataDir(tb.TempDir()))
	ctx, cancelAll := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancelTab := chromedp.NewContext(ctx)
	ctx, cancel := context.WithTimeout(ctx, patience)
	tb.Cleanup(func() { cancel(); cancelTab(); cancelAll() })
	return &Tab{tb, ctx}
}

// find returns the path of a browser.
func find(tb testing.TB) string {
	tb.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		tb.Fatal("there is no browser: install chromium")
	}
	tb.Skip("needs a browser: install chromium")
	return ""
}

func (t *Tab) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(t.ctx, steps...); err != nil {
		t.Fatalf("%s: %v; the page shows:\n%s", what, err, t.shown())
	}
}

// shown is the beginning of what the page says, for whoever looks into a failure.
func (t *Tab) shown() string {
	text, _ := chromedp.Run(t.ctx, chromedp.Evaluate[string]("document.body.innerText.slice(0, 2000)"))
	return text
}

// Go loads a page and waits until it is there.
func (t *Tab) Go(url string) {
	t.Helper()
	t.do("go to "+url, chromedp.Navigate(url), chromedp.WaitVisible(chromedp.CSS("main")))
}

// See waits until something that the CSS selector names is visible.
func (t *Tab) See(css string) {
	t.Helper()
	t.do("see "+css, chromedp.WaitVisible(chromedp.CSS(css)))
}

// Says waits until what the selector names contains the text.
func (t *Tab) Says(css, text string) {
	t.Helper()
	js := "[...document.querySelectorAll(" + strconv.Quote(css) + ")].some(e => e.textContent.includes(" + strconv.Quote(text) + "))"
	for until := time.Now().Add(30 * time.Second); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		if there, err := chromedp.Run(t.ctx, chromedp.Evaluate[bool](js)); err == nil && there {
			return
		}
	}
	t.Fatalf("%s does not say %q; the page shows:\n%s", css, text, t.shown())
}

// Click presses what the selector names.
func (t *Tab) Click(css string) {
	t.Helper()
	t.do("click "+css, chromedp.WaitVisible(chromedp.CSS(css)), chromedp.Click(chromedp.CSS(css)))
}

// Agree presses what the selector names, which asks first, says yes, and returns
// what was asked.
func (t *Tab) Agree(css string) (question string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.ctx)
	defer cancel()
	asked := make(chan string, 1)
	dialogs := chromedp.Events(ctx, page.JavascriptDialogOpening)
	go func() {
		defer close(asked)
		for e, err := range dialogs {
			if err != nil {
				return
			}
			if _, err := chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true}); err == nil {
				asked <- e.Message
			}
			return
		}
	}()
	t.Click(css)
	select {
	case question = <-asked:
	case <-time.After(10 * time.Second):
	}
	if question == "" {
		t.Fatalf("%s does not ask", css)
	}
	return question
}

// Type writes into a field; "\r" is the return key.
func (t *Tab) Type(css, text string) {
	t.Helper()
	t.do("type into "+css, chromedp.WaitVisible(chromedp.CSS(css)), chromedp.SendKeys(chromedp.CSS(css), text))
}

// Text is what the selector's first element says.
func (t *Tab) Text(css string) string {
	t.Helper()
	text, err := chromedp.Run(t.ctx, chromedp.Text(chromedp.CSS(css)))
	if err != nil {
		t.Fatalf("text of %s: %v", css, err)
	}
	return text
}

// Title is the page's title.
func (t *Tab) Title() string {
	t.Helper()
	title, err := chromedp.Run(t.ctx, chromedp.Title())
	if err != nil {
		t.Fatal(err)
	}
	return title
}

// Harmless fails where somebody's words have run on the page: they were to set its
// title to "owned". What was to run has had its time when the page's own scripts and
// pictures are loaded.
func (t *Tab) Harmless(where string) {
	t.Helper()
	if _, err := chromedp.Run(t.ctx, chromedp.Poll[bool]("document.readyState === 'complete'")); err != nil {
		t.Fatalf("wait for %s: %v", where, err)
	}
	if t.Title() == "owned" {
		t.Errorf("somebody's words run on %s", where)
	}
}

// widths are those of a desk and of a phone.
var widths = map[string]int64{"desktop": 1280, "phone": 390}

// beyond finds what reaches over the right edge. What is hidden on purpose, or moves
// within a box of its own, does not.
const beyond = `[...document.querySelectorAll("body *")]
	.filter(e => !e.closest(".skip, thead, pre, .scrolls") && e.getBoundingClientRect().right > innerWidth + 1)
	.map(e => e.outerHTML.slice(0, 150))`

// broken finds, at a desk, what is to stand in one line and does not: the menu, the
// names of accounts, numbers.
const broken = `innerWidth < 1280 ? [] : [...document.querySelectorAll("nav, td.name, th.num")]
	.filter(e => { const r = document.createRange(); r.selectNodeContents(e); const all = [...r.getClientRects()];
		return all.some(a => a.top > all[0].bottom) })
	.map(e => e.outerHTML.slice(0, 150))`

// faces are the languages of pages, each in one of the themes: what a theme changes
// takes no room.
var faces = map[string]string{"en": "light", "zh": "dark"}

// Looks loads a page at both widths, in both languages and themes, and fails where
// something reaches beyond the edge or breaks that should not. With CONSOLE_SHOTS=folder pictures are left there.
func (t *Tab) Looks(name, url string) {
	t.Helper()
	for device, width := range widths {
		for lang, theme := range faces {
			t.do("look at "+url, chromedp.EmulateViewport(width, 900))
			// A browser writes a cookie when it has time, but before it reads one.
			t.tell("document.cookie = " + strconv.Quote("lang="+lang+"; path=/") + "; document.cookie")
			t.Go(url)
			t.tell("document.documentElement.dataset.theme = " + strconv.Quote(theme))
			face := name + "-" + device + "-" + lang
			if shown := t.tell("document.documentElement.lang"); shown[:2] != lang {
				t.Errorf("%s is in %q", face, shown)
			}
			for wrong, find := range map[string]string{"reaches beyond the edge": beyond, "takes more than a line": broken} {
				found, err := chromedp.Run(t.ctx, chromedp.Evaluate[[]string](find))
				if err != nil {
					t.Fatal(err)
				}
				if len(found) > 0 {
					t.Errorf("%s: what %s: %q", face, wrong, found)
				}
			}
			t.picture(face)
		}
	}
	t.tell("document.cookie = 'lang=en; path=/'")
}

// picture takes one of the whole page.
func (t *Tab) picture(name string) {
	t.Helper()
	shot, err := chromedp.Run(t.ctx, chromedp.FullScreenshot(90))
	if err != nil {
		t.Fatal(err)
	}
	if len(shot) < 2000 {
		t.Errorf("%s: a picture of %d bytes", name, len(shot))
	}
	if dir := os.Getenv("CONSOLE_SHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".jpg"), shot, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// tell runs a line of script in the page.
func (t *Tab) tell(js string) (value string) {
	t.Helper()
	value, err := chromedp.Run(t.ctx, chromedp.Evaluate[string](js))
	if err != nil {
		t.Fatalf("%s: %v", js, err)
	}
	return value
}
