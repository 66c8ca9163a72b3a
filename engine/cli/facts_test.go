package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// tries is what was tried, as the engine tells it.
const tries = `[{"time":"2026-12-03T01:30:00Z","class":"transient","status":502,"note":"bad\u001b[2J gateway"},{"time":"2026-12-03T01:31:00Z"}]`

func TestShowIsForPeopleUnlessJSONIsAskedFor(t *testing.T) {
	for _, tt := range []struct{ args, path, answer, want string }{
		{"commands show t1", "/api/v1/commands/t1", `{"task_id":"t1","state":"waiting","reason":"quota","attempts":` + tries + `}`, `
command  t1
state    waiting
reason   quota

TRIED                      OUTCOME    STATUS  NOTE
2026-12-03T09:30:00+08:00  transient  502     bad [2J gateway
2026-12-03T09:31:00+08:00  under way  -       -
`},
		{"commands show t1", "/api/v1/commands/t1", `{"task_id":"t1","state":"cancelled","reason":"","attempts":[]}`, `
command  t1
state    cancelled
`},
		{"dead show 7", "/api/v1/dead/7", `{"id":7,"what":"command","account":"shop","conversation":"u1","task_id":"t1","event_id":"e1","action":"send_text",
			"skill":"echo","text":"two\nlines","attempts":2,"error":"permanent: no friend","time":"2026-12-03T01:32:00Z"}`, `
dead letter   7
what          command send_text
account       shop
conversation  u1
text          two lines
skill         echo
task          t1
event         e1
given up      2026-12-03T09:32:00+08:00
attempts      2
error         permanent: no friend
`},
		{"dead show 8", "/api/v1/dead/8", `{"id":8,"what":"event","account":"shop","conversation":"u1","kind":"message","msg_id":"m1","event_id":"e1",
			"attempts":5,"error":"timeout","time":"2026-12-03T01:32:00Z"}`, `
dead letter   8
what          event message
account       shop
conversation  u1
event         e1
message       m1
given up      2026-12-03T09:32:00+08:00
attempts      5
error         timeout
`},
		{"broadcast show b1", "/api/v1/broadcasts/b1", `{"id":"b1","name":"sale","account":"shop","action":"add_member","params":{"room_id":"r"},"rate":"10/s",
			"audience":"file","recipients":120,"duplicates":2,"state":"running","by":"command line","created":"2026-12-03T01:00:00Z","started":"2026-12-03T01:01:00Z",
			"sent":17,"dead":1,"skipped":3,"skipped_for":{"unsubscribed":1,"blocked":2},"waiting":4,"left":95,"eta":"2026-12-03T01:10:00Z",
			"estimate":{"text":"10 s at 10/s"}}`, `
broadcast    b1
name         sale
account      shop
action       add_member
params       {"room_id":"r"}
to           120 recipients (2 named more than once): file
rate         10/s
state        running
results      17 sent, 1 dead, 3 skipped, 0 in doubt, 0 unconfirmed, 4 waiting, 95 left, 0 ended by hand
skipped for  blocked (2), unsubscribed (1)
the rest     10 s at 10/s
done about   2026-12-03T09:10:00+08:00
created      2026-12-03T09:00:00+08:00 by command line
started      2026-12-03T09:01:00+08:00
`},
	} {
		t.Run(tt.args, func(t *testing.T) {
			answers := map[string]string{tt.path: tt.answer}
			code, out, complaints := asked(t, "", answers, strings.Fields(tt.args)...)
			if want := strings.TrimPrefix(tt.want, "\n"); code != exitOK || out != want {
				t.Errorf("exit %d, %s, prints\n%s\nwant\n%s", code, complaints, out, want)
			}
			code, out, _ = asked(t, "", answers, append(strings.Fields(tt.args), "-json")...)
			if code != exitOK || !json.Valid([]byte(out)) {
				t.Errorf("exit %d, programs read %q", code, out)
			}
		})
	}
}

func TestSeveralThingsAreShownOneAfterTheOther(t *testing.T) {
	answers := map[string]string{
		"/api/v1/commands/a": `{"task_id":"a","state":"sent"}`,
		"/api/v1/commands/b": `{"task_id":"b","state":"dead"}`,
	}
	_, out, _ := asked(t, "", answers, "commands", "show", "a", "b")
	if want := "command  a\nstate    sent\n\ncommand  b\nstate    dead\n"; out != want {
		t.Errorf("prints %q, want %q", out, want)
	}
}
