package systemd

import (
	"slices"
	"strings"
	"testing"
)

func environment(vars map[string]string) Getenv {
	return func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
}

func TestSocketsThatAreMeantForThisProcessAreTakenByTheirNames(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		want []string
		err  string
	}{
		"a start by hand passes none":            {env: nil},
		"those of a parent are left alone":       {env: map[string]string{"LISTEN_PID": "6", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "callback"}},
		"a number without a process is nobody's": {env: map[string]string{"LISTEN_FDS": "1", "LISTEN_FDNAMES": "callback"}},
		"none is none":                           {env: map[string]string{"LISTEN_PID": "7", "LISTEN_FDS": "0", "LISTEN_FDNAMES": ""}},
		"two, in their order": {
			env:  map[string]string{"LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "callback:admin"},
			want: []string{"callback", "admin"},
		},
		"without names nobody knows which is which": {
			env: map[string]string{"LISTEN_PID": "7", "LISTEN_FDS": "2"}, err: "FileDescriptorName=",
		},
		"one name for two": {
			env: map[string]string{"LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "bot:bot"}, err: `two sockets named "bot"`,
		},
		"what is no number": {
			env: map[string]string{"LISTEN_PID": "7", "LISTEN_FDS": "two"}, err: `LISTEN_FDS is "two"`,
		},
		"more than anybody has": {
			env: map[string]string{"LISTEN_PID": "7", "LISTEN_FDS": "65"}, err: "at most 64",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := passed(environment(c.env), 7)
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Fatalf("error %v, want %q", err, c.err)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func FuzzPassed(f *testing.F) {
	f.Add("2", "callback:admin")
	f.Add("-1", "")
	f.Add("999999999999999999999", ":::")
	f.Fuzz(func(t *testing.T, count, list string) {
		names, err := passed(environment(map[string]string{"LISTEN_PID": "7", "LISTEN_FDS": count, "LISTEN_FDNAMES": list}), 7)
		if err != nil && names != nil || len(names) > mostSockets {
			t.Errorf("%q and %q: %q, %v", count, list, names, err)
		}
		if names != nil && strings.Join(names, ":") != list {
			t.Errorf("%q became %q", list, names)
		}
	})
}
