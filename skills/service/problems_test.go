package service_test

import (
	"strings"
	"testing"

	"bot/skills"
	"bot/skills/skilltest"
)

func TestProblems(t *testing.T) {
	const url = "url = 'https://erp.example.com/x'\n"
	for _, tt := range []struct {
		name, toml string
		want       []string // of the file, whose fifth line is the first of toml
	}{
		{"a good table", url + "reply = 'ok'", nil},
		{"no address", "reply = 'ok'", []string{`4:8: skill "s": http needs the address to call (url = "https://`}},
		{"an empty address", "url = ' '", []string{`5:7: skill "s": http needs the address to call`}},
		{"no scheme", "url = 'erp.example.com/x'", []string{`5:7: skill "s": an address begins with http:// or https://`}},
		{"another scheme", "url = 'ftp://erp.example.com/x'", []string{`5:7: skill "s": an address begins with http:// or https://`}},
		{"a scheme that is a template", "url = '{{.Text}}://erp.example.com/x'", []string{`5:7: skill "s": an address begins with http:// or https://`}},
		{"no host", "url = 'https:///x'", []string{`5:7: skill "s": the address has no good host`}},
		{"a port beyond all", "url = 'https://erp.example.com:99999/'", []string{`5:7: skill "s": the address has no good host`}},
		{"a bad port", "url = 'https://erp.example.com:x/'", []string{`5:7: skill "s": the address has no good host`}},
		{"a user in it", "url = 'https://u:hush@erp.example.com/'", []string{`5:7: skill "s": a name and a password have no place in an address (headers =`}},
		{"a user that is a template", "url = 'https://{{.Text}}@erp.example.com/'", []string{`5:7: skill "s": a name and a password have no place`}},
		{"a fragment", "url = 'https://erp.example.com/#x'", []string{`5:7: skill "s": what stands behind a # is never sent (leave it out, or write %23)`}},
		{"two lines", "url = \"https://erp.example.com/\\nx\"", []string{`5:7: skill "s": an address is one line`}},
		{"a host that a value could change", "url = 'https://erp.example.com{{.Text}}'", []string{`5:7: skill "s": a value could change the host`}},
		{"a host that is a template", "url = 'https://{{.Text}}/x'", []string{`5:7: skill "s": a value could change the host: write it out with a / behind it, or say which there are (allow = ["*.example.com"])`}},
		{"a list of all hosts", "url = 'https://{{.Text}}/x'\nallow = ['*', '*.com', '10.0.0.1', 'https://a.example.com', 'a.example.com:80', 'a.example.com']", []string{
			`6:10: skill "s": allow lists names of hosts`, `6:15: skill "s": allow lists names of hosts`, `6:24: skill "s": allow lists names of hosts`,
			`6:36: skill "s": allow lists names of hosts`, `6:61: skill "s": allow lists names of hosts`}},
		{"a list for a host that is written out", url + "allow = ['*.example.com']", []string{`6:9: skill "s": allow is for a host that is a template`}},
		{"an unknown field", "url = 'https://erp.example.com/{{.Usr}}'", []string{`5:7: skill "s": bad template: there is no .Usr (did you mean "User"?)`}},
		{"a group that is not there", "url = 'https://erp.example.com/{{index .Match 2}}'", []string{`5:7: skill "s": bad template: there is no group 2 in .Match`}},
		{"an answer before there is one", "url = 'https://erp.example.com/{{.Response.id}}'", []string{`5:7: skill "s": bad template: there is no .Response here`}},
		{"urlquery inside", `url = 'https://erp.example.com/{{printf "%s" (urlquery .Text)}}'`, []string{`5:7: skill "s": bad template: urlquery stands at the end of its {{…}} here`}},
		{"a bad method", url + "method = 'FETCH'", []string{`6:10: skill "s": unknown method "FETCH" (GET, HEAD, POST, PUT, PATCH, DELETE)`}},
		{"an empty method", url + "method = ''", []string{`6:10: skill "s": unknown method ""`}},
		{"a method in small letters", url + "method = 'post'", nil},
		{"a method that sends nothing", url + "method = 'GET'\njson = {a = 'b'}", []string{`6:10: skill "s": GET sends nothing along (method = "POST", or leave out json)`}},
		{"two bodies", url + "body = 'x'\njson = {a = 'b'}", []string{`7:8: skill "s": a request sends one thing: this one has both body and json`}},
		{"a body and a form", url + "body = 'x'\nform = {a = 'b'}", []string{`7:8: skill "s": a request sends one thing: this one has both body and form`}},
		{"values in JSON that is a text", url + `body = '{"a":"{{.Text}}"}'`, []string{`6:8: skill "s": a value could break out of JSON that is written as a text (json = {user = "{{.User}}"} puts it in safely)`}},
		{"the same by its header", url + "body = 'x{{.Text}}'\nheaders = {content-type = 'application/json'}", []string{`6:8: skill "s": a value could break out of JSON`}},
		{"values in a form that is a text", url + "body = 'a={{.Text}}'\nheaders = {Content-Type = 'application/x-www-form-urlencoded'}", []string{`6:8: skill "s": a value could break out of a form`}},
		{"json that is a text", url + "json = '{}'", []string{`6:8: skill "s": json is a table or a list`}},
		{"json with a date", url + "json = {a = 2026-01-01}", []string{`6:13: skill "s": JSON has texts, numbers`}},
		{"json with no number", url + "json = {a = [nan]}", []string{`6:14: skill "s": JSON has texts, numbers`}},
		{"a bad template in json", url + "json = {a = {b = ['{{.Foo}}']}}", []string{`6:19: skill "s": bad template: there is no .Foo`}},
		{"a bad template in a form", url + "form = {a = '{{.Foo}}'}", []string{`6:13: skill "s": bad template: there is no .Foo`}},
		{"a bad template in a header", url + "headers = {X-A = '{{.Foo}}'}", []string{`6:18: skill "s": bad template: there is no .Foo`}},
		{"a header of two lines", url + "headers = {X-A = \"a\\r\\nb\"}", []string{`6:18: skill "s": a header is one line`}},
		{"a header with a bad name", url + "headers = {'X A' = 'b'}", []string{`6:11: skill "s": "X A" is not a name for a header`}},
		{"a header that is the engine's", url + "headers = {idempotency-key = 'b'}", []string{`6:30: skill "s": Idempotency-Key is not to be set: every request that is not GET or HEAD carries one`}},
		{"the host as a header", url + "headers = {Host = 'b'}", []string{`6:19: skill "s": Host is not to be set: the host is the one in url`}},
		{"a header twice", url + "headers = {X-A = 'b', x-a = 'c'}", []string{`6:29: skill "s": x-a is the same header as X-A`}},
		{"no time", url + "timeout = '0s'", []string{`6:11: skill "s": timeout is the time of one attempt, above zero and up to 30s`}},
		{"too much time", url + "timeout = '31s'", []string{`6:11: skill "s": timeout is the time of one attempt`}},
		{"too many retries", url + "retries = 11", []string{`6:11: skill "s": retries is a number from 0 to 10, not 11`}},
		{"fewer than none", url + "retries = -1", []string{`6:11: skill "s": retries is a number from 0 to 10, not -1`}},
		{"no answer to be read", url + "max_response = '0'", []string{`6:16: skill "s": max_response is above zero and up to 16MiB`}},
		{"too long an answer", url + "max_response = '1GiB'", []string{`6:16: skill "s": max_response is above zero`}},
		{"a status that is none", url + "replies = {'404' = 'a', '4x' = 'b', '2xx' = 'c', '600' = 'd', '5XX' = 'e'}", []string{
			`6:32: skill "s": "4x" is no status: replies are by a number ("404") or by a class of them`, `6:45: skill "s": "2xx" is no status`, `6:58: skill "s": "600" is no status`, `6:71: skill "s": "5XX" is no status`}},
		{"a bad template in a reply", url + "reply = '{{.Foo}}'", []string{`6:9: skill "s": bad template: there is no .Foo`}},
		{"a bad template in replies", url + "replies = {'404' = '{{.Foo}}'}", []string{`6:20: skill "s": bad template: there is no .Foo`}},
		{"an answer in the fallback", url + "fallback = '{{.Response.a}}'", []string{`6:12: skill "s": bad template: there is no .Response here`}},
		{"certificates that are not checked", url + "insecure = true", []string{`6:1: skill "s": http: unknown key "insecure"`}},
		{"a slip", url + "header = {A = 'b'}", []string{`6:1: skill "s": http: unknown key "header" (did you mean "headers"?)`}},
		{"several at once", "url = 'ftp://x'\nretries = 99\nreply = '{{.Foo}}'", []string{`5:7: skill "s": an address`, `6:11: skill "s": retries`, `7:9: skill "s": bad template`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			toml := "[[skill]]\nname = \"s\"\npatterns = ['^say (.+)$']\n[skill.http]\n" + tt.toml
			_, err := skills.Build(skilltest.Parse(t, toml).Sections, skills.Options{Accounts: []string{"shop"}})
			got := skilltest.Problems(err)
			if len(got) != len(tt.want) {
				t.Fatalf("problems %q, want %q", got, tt.want)
			}
			for i := range got {
				if !strings.HasPrefix(got[i], "bot.toml:"+tt.want[i]) || strings.Contains(got[i], "hush") {
					t.Errorf("problem %q, want %q", got[i], tt.want[i])
				}
			}
		})
	}
}

func TestProblemsOutsideTheTable(t *testing.T) {
	for _, tt := range []struct {
		name, toml, want string
	}{
		{"a reply beside it", "reply = 'x'\n[skill.http]\nurl = 'https://erp.example.com/'", `4:9: skill "s": the reply to what a web service answers stands in its table ([skill.http], then reply = "…")`},
		{"an action beside it", "do = 'leave_group'\n[skill.http]\nurl = 'https://erp.example.com/'", `5:8: skill "s": a skill does one thing: this one holds both do and http (write two skills)`},
		{"no table", "http = 'https://erp.example.com/'", `4:8: skill "s": http: expected a table`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := skills.Build(skilltest.Parse(t, "[[skill]]\nname = \"s\"\nkeywords = ['x']\n"+tt.toml).Sections, skills.Options{Accounts: []string{"shop"}})
			got := skilltest.Problems(err)
			if len(got) != 1 || !strings.HasPrefix(got[0], "bot.toml:"+tt.want) {
				t.Errorf("problems %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWarningsOfAGrant(t *testing.T) {
	const warning = `bot.toml:7:9: skill "s": where the service says yes and its answer lacks what this shows, the once-key is taken`
	for _, tt := range []struct{ name, once, reply, want string }{
		{"the fallback bids to try again", "once = '{{.User}}'", "reply = '{{.Response.code}}'", warning},
		{"a fallback of its own", "once = '{{.User}}'", "reply = '{{.Response.code}}'\nfallback = '已登记'", ""},
		{"a reply that gets by without", "once = '{{.User}}'", "reply = '{{.Response.code | default \"见短信\"}}'", ""},
		{"a reply of plain words", "once = '{{.User}}'", "reply = 'ok'", ""},
		{"no grant", "", "reply = '{{.Response.code}}'", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := skilltest.Parse(t, "[[skill]]\nname = 's'\nkeywords = ['x']\n"+tt.once+"\n[skill.http]\nurl = 'https://erp.example.com/x'\n"+tt.reply)
			if _, err := skills.Build(c.Sections, skills.Options{Accounts: []string{"shop"}}); err != nil {
				t.Fatal(err)
			}
			got := strings.Join(c.Warnings(), "\n")
			if tt.want == "" && got != "" || !strings.HasPrefix(got, tt.want) {
				t.Errorf("warnings %q, want %q", got, tt.want)
			}
		})
	}
}
