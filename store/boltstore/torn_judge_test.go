package boltstore

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"bot/store"
	"bot/store/storetest"
)

// judgeEnv makes the test binary a process that opens stores which may be
// broken in any way: it may hang or die of them, and the test does not.
const judgeEnv = "BOLTSTORE_TEST_JUDGE"

func init() {
	if os.Getenv(judgeEnv) != "" {
		judgeImages(os.Stdin, os.Stdout)
		os.Exit(0)
	}
}

// killAfter is when the judgement of a store, beyond the time it is opened for,
// counts as a hang.
const killAfter = 30 * time.Second

// verdict is what came of opening a store.
type verdict struct {
	Refused  string // why it was not opened
	Damaged  bool   // that was, or a read then said, ErrDamaged
	Reported string // what was logged as a warning or worse
	Failed   string // an error of reading what was opened
	Dump     string // all it held

	Touched bool `json:"-"` // it was changed although it was refused
	// Of the process that opened it.
	Died string `json:"-"` // its last words
	Hung bool   `json:"-"` // it was killed for saying nothing
}

// question asks for a verdict.
type question struct {
	Path  string
	Limit time.Duration // of opening it
}

// judgeImages reads questions and writes a verdict for each.
func judgeImages(in io.Reader, out io.Writer) {
	questions, verdicts := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var q question
		if err := questions.Decode(&q); err != nil {
			return
		}
		if err := verdicts.Encode(judgeImage(q.Path, q.Limit)); err != nil {
			return
		}
	}
}

func judgeImage(path string, limit time.Duration) (v verdict) {
	var log bytes.Buffer
	opt := imageOptions(path)
	opt.OpenTimeout = limit
	opt.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	s, err := Open(context.Background(), opt)
	if err != nil {
		return verdict{Refused: err.Error(), Damaged: errors.Is(err, store.ErrDamaged)}
	}
	defer s.Close()
	v.Dump, err = storetest.Dump(s, tornNames)
	if err == nil {
		err = s.CheckNow()
	}
	if err != nil {
		v.Failed, v.Damaged = err.Error(), errors.Is(err, store.ErrDamaged)
	}
	v.Reported = log.String()
	return v
}

// imageOptions open a store long before anything in it happened, so that its
// time is what it stored, and nothing in it is over.
func imageOptions(path string) Options {
	long := storetest.NewClock().Now().Add(-time.Hour)
	return Options{
		Path: path, MapSize: tornMap, Window: window,
		Now: func() time.Time { return long }, Uptime: func() time.Duration { return 0 },
	}
}

// judge is such a process, or the next one when it died.
type judge struct {
	t       *testing.T
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	said    bytes.Buffer // on standard error
	started int
}

func newJudge(t *testing.T) *judge {
	j := &judge{t: t}
	t.Cleanup(j.stop)
	return j
}

func (j *judge) start() {
	j.t.Helper()
	j.started++
	j.said.Reset()
	j.cmd = exec.Command(os.Args[0])
	j.cmd.Env = append(os.Environ(), judgeEnv+"=1")
	j.cmd.Stderr = &j.said
	var err error
	if j.in, err = j.cmd.StdinPipe(); err != nil {
		j.t.Fatal(err)
	}
	out, err := j.cmd.StdoutPipe()
	if err != nil {
		j.t.Fatal(err)
	}
	j.out = bufio.NewReader(out)
	if err := j.cmd.Start(); err != nil {
		j.t.Fatal(err)
	}
}

func (j *judge) stop() {
	if j.cmd == nil {
		return
	}
	j.in.Close()
	j.cmd.Process.Kill()
	j.cmd.Wait()
	j.cmd = nil
}

// of returns the verdict on a store.
func (j *judge) of(path string, limit time.Duration) (v verdict) {
	j.t.Helper()
	if j.cmd == nil {
		j.start()
	}
	if err := json.NewEncoder(j.in).Encode(question{path, limit}); err != nil {
		j.t.Fatal(err)
	}
	hangs := time.AfterFunc(limit+killAfter, func() { j.cmd.Process.Kill() })
	line, err := j.out.ReadBytes('\n')
	v.Hung = !hangs.Stop()
	if err == nil {
		err = json.Unmarshal(line, &v)
	}
	if err != nil {
		j.stop()
		v.Died = fmt.Sprintf("%v: %.2000s", err, j.said.String())
	}
	if strings.Contains(v.Refused, "not done after") {
		j.stop() // what hangs in it would go on
	}
	return v
}
