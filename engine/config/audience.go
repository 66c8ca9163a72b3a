package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/nearest"
)

// Audience is whom something is sent to. Either its keys choose among the contacts of its account, or list or file
// names them ([contacts](contacts.md)).
//
//	[[audience]]
//	name = "vip"
//	labels = ["vip"]
//	any = ["北京", "上海"]
//	without = ["staff"]
//	active_within = "30d"
//	where = "private"
//
//	[[audience]]
//	name = "pilot"
//	list = ["wxid_a", "12345@chatroom"]
//
//	[[account]]
//	name = "shop"
//	channel = "generic"
//	base_url = "https://api.example.com"
type Audience struct {
	// Its own name.
	Name string `toml:"name" default:"required"`
	// Whose contacts they are.
	Account string `toml:"account" default:"the only one there is"`
	// They have all of these.
	Labels []string `toml:"labels"`
	// They have one of these at least.
	Any []string `toml:"any"`
	// They have none of these.
	Without []string `toml:"without"`
	// They wrote, or came, at most so long ago.
	ActiveWithin engine.Duration `toml:"active_within" is:"1d.." default:"no limit"`
	// People, groups, or both.
	Where string `toml:"where" is:"any|private|group" default:"'\"any\"'"`
	// Ids, in place of all of the above.
	List []string `toml:"list"`
	// A file of ids, one a line, at most 64 MiB; beside `list` or in its place.
	File string `toml:"file"`
}

// choices are the keys that choose among contacts.
var choices = []string{"labels", "any", "without", "active_within", "where"}

// audiences reads the [[audience]] tables.
func (l *loader) audiences(sections []*Section, cfg *Config) {
	taken := make(map[string]*Section)
	for _, s := range sections {
		a := Audience{Where: "any"}
		l.decode(s, &a)
		if first := taken[a.Name]; first != nil {
			l.refuse(s, "name", "", "the name is taken by the audience at %s", first.At("name"))
		}
		if strings.TrimSpace(a.Name) == "" {
			l.refuse(s, "name", `name = "vip"`, "an audience needs a name")
		} else {
			taken[a.Name] = s
		}
		l.audienceAccount(s, &a, cfg)
		l.choosing(s, &a)
		l.listing(s, &a)
		cfg.Audiences = append(cfg.Audiences, a)
	}
}

// audienceAccount finds whose contacts they are: the account that is named, or the
// only one there is.
func (l *loader) audienceAccount(s *Section, a *Audience, cfg *Config) {
	names := make([]string, len(cfg.Accounts))
	for i := range cfg.Accounts {
		names[i] = cfg.Accounts[i].Name
	}
	switch {
	case s.Has("account") && !slices.Contains(names, a.Account):
		l.refuse(s, "account", nearest.Guess(a.Account, names), "account: there is no account %q", a.Account)
	case s.Has("account"):
	case len(names) == 1:
		a.Account = names[0]
	case len(names) > 1:
		l.refuse(s, "account", fmt.Sprintf("account = %q", names[0]), "whose contacts are they?")
	case !l.partial:
		l.refuse(s, "account", "", "there is no [[account]] whose contacts they could be")
	}
}

// choosing checks the keys of an audience that is chosen.
func (l *loader) choosing(s *Section, a *Audience) {
	l.oneOf(s, "where", a.Where, "any", "private", "group")
	l.atLeast(s, "active_within", a.ActiveWithin, 24*time.Hour)
	for key, labels := range map[string][]string{"labels": a.Labels, "any": a.Any, "without": a.Without} {
		if s.Has(key) && len(labels) == 0 {
			l.refuse(s, key, "leave it out", "%s is empty", key)
		}
		for i, label := range labels {
			at := fmt.Sprintf("%s.%d", key, i)
			switch {
			case strings.TrimSpace(label) == "":
				l.refuse(s, at, "", "%s: a label cannot be empty", key)
			case key == "without" && (slices.Contains(a.Labels, label) || len(a.Any) == 1 && a.Any[0] == label):
				l.refuse(s, at, "", "without: nobody can be with the label %q and without it", label)
			}
		}
	}
}

// maxAudience is how many bytes the file of an audience may have: more than a
// million ids.
const maxAudience = 64 << 20

// maxListed is how many bytes an id may have to be sent to.
const maxListed = 256

// listing checks the keys of an audience that is named one by one.
func (l *loader) listing(s *Section, a *Audience) {
	if s.Has("list") || s.Has("file") {
		for _, key := range choices {
			if s.Has(key) {
				l.refuse(s, key, "make two audiences", "%s chooses among contacts, and list or file names them: only one can be", key)
			}
		}
	}
	if s.Has("list") && len(a.List) == 0 {
		l.refuse(s, "list", `list = ["wxid_…", "12345@chatroom"]`, "list: there is nobody in it")
	}
	for i, id := range a.List {
		if strings.TrimSpace(id) == "" || len(id) > maxListed {
			l.refuse(s, fmt.Sprintf("list.%d", i), "", "list: want an id of 1 to %d bytes", maxListed)
		}
	}
	if s.Has("file") {
		l.audienceFile(s, a)
	}
}

// audienceFile checks that what the file holds now can be used. It is read again,
// little by little, whenever the audience is asked for.
func (l *loader) audienceFile(s *Section, a *Audience) {
	const hint = "one id a line, as UTF-8; lines that begin with # are comments"
	n, _ := s.node.find("file")
	if !isString(n) {
		return
	}
	name := a.File
	a.File = resolve(n.at.src, name)
	data, err := s.disk.read(a.File, maxAudience)
	if err != nil {
		l.refuse(s, "file", hint+"; the path is relative to this file", "file: cannot read %q: %v", name, bare(err))
		return
	}
	src := &source{name: name}
	text, wrong := decodeText(src, data)
	if wrong != nil {
		l.refuse(s, "file", "", "file: %v", wrong)
		return
	}
	number, ids, bad := 0, 0, 0
	for line := range strings.Lines(text) {
		number++
		switch line = strings.TrimSpace(line); {
		case line == "" || line[0] == '#':
			continue
		case len(line) > maxListed || strings.ContainsAny(line, "\t\x00"):
			if bad++; bad <= maxBadLines {
				l.add(place{src, number, 1}.problem("audience %q: want one id of 1 to %d bytes", a.Name, maxListed))
			}
		}
		ids++
	}
	if ids == 0 {
		l.refuse(s, "file", hint, "file: there is nobody in %q", name)
	}
}
