package app

import "testing"

func TestTheConsoleIsOpenedWhereItsListenerReallyIs(t *testing.T) {
	for listens, want := range map[string]string{
		"127.0.0.1:8081": "http://127.0.0.1:8081/", "[::]:9000": "http://127.0.0.1:9000/", "0.0.0.0:80": "http://127.0.0.1:80/",
		"10.1.2.3:8081": "http://10.1.2.3:8081/", "[::1]:8081": "http://[::1]:8081/",
	} {
		if got := consoleAt(listens); got != want {
			t.Errorf("%s: %s, want %s", listens, got, want)
		}
	}
}

func TestWhatSkillsKeepIsMasked(t *testing.T) {
	for value, want := range map[string]string{"": "", "12": "••••", "1234": "••••", "12345": "••••45", "13800001234": "••••34", "上海市人民广场": "••••广场"} {
		if got := masked(value); got != want {
			t.Errorf("%q is shown as %q, want %q", value, got, want)
		}
	}
}
