package boltstore

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"bot/store/storetest"
)

var (
	tornCommits = flag.Int("torn.commits", 100, "commits whose writes are torn")
	tornImages  = flag.Int("torn.images", 3, "images made of each commit's writes, of each kind in turn")
	tornSeed    = flag.Uint64("torn.seed", 1, "what acts and images are chosen by")
)

// Power may fail at any moment of a commit. Whatever part of its writes has
// reached the disk, the next start finds the state before the commit; and from
// the moment the meta page may be there, that or the state after it. A disk
// that lied about its syncs leaves what no database can put together again;
// then the store is refused, or what is wrong with it is told, or it is right.
func TestTornWritesAreNeverHalfACommit(t *testing.T) {
	folder := memory(t)
	clock := storetest.NewClock()
	opt := Options{
		Path: filepath.Join(folder, "bot.db"), MapSize: tornMap, Window: window, Now: clock.Now, Uptime: clock.Uptime,
		idle: time.Hour, // each commit is an act's, and of its time
	}
	s := mustOpen(t, opt)
	work := newWorkload(s, clock, *tornSeed)
	if err := work.begin(context.Background()); err != nil {
		t.Fatal(err)
	}
	r := &recording{T: t, folder: folder, judge: newJudge(t), rng: rand.New(rand.NewPCG(*tornSeed, 1)), count: map[string]int{}}
	r.before = r.read(opt.Path)
	r.state = r.whole(s, r.before)
	for r.commits < *tornCommits && !t.Failed() {
		name, err := work.act(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		r.took(name, s, r.read(opt.Path))
	}
	r.report()
}

// memory is a folder whose files need no disk, where there is such a thing: no
// power is cut here, so a sync proves nothing.
func memory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "boltstore-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// tornMap keeps the files small.
const tornMap = 256 << 10

// wholeEvery is after how many commits a whole file is looked at.
const wholeEvery = 8

// recording is a run of a store, commit by commit.
type recording struct {
	*testing.T
	folder string
	judge  *judge
	rng    *rand.Rand

	before []byte // the file
	state  string // its dump

	commits, images, skipped, lies int
	count                          map[string]int // of verdicts, by fault
}

func (r *recording) read(path string) []byte {
	r.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		r.Fatal(err)
	}
	return b
}

// verdictOn opens an image.
func (r *recording) verdictOn(image []byte, limit time.Duration) verdict {
	r.Helper()
	path := filepath.Join(r.folder, "image.db")
	if err := os.WriteFile(path, image, 0o600); err != nil {
		r.Fatal(err)
	}
	v := r.judge.of(path, limit)
	v.Touched = v.Refused != "" && !bytes.Equal(image, r.read(path))
	for _, suffix := range []string{".run", ".hand"} { // of a judge that died
		os.Remove(path + suffix)
	}
	return v
}

// whole returns what a store holds, and now and then looks whether its file,
// which nothing happened to, holds the same.
func (r *recording) whole(s *Store, file []byte) string {
	r.Helper()
	live, err := storetest.Dump(s, tornNames)
	if err != nil {
		r.Fatal(err)
	}
	if r.commits%wholeEvery == 0 {
		if v := r.verdictOn(file, time.Minute); v.Dump != live || v.Failed != "" || v.Reported != "" {
			r.Fatalf("after commit %d the file does not hold what the open store does: %+v\n%s", r.commits, v, storetest.Diff(v.Dump, live))
		}
	}
	return live
}

// took is told of an act and the file after it.
func (r *recording) took(act string, s *Store, after []byte) {
	r.Helper()
	if newestTx(after) == newestTx(r.before) {
		return // it changed nothing
	}
	d, ok := diffOf(r.before, after)
	if !ok {
		r.skipped++
		r.before, r.state = after, r.whole(s, after)
		return
	}
	r.commits++
	r.count["commits by "+act]++
	next := r.whole(s, after)
	for range *tornImages {
		f := faults[r.images%len(faults)]
		r.images++
		image, how := f.make(d, r.rng)
		v := r.verdictOn(image, f.limit)
		c := classify(v, r.state, next)
		r.count[f.name+": "+string(c)]++
		switch {
		case slices.Contains(f.right, c):
		case slices.Contains(f.bounded, c):
			if r.lies++; r.lies <= liesShown || c == death {
				r.Logf("commit %d (%s), image %d, %s: %s %s", r.commits, act, r.images, how, c, v.Died)
				r.keep(image)
			}
		default:
			r.Errorf("commit %d (%s), image %d, %s: %s\n%+v\nagainst the state before:\n%s\nagainst the state after:\n%s",
				r.commits, act, r.images, how, c, v, storetest.Diff(v.Dump, r.state), storetest.Diff(v.Dump, next))
			r.keep(image)
		}
	}
	r.before, r.state = after, next
}

// keep writes an image where -artifacts says.
func (r *recording) keep(image []byte) {
	r.Helper()
	name := fmt.Sprintf("commit-%d-image-%d.db", r.commits, r.images)
	if err := os.WriteFile(filepath.Join(r.ArtifactDir(), name), image, 0o600); err != nil {
		r.Error(err)
	}
}

func (r *recording) report() {
	r.Helper()
	r.Logf("%d commits, %d images, seed %d; %d acts with several commits left out; %d processes opened images",
		r.commits, r.images, *tornSeed, r.skipped, r.judge.started)
	for _, name := range slices.Sorted(maps.Keys(r.count)) {
		r.Logf("%6d  %s", r.count[name], name)
	}
	if r.skipped > r.commits/10 {
		r.Errorf("%d acts of %d left out: the rest proves too little", r.skipped, r.commits)
	}
	if most := r.images * liesPassed / 100 / len(faults); r.lies > most {
		r.Errorf("%d lies of the disk were not noticed, at most %d may pass", r.lies, most)
	}
}

// liesPassed is how many of a hundred lies of a disk may pass unnoticed. The
// pages of bbolt bear no checksum, so where a page of the same number and kind
// lay before, it may pass for the one that is missing.
const liesPassed = 14

// liesShown is how many of them are logged and kept.
const liesShown = 5
