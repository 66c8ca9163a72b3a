package wecom

import (
	"strings"
	"testing"
	"time"

	"bot/engine/channel"
)

func TestErrorCodes(t *testing.T) {
	for _, c := range []struct {
		code int
		want channel.Class
	}{
		{-1, channel.Transient}, {6000, channel.Transient}, {41063, channel.Transient}, {7, channel.Transient},
		{45009, channel.Throttled}, {45033, channel.Throttled}, {41094, channel.Throttled}, {45035, channel.Throttled},
		{40001, channel.Halted}, {40013, channel.Halted}, {40056, channel.Halted}, {40091, channel.Halted},
		{40014, channel.Halted}, {41001, channel.Halted}, {42001, channel.Halted}, // after a fresh token
		{43009, channel.Halted}, {43012, channel.Halted}, {45024, channel.Halted}, {48001, channel.Halted},
		{48002, channel.Halted}, {48006, channel.Halted}, {50001, channel.Halted}, {50003, channel.Halted},
		{60020, channel.Halted}, {93000, channel.Halted}, {93004, channel.Halted}, {93008, channel.Halted},
		{95011, channel.Halted}, {95017, channel.Halted}, {301002, channel.Halted}, {301007, channel.Halted},
		{301042, channel.Halted}, {2000002, channel.Halted},
		// One recipient's, one text's, one customer-service account's.
		{40003, channel.Permanent}, {60021, channel.Permanent}, {81013, channel.Permanent}, {84061, channel.Permanent},
		{86008, channel.Permanent}, {95000, channel.Permanent}, {48007, channel.Permanent}, {84074, channel.Permanent},
		{40007, channel.Permanent}, {44004, channel.Permanent}, {45002, channel.Permanent}, {45008, channel.Permanent},
		{45034, channel.Permanent}, {82004, channel.Permanent}, {95001, channel.Permanent}, {95002, channel.Permanent},
		{95018, channel.Permanent}, {60140, channel.Permanent}, {41050, channel.Permanent}, {846608, channel.Permanent},
		{99999, channel.Permanent},
	} {
		r := appRig(t)
		r.says("message/send", refuses(c.code, "as it is"))
		e := failed(t, r.sender(t), says("t-1", "lina", "a"), c.want)
		if !strings.Contains(e.Note, "from ip: 203.0.113.7") {
			t.Errorf("%d: the note lost the platform's words: %s", c.code, e.Note)
		}
		if (e.Class == channel.Throttled) == e.Until.IsZero() {
			t.Errorf("%d: %s until %v", c.code, e.Class, e.Until)
		}
	}
}

// The operator learns from the note which address to allow.
func TestTheAddressToAllowIsNoted(t *testing.T) {
	r := appRig(t)
	r.says("message/send", refuses(60020, "not allow to access from your ip"))
	e := failed(t, r.sender(t), says("t-1", "lina", "a"), channel.Halted)
	for _, want := range []string{"60020", "from ip: 203.0.113.7", "trusted IPs"} {
		if !strings.Contains(e.Note, want) {
			t.Errorf("no %q in the note %q", want, e.Note)
		}
	}
}

func TestNotesPreferThePlatformsWords(t *testing.T) {
	long := strings.Repeat("界", 150)
	for _, c := range []struct{ name, errmsg, hint, want string }{
		{"all of it", "no", "yes", "1 no; yes"},
		{"no hint", "no", "", "1 no"},
		{"the link goes first", long + ", more info at https://example.com/a/very/long/link/to/somewhere/else", "yes", "1 " + long + "; yes"},
		{"then the hint", long, strings.Repeat("h", 60), "1 " + long},
	} {
		if got := wording(1, c.errmsg, c.hint); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestALimitIsWaitedOutForAMinuteAndThenForAnHour(t *testing.T) {
	r := appRig(t)
	s := r.sender(t)
	sent(t, s, says("t-0", "lina", "a"))
	r.blocked(refuses(45009, "api freq out of limit"), 90*time.Second)
	c := says("t-1", "lina", "a")
	wantUntil := func(want time.Duration) {
		t.Helper()
		if e := failed(t, s, c, channel.Throttled); !e.Until.Equal(noon.Add(want)) {
			t.Errorf("until %v, want %v", e.Until.Sub(noon), want)
		}
	}
	wantUntil(time.Minute)
	r.clock.pass(30 * time.Second)
	wantUntil(time.Minute) // it was under way
	r.clock.pass(30 * time.Second)
	wantUntil(time.Minute + time.Hour)
	r.clock.pass(time.Hour)
	sent(t, s, c)
	r.blocked(refuses(45009, "api freq out of limit"), time.Second)
	wantUntil(time.Hour + 2*time.Minute)
}

func TestTooManyAtOnceWaitForASecondOrTwo(t *testing.T) {
	r := appRig(t)
	r.says("message/send", refuses(45033, "api concurrent out of limit"))
	e := failed(t, r.sender(t), says("t-1", "lina", "a"), channel.Throttled)
	if d := e.Until.Sub(noon); d < time.Second || d >= 2*time.Second {
		t.Errorf("a wait of %v", d)
	}
}

// A code of the limits' family that nobody has documented is waited for, but
// not for ever.
func TestAnUnknownLimitIsGivenUpAfterThreeWaits(t *testing.T) {
	r := appRig(t)
	r.says("message/send", refuses(45035, "who knows"))
	s := r.sender(t)
	for range 3 {
		e := failed(t, s, says("t-1", "lina", "a"), channel.Throttled)
		r.clock.pass(e.Until.Sub(r.clock.now()))
	}
	failed(t, s, says("t-1", "lina", "a"), channel.Permanent)
}

func TestAnswersThatSayNothing(t *testing.T) {
	for name, answer := range map[string]string{
		"no errcode": `{"status":"ok"}`, "a list": `[]`, "a word": `ok`, "errcode of a word": `{"errcode":"ok"}`, "an empty proof": `{"msgid":""}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := appRig(t)
			r.says("message/send", answer)
			failed(t, r.sender(t), says("t-1", "lina", "a"), channel.Unsure)
		})
	}
	r := appRig(t)
	for _, answer := range []string{`{"msgid":"m-1"}`, `{"errcode":"0","msgid":"m-1"}`} { // seen to be left out on success
		r.says("message/send", answer)
		if note := sent(t, r.sender(t), says("t-1", "lina", "a")); note != `{"msgid":"m-1"}` {
			t.Errorf("%s: noted %q", answer, note)
		}
	}
}
