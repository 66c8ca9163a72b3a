package loadtest

import (
	"context"
	"fmt"
)

// names of servers in the report.
const (
	bareName   = "bare handler H"
	logName    = "bare log L"
	chainName  = "bare chain C"
	engineName = "engine"
)

var acks = scenario{
	name: "acks",
	says: "How many callbacks per second are answered 200, each durable before its answer. The whole engine runs, " +
		"with one worker and no skill that matches, so that intake has the machine nearly to itself; " +
		"the share of events that were handled meanwhile is shown. L is H with each body in a bbolt file before its answer, " +
		"the least that a durable answer costs there.",
	plan: func(_ context.Context, b *bench) ([]group, []string, error) {
		var groups []group
		for _, n := range b.Connections {
			ours := b.engineTrial(engineName, b.closed(b.engine(intake), n, 0))
			ours.against = []string{logName}
			groups = append(groups, group{
				name: fmt.Sprintf("%d connections", n),
				trials: []trial{
					b.trial(bareName, b.closed(b.bare, n, 0)),
					b.trial(logName, b.closed(b.bareLog, n, 0)),
					ours,
				},
			})
		}
		return groups, nil, nil
	},
}

// intake is the engine with next to nothing behind the log.
var intake = engineSetup{workers: 1}

// closed is a load that goes as fast as answers come.
func (b *bench) closed(start starter, connections int, duplicates float64) measurement {
	return measurement{start: start, load: load{
		connections: connections, conversations: b.Conversations, duplicates: duplicates, events: b.Events,
	}}
}

var chain = scenario{
	name: "chain",
	says: "The whole way: callback, log, skill, state read, changed and written, reply stored, sent under an attempt mark, " +
		"settled. Replies per second at the platform, until the last has come; the load goes as fast as callbacks are answered. " +
		"C is a plain way through a bbolt file: no dedup, no mark, nothing tried again.",
	plan: func(_ context.Context, b *bench) ([]group, []string, error) {
		g := group{name: fmt.Sprintf("%d connections", Middle), trials: []trial{
			b.trial(bareName, b.closed(b.bare, Middle, 0)),
		}}
		plain, notes := b.plainChain(0)
		g.trials = append(g.trials, plain...)
		if filesystem(memoryDir) == "tmpfs" {
			parent, err := b.inMemory()
			if err != nil {
				return nil, nil, err
			}
			g.trials = append(g.trials, b.engineTrial(noDisk, b.chained(engineSetup{parent: parent, workers: handling, answers: true})))
		} else {
			notes = append(notes, "the chain without a disk is left out: "+memoryDir+" is no tmpfs")
		}
		for _, t := range b.traced(b.chained) {
			t.against = append(t.against, chainName, noDisk)
			g.trials = append(g.trials, t)
		}
		return []group{g}, notes, nil
	},
}

const noDisk = "engine, store in memory"

// chained is the whole way at full load.
func (b *bench) chained(e engineSetup) measurement { return b.wholeWay(b.engine(e)) }

// wholeWay is a closed load whose replies are waited for.
func (b *bench) wholeWay(start starter) measurement {
	m := b.closed(start, Middle, 0)
	m.replies = true
	return m
}

// at is the measurement in an open loop.
func (m measurement) at(rate float64) measurement {
	m.load.rate, m.load.connections = rate, senders
	return m
}

// plainChain is C at a rate, 0 for full load; no trial and a note where the platform
// refuses something, which would be its end.
func (b *bench) plainChain(rate float64) (trials []trial, notes []string) {
	if !b.Manners.good() {
		return nil, []string{chainName + " is left out: it tries nothing again"}
	}
	m := b.wholeWay(b.bareChain)
	if rate > 0 {
		m = m.at(rate)
	}
	return []trial{b.trial(chainName, m)}, nil
}

var latency = scenario{
	name: "latency",
	says: "How long an answer, and a reply's arrival at the platform, take at a fixed rate of callbacks. " +
		"The engine's whole way runs, as in chain. L is H with each body in a bbolt file before its answer, C a plain chain in one. A latency counts from the time at which the callback was due.",
	plan: func(_ context.Context, b *bench) ([]group, []string, error) {
		var groups []group
		var notes []string
		for _, rate := range b.Rates {
			g := group{name: fmt.Sprintf("%.0f callbacks/s", rate), paced: true, trials: []trial{
				b.trial(bareName, b.closed(b.bare, senders, 0).at(rate)),
				b.trial(logName, b.closed(b.bareLog, senders, 0).at(rate)),
			}}
			var plain []trial
			plain, notes = b.plainChain(rate)
			g.trials = append(g.trials, plain...)
			g.trials = append(g.trials, b.engineTrial(engineName, b.chained(engineSetup{workers: handling, answers: true}).at(rate)))
			groups = append(groups, g)
		}
		return groups, notes, nil
	},
}

var duplicates = scenario{
	name: "duplicates",
	says: "Answers per second when a share of the callbacks repeats earlier ones. Otherwise as in acks.",
	plan: func(_ context.Context, b *bench) ([]group, []string, error) {
		none := engineName + ", no duplicates"
		g := group{name: fmt.Sprintf("%d connections", Middle), trials: []trial{
			b.trial(bareName, b.closed(b.bare, Middle, 0)),
			b.engineTrial(none, b.closed(b.engine(intake), Middle, 0)),
		}}
		for _, share := range []float64{0.1, 0.5} {
			t := b.engineTrial(fmt.Sprintf("%s, %.0f %% duplicates", engineName, share*100),
				b.closed(b.engine(intake), Middle, share))
			t.against = []string{none}
			g.trials = append(g.trials, t)
		}
		return []group{g}, nil, nil
	},
}

var incumbents = scenario{
	name: "peers",
	says: "Answers per second of the usual designs: Flask with SETNX and LPUSH, and Go with one script per callback, " +
		"pipelined. With appendfsync everysec they can lose a second of what they answered; with always they keep it, as the engine does. " +
		"Then the whole way, with the engine's chain and two Python workers.",
	plan: func(ctx context.Context, b *bench) ([]group, []string, error) {
		if err := findRedis(); err != nil {
			return nil, []string{"left out: " + err.Error()}, nil
		}
		python, absent := findPython(ctx)
		var notes []string
		if absent != nil {
			notes = append(notes, "Flask is left out: "+absent.Error())
		}
		return b.incumbents(python), notes, nil
	},
}

// incumbents are the groups of the comparison, without Flask where there is no Python.
func (b *bench) incumbents(python string) []group {
	answers := group{name: fmt.Sprintf("answers, %d connections", Middle), trials: []trial{
		b.trial(bareName, b.closed(b.bare, Middle, 0)),
		b.trial(logName, b.closed(b.bareLog, Middle, 0)),
	}}
	whole := group{name: fmt.Sprintf("whole way, %d connections", Middle), trials: []trial{
		b.trial(bareName, b.closed(b.bare, Middle, 0)),
	}}
	var against, chains []string
	for _, fsync := range []string{"everysec", "always"} {
		name := "Go + Redis " + fsync
		answers.trials = append(answers.trials, b.trial(name, b.closed(b.goRedis(fsync), Middle, 0)))
		against = append(against, name)
		if python == "" {
			continue
		}
		name = "Flask + Redis " + fsync
		answers.trials = append(answers.trials, b.trial(name, b.closed(b.flask(python, fsync, 0), Middle, 0)))
		against = append(against, name)

		whole.trials = append(whole.trials, b.trial(name, b.wholeWay(b.flask(python, fsync, 2))))
		chains = append(chains, name)
	}
	ours := b.engineTrial(engineName, b.closed(b.engine(intake), Middle, 0))
	ours.against = against
	answers.trials = append(answers.trials, ours)
	if python == "" {
		return []group{answers}
	}
	ours = b.engineTrial(engineName, b.chained(engineSetup{workers: handling, answers: true}))
	ours.against = chains
	whole.trials = append(whole.trials, ours)
	return []group{answers, whole}
}
