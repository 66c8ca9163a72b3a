package broadcast

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestIsTaskID(t *testing.T) {
	for task, want := range map[string]bool{
		"bc-261224-kfqm-0":       true,
		"bc-261224-kfqm-1999999": true,
		"bc-261224-kfqmz-17":     true, // a fifth letter, where many were made on a day
		"bc-261224-kfqm":         false,
		"bc-261224-kfqm-":        false,
		"bc-261224-kfqm-x":       false,
		"bc-261224-kfqm--1":      false,
		"bc-261224-kfqm-017":     false,
		"bc-261224-kfqm-1-2":     false,
		"bc-261224-kfq-1":        false,
		"bc-261224-kaqm-1":       false,
		"bc-261224-KFQM-1":       false,
		"bc-2612-kfqm-1":         false,
		"bc-order1-kfqm-1":       false,
		"BC-261224-kfqm-1":       false,
		"261224-kfqm-1":          false,
		"x-bc-261224-kfqm-1":     false,
		"bc-20261224-7":          false,
		"bc-7":                   false,
		"bc-":                    false,
		"":                       false,
	} {
		if got := IsTaskID(task); got != want {
			t.Errorf("%q: %v, want %v", task, got, want)
		}
	}
	now := time.Date(2026, 12, 24, 9, 0, 0, 0, time.UTC)
	for n := range 1000 {
		seen := 0
		id := newID(now, rand.Float64, func(string) bool { seen++; return seen < n%60 })
		for _, id := range []string{id, eventID(now, id)} {
			if task := taskID(id, n); !IsTaskID(task) {
				t.Fatalf("%q is the task id of a recipient", task)
			}
		}
	}
}
