package cli

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine/config"
)

func TestALogReaderThatStallsHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		direct := logger(w, config.Log{Level: "info", Format: "json"})
		p := newLogPipe(w, func(n int64) { direct.Warn("dropped", "lines", n) })
		log := slog.New(slog.NewJSONHandler(p, nil))
		start := time.Now()
		for i := range pipedLines + 100 {
			log.Info(fmt.Sprint("line ", i))
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("the engine waited %v for its log", waited)
		}
		p.close(time.Second)
		if waited := time.Since(start); waited != time.Second {
			t.Errorf("the end came after %v", waited)
		}
		log.Info("too late") // by a goroutine that does not know yet: no panic
		var read bytes.Buffer
		go io.Copy(&read, r)
		<-p.done
		w.Close()
		synctest.Wait()
		if got := read.String(); !strings.Contains(got, `"line 0"`) || !strings.Contains(got, `"dropped","lines":`) {
			t.Errorf("a reader that comes back reads %.200s …", got)
		}
	})
}

func TestTheLogIsWholeAtTheEnd(t *testing.T) {
	var out bytes.Buffer
	p := newLogPipe(&out, func(int64) { t.Error("lines were dropped") })
	for i := range 1000 {
		fmt.Fprintln(p, i)
	}
	p.close(time.Minute)
	if lines := strings.Fields(out.String()); len(lines) != 1000 || lines[999] != "999" {
		t.Errorf("%d lines", len(lines))
	}
}
