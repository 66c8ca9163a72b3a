package boltstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"bot/engine"
	"bot/store"
)

// helperEnv makes the test binary a process that works on the store it names.
const helperEnv = "BOLTSTORE_TEST_HELPER"

// appendForEver says each event once it is acknowledged.
func appendForEver(path string) error {
	s, err := Open(context.Background(), Options{Path: path, MapSize: 1 << 20})
	if err != nil {
		return err
	}
	fmt.Println("open")
	for worker := range 4 {
		go func() {
			for i := 0; ; i++ {
				id := fmt.Sprint(os.Getpid(), "-", worker, "-", i)
				e := event(id)
				if _, err := s.Append(context.Background(), []*engine.Event{e}, window); err != nil {
					return
				}
				os.Stdout.WriteString(id + "\n") // one write: lines do not mix
			}
		}()
	}
	<-s.Failed()
	return s.Err()
}

func helper(t *testing.T, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "open" {
		cmd.Process.Kill()
		cmd.Wait()
		t.Fatalf("helper said %q", lines.Text())
	}
	return cmd, lines
}

func TestSecondProcessIsToldWhoHoldsTheStore(t *testing.T) {
	p := path(t)
	cmd, lines := helper(t, p)
	drained := make(chan struct{})
	go func() { // else the helper blocks on a full pipe
		defer close(drained)
		for lines.Scan() {
		}
	}()
	defer func() {
		cmd.Process.Kill()
		<-drained
		cmd.Wait()
	}()
	_, err := Open(context.Background(), testOptions(t, p))
	var held *store.HeldError
	if !errors.As(err, &held) || held.PID != cmd.Process.Pid || held.Path != p || !errors.Is(err, store.ErrHeld) {
		t.Errorf("got %v, the holder is %d", err, cmd.Process.Pid)
	}
}

func TestKilledProcessLosesNothingItAcknowledged(t *testing.T) {
	p := path(t)
	var acked []string
	for round := range 5 {
		cmd, lines := helper(t, p)
		for n := 0; n < 50+37*round && lines.Scan(); n++ {
			acked = append(acked, lines.Text())
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			if id := lines.Text(); strings.Count(id, "-") == 2 {
				acked = append(acked, id)
			}
		}
		cmd.Wait()
		s := mustOpen(t, testOptions(t, p))
		have := logged(t, s)
		for _, id := range acked {
			if !have[id] {
				t.Errorf("round %d: %s was acknowledged and is lost", round, id)
			}
		}
		got, err := s.Append(context.Background(), []*engine.Event{event(acked[len(acked)-1])}, window)
		if err != nil || !got.Duplicate[0] {
			t.Errorf("round %d: an acknowledged event is no duplicate: %v, %v", round, got, err)
		}
		if err := s.CheckNow(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
