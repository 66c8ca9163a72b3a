package loadtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// server is what is under test: one address, one or several processes.
type server struct {
	addr      string // of callbacks
	admin     string // of metrics; "" = it has none
	processes []*process
	dir       string // removed with it; "" = stays
}

// starter starts a server whose replies go to the platform at url.
type starter func(ctx context.Context, url string) (*server, error)

func (s *server) usage() usage {
	pids := make([]int, len(s.processes))
	for i, p := range s.processes {
		pids[i] = p.pid()
	}
	return usageOf(pids...)
}

// ended is the error of the first process that is no longer there.
func (s *server) ended() error {
	for _, p := range s.processes {
		if err := p.ended(); err != nil {
			return err
		}
	}
	return nil
}

// kill ends all processes, the last started first, and removes their files.
func (s *server) kill() {
	for i := range s.processes {
		s.processes[len(s.processes)-1-i].kill()
	}
	if s.dir != "" {
		os.RemoveAll(s.dir)
	}
}

// engineSetup is how the engine under test is configured.
type engineSetup struct {
	parent    string // of the folder for its store; "" = the bench's
	store     string // an existing store file to be copied there; "" = empty
	workers   int
	answers   bool    // a skill answers every message; otherwise none matches
	untraced  bool    // nothing is traced
	perSecond float64 // with patient, the account's pace; 0: none
	patient   bool    // it tries again as often as it takes, soon, and many at a time
	// speaks is what the configuration says of account and skills where they
	// are others than the generic account and the skill that answers chose.
	speaks func(url string) string
}

// handling is the default number of workers.
const handling = 64

// engine starts this engine on a store of its own.
func (b *bench) engine(e engineSetup) starter {
	return func(ctx context.Context, url string) (*server, error) {
		return b.inFolder(e.parent, func(dir string) (*server, error) {
			if e.store != "" {
				if err := copyFile(filepath.Join(dir, storeName), e.store); err != nil {
					return nil, err
				}
			}
			return b.engineIn(ctx, dir, e, url)
		})
	}
}

// inFolder starts a server on a folder of its own, which goes with it.
func (b *bench) inFolder(parent string, start func(dir string) (*server, error)) (*server, error) {
	dir, err := b.folder(parent)
	if err != nil {
		return nil, err
	}
	s, err := start(dir)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	s.dir = dir
	return s, nil
}

// engineIn starts this engine on the store in dir, and returns when it is ready.
func (b *bench) engineIn(ctx context.Context, dir string, e engineSetup, url string) (*server, error) {
	addrs, err := freeAddrs(2)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "bot.toml")
	e.untraced = e.untraced || b.Trace == TraceOff
	if err := os.WriteFile(file, configuration(e, addrs[0], addrs[1], url), 0o600); err != nil {
		return nil, fmt.Errorf("write configuration: %w", err)
	}
	p, err := start(ctx, "the engine", dir, nil, b.Program, "run", "-config", file)
	if err != nil {
		return nil, err
	}
	s := &server{addr: addrs[0], admin: addrs[1], processes: []*process{p}}
	if err := p.await(ctx, ready(s.admin)); err != nil {
		s.kill()
		return nil, err
	}
	return s, nil
}

// ready asks the engine whether it takes callbacks.
func ready(admin string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		body, err := get(ctx, "http://"+admin+"/readyz")
		if err == nil {
			body.Close()
		}
		return err == nil
	}
}

const storeName = "bot.db"

// configuration is a generic account without limits, unless e speaks for itself.
// Logging is at `warn`, as a busy engine's should be: a line per event costs
// more than the event.
func configuration(e engineSetup, callback, admin, url string) []byte {
	speaks := e.speaks
	if speaks == nil {
		speaks = func(url string) string { return plain(url, e) }
	}
	kept := ""
	if e.untraced {
		kept = "[trace]\nkeep = \"0s\"\n"
	}
	return fmt.Appendf(nil, `
[server]
listen = %q
[admin]
listen = %q
[store]
path = %q
[queue]
workers = %d
backlog = 10_000_000
[log]
level = "warn"
%s%s`, callback, admin, storeName, e.workers, kept, speaks(url))
}

// plain is the generic account with its one skill.
func plain(url string, e engineSetup) string {
	skill, tries := silentSkill, ""
	if e.answers {
		skill = echoSkill
	}
	if e.patient {
		tries = manyTries
		if e.perSecond > 0 {
			tries = fmt.Sprintf(manyTriesPaced, e.perSecond)
		}
	}
	return fmt.Sprintf(`
[[account]]
name = "load"
channel = "generic"
path = %q
base_url = %q
%s%s`, callbackPath, url, tries, skill)
}

// manyTries is for platforms that misbehave: what such a platform refuses is tried
// again until it is done, so that whatever is missing in the end is the engine's
// loss, and waits are short, so that the end comes.
const (
	manyTries      = "[account.limit]\nparallel = 64\n" + retries
	manyTriesPaced = "[account.limit]\nparallel = 64\nrate = \"%g/s\"\n" + retries
	retries        = "[account.retry]\nattempts = 1000\nbackoff = \"200ms..5s\"\n"
)

// echoSkill is a form whose question is never answered to its liking, so that
// every message finds a state, changes it, has it written, and is answered
// once. The answer begins with the event's number, from which the platform
// knows which event it belongs to. (After a hundred messages a conversation's
// form ends and the next message begins a new one, answered likewise.)
const echoSkill = `
[[skill]]
name = "count"
match = "any"
expires = "1h"
too_many = "{{slice .Text 0 11}}"
[[skill.step]]
save = "answer"
ask = "{{slice .Text 0 11}}"
pattern = '^-$'
invalid = "{{slice .Text 0 11}}"
attempts = 100
`

// silentSkill matches none of the callbacks.
const silentSkill = `
[[skill]]
name = "silent"
match = "exact"
keywords = ["这句话没有人会说"]
reply = "."
`
