package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// Engine is what finds the engine that runs by a configuration.
type Engine struct {
	Store string // the path of its store, absolute
	Token Secret // its admin token, as far as that can be read
	// Unset are the variables of the environment that the token is to come from
	// and that are not set, or empty.
	Unset []string
}

// FindEngine reads no more of the configuration at path than what finds the engine
// that runs by it, and reads that line by line: a fault elsewhere does not matter,
// even one by which the files are no TOML at all, for an engine runs on with the
// configuration that it has. An error says that the place of the store cannot be
// read: it is never guessed.
func FindEngine(path string, env func(string) (string, bool)) (Engine, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Engine{}, fmt.Errorf("find configuration: %w", err)
	}
	data, err := osDisk{}.read(path, maxFile)
	if err != nil {
		return Engine{}, fmt.Errorf("read configuration: %w", err)
	}
	main := &source{name: filepath.Base(path), dir: filepath.Dir(path)}
	f := &finder{env: env}
	f.read(main, data)
	f.included(main, path)
	e := Engine{Store: resolve(main, defaults().Store.Path)}
	store, wrong := f.store.expanded(env)
	switch {
	case looksUTF16(data):
		return Engine{}, errors.New("the file is no text, so that its engine cannot be found")
	case f.store.lost, f.partial && !f.store.given:
		return Engine{}, errors.New("store.path cannot be read, so that the engine cannot be found")
	case wrong != nil:
		return Engine{}, fmt.Errorf("store.path: %w", *wrong)
	case f.store.given:
		e.Store = resolve(f.store.src, store)
	}
	e.Token, e.Unset = f.adminToken()
	return e, nil
}

// finder collects what FindEngine looks for.
type finder struct {
	env                     func(string) (string, bool)
	include                 []string
	partial                 bool // what is included is not known, or cannot be read
	store, token, tokenFile setting
}

// setting is a text, as it stands in a file.
type setting struct {
	src   *source
	text  string
	given bool
	lost  bool // there is something that cannot be read, or that is another text elsewhere
}

// take notes a value of the setting; nil is none.
func (s *setting) take(src *source, value any) {
	text, ok := value.(string)
	switch {
	case value == nil:
	case !ok, strings.ContainsRune(text, '\ufffd'), s.given && s.text != text:
		s.lost = true
	default:
		s.src, s.text, s.given = src, text, true
	}
}

func (s *setting) expanded(env func(string) (string, bool)) (string, *Problem) {
	if s.lost || !s.given {
		return "", nil
	}
	return expandString(s.text, env)
}

// openList is a line in which a list begins that does not end there.
var openList = regexp.MustCompile(`^[^"'#]*=\s*\[[^\]]*$`)

// longestList is how many lines a list may have.
const longestList = 200

// read takes the settings out of the lines of a file. Lines of other tables are left
// alone, so that it does not matter how they read.
func (f *finder) read(src *source, data []byte) {
	text := strings.ToValidUTF8(strings.TrimLeft(string(data), "\ufeff"), "\ufffd")
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	header, ours := "", true
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		switch {
		case line == "", line[0] == '#':
		case line[0] == '[':
			values, err := decodeTOML(line)
			header, ours = line, err == nil && (values["store"] != nil || values["admin"] != nil)
			if err != nil {
				f.lose("", line)
			}
		case ours:
			values, n, err := statement(header, lines[i:])
			if err != nil {
				f.lose(header, line)
				continue
			}
			f.take(src, values, header == "")
			i += n - 1
		}
	}
}

// statement decodes the first of the lines, and where a list begins there those up
// to its end; n is how many they are.
func statement(header string, lines []string) (values map[string]any, n int, err error) {
	for n = 1; ; n++ {
		values, err = decodeTOML(header + "\n" + strings.Join(lines[:n], "\n"))
		if err == nil || !openList.MatchString(lines[0]) || n == min(len(lines), longestList) {
			return values, n, err
		}
	}
}

func (f *finder) take(src *source, values map[string]any, top bool) {
	store, _ := values["store"].(map[string]any)
	admin, _ := values["admin"].(map[string]any)
	f.store.take(src, store["path"])
	f.token.take(src, admin["token"])
	f.tokenFile.take(src, admin["token_file"])
	if include, there := values["include"]; there && top {
		list, ok := include.([]any)
		f.partial = f.partial || !ok
		for _, item := range list {
			pattern, _ := item.(string)
			f.include = append(f.include, pattern)
		}
	}
}

// lose notes what a line that cannot be read may have said.
func (f *finder) lose(header, line string) {
	switch {
	case strings.Contains(header, "store"):
		f.store.lost = f.store.lost || strings.Contains(line, "path")
	case strings.Contains(header, "admin"):
		f.token.lost = f.token.lost || strings.Contains(line, "token")
	default:
		f.store.lost = f.store.lost || strings.Contains(line, "store")
		f.token.lost = f.token.lost || strings.Contains(line, "admin")
		f.partial = f.partial || strings.Contains(line, "include")
	}
}

// included reads the files that the main one at path includes.
func (f *finder) included(main *source, path string) {
	seen := map[string]bool{path: true}
	for _, pattern := range f.include {
		pattern, wrong := expandString(pattern, f.env)
		found, err := osDisk{}.glob(resolve(main, pattern))
		f.partial = f.partial || wrong != nil || err != nil
		for _, name := range found {
			if seen[name] {
				continue
			}
			seen[name] = true
			data, err := osDisk{}.read(name, maxFile)
			f.partial = f.partial || err != nil || looksUTF16(data)
			f.read(&source{name: name, dir: filepath.Dir(name)}, data)
		}
	}
}

// anyVariable finds the names of variables in a text.
var anyVariable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)`)

// adminToken is the token, where it can be read, and the variables that it lacks.
func (f *finder) adminToken() (token Secret, unset []string) {
	if f.token.lost || f.tokenFile.lost {
		return Secret{}, nil
	}
	for _, m := range anyVariable.FindAllStringSubmatch(f.token.text+f.tokenFile.text, -1) {
		if v, _ := f.env(m[1]); v == "" {
			unset = append(unset, m[1])
		}
	}
	if name, wrong := f.tokenFile.expanded(f.env); name != "" && wrong == nil {
		data, _ := osDisk{}.read(resolve(f.tokenFile.src, name), maxSecret) // none is no token
		return NewSecret(secretIn(data)), unset
	}
	text, wrong := f.token.expanded(f.env)
	if wrong != nil {
		text = ""
	}
	return NewSecret(text), unset
}
