package console

import (
	"bytes"
	"embed"
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"path"
	"strings"
	"time"

	"bot/engine/clip"
	"bot/store"
)

//go:embed pages/*.html
var pageFiles embed.FS

//go:embed assets
var assetFiles embed.FS

// pages are the parsed templates, each with the layout.
type pages map[string]*template.Template

func parsePages() pages {
	all := make(pages)
	files, err := pageFiles.ReadDir("pages")
	if err != nil {
		panic(err) // they are part of the program
	}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".html")
		if name != "layout" {
			all[name] = template.Must(template.ParseFS(pageFiles, "pages/layout.html", path.Join("pages", f.Name())))
		}
	}
	return all
}

// assets serves style and scripts, which change with the program alone.
func assets() http.Handler {
	files := http.FileServerFS(assetFiles)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=300")
		files.ServeHTTP(w, r)
	})
}

// view is what a template is given.
type view struct {
	words
	Page    string // name of the page
	Path    string // of the request, with its query
	Theme   string // "", light or dark
	Version string
	Token   bool // there is a token, so somebody can log out
	In      bool // whoever asks is logged in
	Said    said
	Data    any
	now     time.Time
	zone    *time.Location
}

// said is what the last act came to, shown once.
type said struct {
	Text string
	Bad  bool
}

// Now is the time of the page.
func (v view) Now() time.Time { return v.now }

// Time is a moment for people; "–" for none.
func (v view) Time(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.In(v.zone).Format(time.DateTime)
}

// Clock is a moment near now: the time of day, with the date where that is another.
func (v view) Clock(t time.Time) string {
	t, now := t.In(v.zone), v.now.In(v.zone)
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format(time.TimeOnly)
	}
	return t.Format("01-02 15:04")
}

// Zone is where the times of the page are, for its foot.
func (v view) Zone() string { return v.zone.String() + v.now.In(v.zone).Format(" (UTC-07:00)") }

// page shows a page with what load finds.
func (c *console) page(name string, load func(r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		data, err := load(r)
		if err != nil {
			c.sorry(w, r, err)
			return
		}
		c.render(w, r, http.StatusOK, name, data)
	}
}

// part shows one template of a page alone, for the script that brings it in again.
func (c *console) part(page, name string, load func(r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		data, err := load(r)
		if err != nil {
			c.sorry(w, r, err)
			return
		}
		c.write(w, http.StatusOK, c.pages[page], name, c.view(w, r, page, data))
	}
}

// act does what a form asks for and shows the page again from which it came, with
// what it came to: done is the key of a text and what goes into it, empty where the
// page shows that by itself.
func (c *console) act(do func(r *http.Request) (done []any, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
		if err := r.ParseForm(); err != nil {
			http.Error(w, "the form cannot be read", http.StatusBadRequest)
			return
		}
		words := wordsOf(r)
		done, err := do(r)
		s, p := said{Bad: err != nil}, problem{}
		switch {
		case errors.As(err, &p):
			s.Text = words.T(p.key, p.args...)
		case errors.Is(err, store.ErrGone):
			s.Text = words.T("said.gone")
		case err != nil:
			s.Text = err.Error()
		case len(done) > 0:
			s.Text = words.T(done[0].(string), done[1:]...)
		}
		if s.Text != "" {
			remember(w, s)
		}
		http.Redirect(w, r, home(r.PostFormValue("back")), http.StatusSeeOther)
	}
}

// problem is an error that whoever asked can mend, said in their language: the key of
// a text and what goes into it.
type problem struct {
	key  string
	args []any
}

func (p problem) Error() string { return words{"en"}.T(p.key, p.args...) }

// following is the address of the next page of a list, whose rows lie behind one.
func following(r *http.Request, after string) string {
	q := r.URL.Query()
	q.Set("after", after)
	return r.URL.Path + "?" + q.Encode()
}

// sorry shows why a page cannot be shown.
func (c *console) sorry(w http.ResponseWriter, r *http.Request, err error) {
	status, text, p := http.StatusInternalServerError, err.Error(), problem{}
	switch {
	case r.Context().Err() != nil:
		return // nobody is there any more
	case errors.As(err, &p):
		status, text = http.StatusBadRequest, wordsOf(r).T(p.key, p.args...)
	case errors.Is(err, store.ErrGone):
		status = http.StatusNotFound
	default:
		c.o.Log.Error("console page failed", "path", r.URL.Path, "error", err)
	}
	c.render(w, r, status, "sorry", text)
}

func (c *console) view(w http.ResponseWriter, r *http.Request, page string, data any) view {
	return view{
		words: wordsOf(r), Page: page, Path: r.URL.RequestURI(), Theme: themeOf(r), Version: c.o.Version,
		Token: c.o.Desk.Token != "", In: c.door.knows(r), Data: data, now: c.o.Now(), zone: c.o.Zone(),
	}
}

func (c *console) render(w http.ResponseWriter, r *http.Request, status int, page string, data any) {
	v := c.view(w, r, page, data)
	v.Said = recall(w, r)
	c.write(w, status, c.pages[page], "layout", v)
}

// write makes all of a page before any of it leaves: half a page would look like
// all there is.
func (c *console) write(w http.ResponseWriter, status int, t *template.Template, name string, v view) {
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, v); err != nil {
		c.o.Log.Error("console page failed", "page", v.Page, "error", err)
		http.Error(w, "this page failed; the log has the reason", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(b.Bytes()) // whoever asked may be gone
}

const saidCookie = "bot_said"

// maxSaid bounds what fits in a cookie.
const maxSaid = 2000

// remember keeps what an act came to for the page that follows.
func remember(w http.ResponseWriter, s said) {
	mark := "+"
	if s.Bad {
		mark = "-"
	}
	text := strings.ToValidUTF8(clip.To(s.Text, maxSaid), "")
	http.SetCookie(w, &http.Cookie{
		Name: saidCookie, Value: base64.RawURLEncoding.EncodeToString([]byte(mark + text)), Path: "/", MaxAge: 60,
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

func recall(w http.ResponseWriter, r *http.Request) said {
	cookie, err := r.Cookie(saidCookie)
	if err != nil {
		return said{}
	}
	http.SetCookie(w, &http.Cookie{Name: saidCookie, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	b, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil || len(b) == 0 {
		return said{}
	}
	return said{Text: string(b[1:]), Bad: b[0] == '-'}
}

// Section is a page that the head of every page leads to.
type Section struct{ Page, Path string }

// sections in their order.
var sections = []Section{
	{"overview", "/"}, {"conversations", "/conversations"}, {"chat", "/chat"},
	{"dead", "/dead"}, {"doubts", "/doubts"}, {"commands", "/commands"}, {"alerts", "/alerts"},
	{"broadcasts", "/broadcasts"}, {"schedules", "/schedules"}, {"contacts", "/contacts"},
	{"skills", "/skills"}, {"trace", "/trace"}, {"config", "/config"},
}

// Trace and Conversation are where more is shown of what an id names.
func (view) Trace(id string) string { return tracePath(id) }
func (view) Conversation(account, conversation string) string {
	return ConversationPath(account, conversation)
}

// Sections are the pages of the head.
func (view) Sections() []Section { return sections }
