package config

import (
	"errors"
	"fmt"
	"path/filepath"
)

// Load reads the configuration at path and the files it includes. env looks up
// environment variables (os.LookupEnv), channels are those that accounts may be
// of.
//
// There are two kinds of error. Problems means that the files were read and
// are wrong: the Config, unless nil, then holds what could be made of them,
// good for one thing only, to ask the skills' owners for their problems too.
// Any other error is a file that could not be read; errors.As finds its
// *fs.PathError, and errors.Is(err, fs.ErrNotExist) tells that there is none.
// The files are never written to.
func Load(path string, env func(string) (string, bool), channels []Channel) (*Config, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find configuration: %w", err)
	}
	data, err := osDisk{}.read(path, maxFile)
	if errors.Is(err, errTooLarge) {
		return nil, Problems{tooLarge(&source{name: filepath.Base(path)})}
	}
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	l := &loader{disk: osDisk{}, env: env, channels: channels}
	return l.load(path, data)
}

// ReadAgain reads the files of a configuration as they are now, without
// understanding them; those that cannot be read, or are no text, are left out.
func (c *Config) ReadAgain() (files []File) {
	for _, f := range c.Files {
		path := f.Name
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(c.Path), path)
		}
		data, err := osDisk{}.read(path, maxFile)
		if err != nil {
			continue
		}
		if text, wrong := decodeText(&source{name: f.Name}, data); wrong == nil {
			files = append(files, File{f.Name, text})
		}
	}
	return files
}

// Parse is Load for a file that is in memory, known as path. It has no file
// system: patterns to include match nothing and _file keys name no file.
func Parse(path string, data []byte, env func(string) (string, bool), channels []Channel) (*Config, error) {
	if len(data) > maxFile {
		return nil, Problems{tooLarge(&source{name: filepath.Base(path)})}
	}
	l := &loader{disk: noDisk{}, env: env, channels: channels}
	return l.load(path, data)
}

// loader carries one Load.
type loader struct {
	disk     disk
	env      func(string) (string, bool)
	channels []Channel
	problems Problems
	blamed   map[spot]bool // where the problems are
	warnings Problems
	files    []File
	partial  bool // a file could not be understood, so what seems to be missing may stand in it
}

func (l *loader) load(path string, data []byte) (*Config, error) {
	src := &source{name: filepath.Base(path), dir: filepath.Dir(path)}
	root := l.open(src, data)
	if root == nil {
		return nil, l.problems.errOrNil()
	}
	if err := l.include(path, root); err != nil {
		return nil, err
	}
	cfg := l.build(root)
	cfg.Path, cfg.Files = path, l.files
	cfg.Warnings = append(cfg.Warnings, l.warnings.sorted()...)
	return cfg, l.problems.errOrNil()
}

// document is the whole file: the accounts and skills are read one by one,
// since their defaults and their keys depend on their kind.
type document struct {
	Config
	Accounts  []*Section `toml:"account"`
	Skills    []*Section `toml:"skill"`
	Risk      []*Section `toml:"risk"`
	Schedules []*Section `toml:"schedule"`
	Audiences []*Section `toml:"audience"`
}

// build binds the tree, fills in the defaults and checks the outcome.
func (l *loader) build(root *node) *Config {
	cfg := &Config{}
	top := &Section{node: root, scope: &scope{}, disk: l.disk, warnings: &cfg.Warnings}
	doc := document{Config: defaults()}
	l.decode(top, &doc)
	*cfg = doc.Config
	cfg.Skills, cfg.Risk, cfg.Schedules = doc.Skills, doc.Risk, doc.Schedules
	l.checkRoot(top, cfg)
	at, _ := root.find("store.path")
	cfg.Store.Path = resolve(at.at.src, cfg.Store.Path)
	for _, s := range doc.Accounts {
		cfg.Accounts = append(cfg.Accounts, l.account(s, cfg))
	}
	l.checkTogether(doc.Accounts, cfg.Accounts)
	l.audiences(doc.Audiences, cfg)
	l.checkAlert(top, cfg)
	if len(cfg.Accounts) == 0 && !l.partial {
		l.warnings = append(l.warnings, Problem{File: root.at.src.name, Msg: "there is no [[account]]: nothing can come in"})
	}
	return cfg
}

func (l *loader) decode(s *Section, v any) {
	l.add(ProblemsIn(s.Decode(v))...)
}

// spot is a place as problems print it.
type spot struct {
	file      string
	line, col int
}

// add notes problems.
func (l *loader) add(ps ...Problem) {
	if l.blamed == nil {
		l.blamed = make(map[spot]bool)
	}
	for _, p := range ps {
		l.blamed[spot{p.File, p.Line, p.Col}] = true
	}
	l.problems = append(l.problems, ps...)
}

// refuse notes that a key's value is bad, or missing, unless something is
// known to be wrong with it already.
func (l *loader) refuse(s *Section, key, hint, format string, args ...any) {
	p := s.problem(key, format, args...)
	p.Hint = hint
	if !s.Has(key) || !l.blamed[spot{p.File, p.Line, p.Col}] {
		l.add(p)
	}
}

func (l *loader) warn(s *Section, key, hint, format string, args ...any) {
	p := s.problem(key, format, args...)
	p.Hint = hint
	l.warnings = append(l.warnings, p)
}
