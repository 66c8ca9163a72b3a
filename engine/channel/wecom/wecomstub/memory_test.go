package wecomstub

import (
	"strconv"
	"testing"
	"time"
)

// What lasts longest is kept, in whatever order it came.
func TestMemoryForgetsWhatEndsFirst(t *testing.T) {
	var m memory[int]
	for i := range maxRemembered {
		m.put(strconv.Itoa(i), i, noon.Add(time.Duration(i*7919%maxRemembered)*time.Second))
	}
	if got, _, known := m.get("0"); !known || got != 0 {
		t.Fatal("forgotten without need")
	}
	m.put("0", -1, noon.Add(24*time.Hour))
	m.put("new", -2, noon) // it ends before all others, but it is new
	if got, until, _ := m.get("0"); got != -1 || !until.Equal(noon.Add(24*time.Hour)) {
		t.Errorf("got %d until %v: what is put again has its new value and time", got, until)
	}
	first := 0 // the number of what now ends first, a second after noon
	for i := range maxRemembered {
		if i*7919%maxRemembered == 1 {
			first = i
		}
	}
	if _, _, known := m.get(strconv.Itoa(first)); known {
		t.Error("what ended first is still known")
	}
	if got, _, _ := m.get("new"); got != -2 {
		t.Errorf("got %d for what is new", got)
	}
	if len(m.all) != maxRemembered || len(m.order) != maxRemembered {
		t.Errorf("%d by key, %d in order", len(m.all), len(m.order))
	}
}
