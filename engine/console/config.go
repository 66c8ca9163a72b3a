package console

import (
	"net/http"
	"strings"
	"time"

	"bot/engine/config"
)

// Config is the configuration that runs, and what stands in its files now.
type Config struct {
	Generation int64
	Applied    time.Time // when it came to run
	Warnings   []string
	Running    []config.File
	// OnDisk are the files as a reload would read them; Unread says why some of
	// them cannot be.
	OnDisk []config.File
	Unread error
}

// configPage is the configuration, and what was found wrong with its files.
type configPage struct {
	Config
	Files    []fileDiff
	Changed  int // files
	Problems []string
	Refused  bool // Problems are why a reload was refused
	Right    bool // the files were checked and are right
}

// config shows the configuration; where it is asked for, the files are checked too.
func (c *console) config(r *http.Request) (any, error) {
	p, err := c.configPage()
	if err == nil && r.URL.Query().Get("check") != "" {
		p.Problems = problemLines(c.o.Check(r.Context()))
		p.Right = p.Problems == nil
	}
	return p, err
}

func (c *console) configPage() (*configPage, error) {
	now, err := c.o.Config()
	if err != nil {
		return nil, err
	}
	p := &configPage{Config: now, Files: diffs(now.Running, now.OnDisk)}
	for _, f := range p.Files {
		if f.State != fileSame {
			p.Changed++
		}
	}
	return p, nil
}

// reload applies the files. Problems are shown whole, however many there are.
func (c *console) reload(w http.ResponseWriter, r *http.Request) {
	problems := problemLines(c.o.Desk.Reload(r.Context()))
	if problems == nil {
		remember(w, said{Text: wordsOf(r).T("said.reloaded")})
		http.Redirect(w, r, "/config", http.StatusSeeOther)
		return
	}
	p, err := c.configPage()
	if err != nil {
		c.sorry(w, r, err)
		return
	}
	p.Problems, p.Refused = problems, true
	c.render(w, r, http.StatusUnprocessableEntity, "config", p)
}

// problemLines has one line for each problem.
func problemLines(err error) []string {
	if err == nil {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}
