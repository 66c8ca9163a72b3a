package skills_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/hours"
	"bot/skills"
	"bot/skills/skilltest"
)

var shopOnly = skills.Options{
	Accounts: []string{"shop", "robot"},
	Can:      func(account string, a engine.Action) bool { return account == "shop" || a == engine.SendText },
	Hours:    map[string]hours.Times{"shop": nil, "night": nil},
}

func TestProblems(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys string // of one skill, from line 2 on
		want []string
	}{
		{"no name", "keywords = [\"x\"]\nreply = \"a\"", []string{
			`bot.toml:1:3: skill: a skill needs a name (name = "coupon")`}},
		{"no kind", "name = \"a\"\nkeywords = [\"x\"]", []string{
			`bot.toml:1:3: skill "a": nothing says what this skill does (it needs one of: step, handoff, do, relay, llm, http, reply)`}},
		{"a mistyped kind", "name = \"a\"\nkeywords = [\"x\"]\nrecply = \"a\"", []string{
			`bot.toml:4:1: skill "a": unknown key "recply" (did you mean "reply"?)`}},
		{"a kind of a name of its own", "name = \"a\"\nkeyword = [\"x\"]\nanswer = \"x\"", []string{
			`bot.toml:1:3: skill "a": nothing says what this skill does (it needs one of: step, handoff, do, relay, llm, http, reply)`,
			`bot.toml:3:1: skill "a": unknown key "keyword" (did you mean "keywords"?)`,
			`bot.toml:4:1: skill "a": unknown key "answer"`}},
		{"a kind below a test", "name = \"a\"\nkeywords = [\"x\"]\n[[skill.test]]\nsend = [\"x\"]\nexpect = [\"a\"]\nreply = \"a\"", []string{
			`bot.toml:1:3: skill "a": nothing says what this skill does`,
			`bot.toml:7:1: skill "a": test 1: unknown key "reply" (it belongs to [[skill]], above [[skill.test]])`}},
		{"a key of a form below a test", "name = \"a\"\n[[skill.test]]\ndone = \"a\"\n", []string{
			`bot.toml:1:3: skill "a": nothing says what this skill does`,
			`bot.toml:4:1: skill "a": test 1: unknown key "done" (it belongs to [[skill]], above [[skill.test]])`}},
		{"a place in Chinese", "name = \"a\"\nkeywords = [\"x\"]\nwhere = \"群\"\nreply = \"a\"", []string{
			`bot.toml:4:9: skill "a": unknown where "群" (write "group")`}},
		{"a keyword that is no text is no empty one", "name = \"a\"\nkeywords = [\"x\", 12]\nreply = \"a\"", []string{
			`bot.toml:3:18: skill "a": keywords 2: expected a string, found the integer 12 (write "12")`}},
		{"nor is a pattern that is no text", "name = \"a\"\npatterns = ['x', 12]\nreply = \"a\"", []string{
			`bot.toml:3:18: skill "a": patterns 2: expected a string, found the integer 12`}},
		{"nor is a word of a form", "name = \"a\"\nkeywords = [\"x\"]\ncancel = [12]\nstep = [{save = \"a\", ask = \"b\"}]", []string{
			`bot.toml:4:11: skill "a": cancel 1: expected a string, found the integer 12`}},
		{"a bad pattern says nothing of its groups", "name = \"a\"\npatterns = ['a(']\nreply = \"{{index .Match 1}}\"", []string{
			`bot.toml:3:13: skill "a": bad pattern: `}},
		{"nor do missing patterns", "name = \"a\"\nmatch = \"regex\"\nreply = \"{{index .Match 3}}\"", []string{
			`bot.toml:3:9: skill "a": match = "regex" needs patterns`}},
		{"nor does a list of them that is none", "name = \"a\"\npatterns = \"x\"\nreply = \"{{index .Match 1}}\"", []string{
			`bot.toml:3:12: skill "a": patterns: expected a list of strings`}},
		{"nor does a skill without a rule", "name = \"a\"\nreply = \"{{index .Match 1}}\"", []string{
			`bot.toml:1:3: skill "a": a skill that answers messages needs keywords, patterns or match = "any"`}},
		{"what a form saves is listed once", "name = \"a\"\nkeywords = [\"x\"]\ndone = \"{{.Data.x}}\"\nstep = [{save = \"\", ask = \"b\"}, {save = \"phone\", ask = \"b\"}, {save = \"phone\", ask = \"b\"}]", []string{
			`bot.toml:4:8: skill "a": bad template: no step saves "x", so there is no .Data.x (known: phone)`,
			`bot.toml:5:17: skill "a": save names the answer`,
			`bot.toml:5:70: skill "a": "phone" is already saved by the step at bot.toml:5`}},
		{"a test in single brackets", "name = \"a\"\nmatch = \"any\"\nreply = \"a\"\n[skill.test]\nsend = [\"x\"]\nexpect = [\"a\"]", []string{
			`bot.toml:5:8: skill "a": [skill.test] is a single table, but there may be many (write [[skill.test]])`}},
		{"a test in single brackets that lacks its end", "name = \"a\"\nmatch = \"any\"\nreply = \"a\"\n[skill.test]\nsend = [\"x\"]", []string{
			`bot.toml:5:8: skill "a": [skill.test] is a single table, but there may be many (write [[skill.test]])`}},
		{"two kinds", "name = \"a\"\nkeywords = [\"x\"]\nreply = \"a\"\ndo = \"accept_friend\"", []string{
			`bot.toml:4:9: skill "a": a skill does one thing: this one holds both do and reply (write two skills)`}},
		{"an unknown event", "name = \"a\"\non = \"friend_aded\"\nreply = \"a\"", []string{
			`bot.toml:3:6: skill "a": unknown on "friend_aded" (did you mean "friend_added"?)`}},
		{"an event in its short name", "name = \"a\"\non = \"member_joind\"\nreply = \"a\"", []string{
			`bot.toml:3:6: skill "a": unknown on "member_joind" (did you mean "member_joined"?)`}},
		{"an event that is like no other", "name = \"a\"\non = \"anniversary\"\nreply = \"a\"", []string{
			`bot.toml:3:6: skill "a": unknown on "anniversary" (docs/skills.md lists all)`}},
		{"conversations that are none", "name = \"a\"\nkeywords = [\"x\"]\nin = []\nreply = \"a\"", []string{
			`bot.toml:4:6: skill "a": in is empty: it names conversations by their ids`}},
		{"and none to leave out", "name = \"a\"\nkeywords = [\"x\"]\nnot_in = []\nreply = \"a\"", []string{
			`bot.toml:4:10: skill "a": not_in is empty`}},
		{"an empty id", "name = \"a\"\nkeywords = [\"x\"]\nnot_in = [\"r1\", \" \"]\nreply = \"a\"", []string{
			`bot.toml:4:17: skill "a": an empty id names no conversation`}},
		{"conversations to answer in and not to", "name = \"a\"\nkeywords = [\"x\"]\nin = [\"r1\"]\nnot_in = [\"r2\"]\nreply = \"a\"", []string{
			`bot.toml:5:10: skill "a": in says where a skill answers, and nowhere else`}},
		{"an unknown place", "name = \"a\"\nkeywords = [\"x\"]\nwhere = \"groups\"\nreply = \"a\"", []string{
			`bot.toml:4:9: skill "a": unknown where "groups" (did you mean "group"?)`}},
		{"an unknown scope", "name = \"a\"\nkeywords = [\"x\"]\nscope = \"user\"\nreply = \"a\"", []string{
			`bot.toml:4:9: skill "a": unknown scope "user" (known: sender, conversation)`}},
		{"an unknown mode", "name = \"a\"\nkeywords = [\"x\"]\nmatch = \"contain\"\nreply = \"a\"", []string{
			`bot.toml:4:9: skill "a": unknown match "contain" (did you mean "contains"?)`}},
		{"nothing to match", "name = \"a\"\nreply = \"a\"", []string{
			`bot.toml:1:3: skill "a": a skill that answers messages needs keywords, patterns or match = "any"`}},
		{"an empty keyword", "name = \"a\"\nkeywords = [\"x\", \"\"]\nreply = \"a\"", []string{
			`bot.toml:3:18: skill "a": an empty keyword would match everything (write match = "any" for what nothing else matched)`}},
		{"a keyword of which nothing is left", "name = \"a\"\nkeywords = [\"。\"]\nmatch = \"exact\"\nreply = \"a\"", []string{
			`bot.toml:3:13: skill "a": nothing is left of keyword "。"`}},
		{"a pattern that matches everything", "name = \"a\"\npatterns = ['a', '.*']\nreply = \"a\"", []string{
			`bot.toml:3:18: skill "a": pattern ".*" matches the empty string`}},
		{"a pattern that does not compile", "name = \"a\"\npatterns = ['a(']\nreply = \"a\"", []string{
			`bot.toml:3:13: skill "a": bad pattern: error parsing regexp: missing closing )`}},
		{"regex without patterns", "name = \"a\"\nmatch = \"regex\"\nreply = \"a\"", []string{
			`bot.toml:3:9: skill "a": match = "regex" needs patterns`}},
		{"regex with keywords", "name = \"a\"\nmatch = \"regex\"\nkeywords = [\"x\"]\nreply = \"a\"", []string{
			`bot.toml:4:12: skill "a": match = "regex" reads patterns, not keywords`}},
		{"any with keywords", "name = \"a\"\nmatch = \"any\"\nkeywords = [\"x\"]\nreply = \"a\"", []string{
			`bot.toml:3:9: skill "a": match = "any" answers what nothing else matched`}},
		{"an unknown account", "name = \"a\"\naccounts = [\"shop\", \"robbot\"]\nkeywords = [\"x\"]\nreply = \"a\"", []string{
			`bot.toml:3:21: skill "a": there is no account "robbot" (did you mean "robot"?)`}},
		{"concurrency below zero", "name = \"a\"\nconcurrency = -1\nkeywords = [\"x\"]\nreply = \"a\"", []string{
			`bot.toml:3:15: skill "a": concurrency cannot be below zero`}},
		{"a platform that lacks the action", "name = \"a\"\naccounts = [\"robot\"]\nkeywords = [\"x\"]\nreply = [{text = \"a\"}, {file = \"f\"}]", []string{
			`bot.toml:5:32: skill "a": the platform of account "robot" cannot send_file`}},
		{"an unknown key", "name = \"a\"\nkeyword = [\"x\"]\nmatch = \"any\"\nreply = \"a\"", []string{
			`bot.toml:3:1: skill "a": unknown key "keyword" (did you mean "keywords"?)`}},
		{"keywords of a wrong type are reported once", "name = \"a\"\nkeywords = \"x\"\nreply = \"a\"", []string{
			`bot.toml:3:12: skill "a": keywords: expected a list of strings, found the string "x"`}},
		{"any_of beside keywords", "name = \"a\"\nkeywords = [\"x\"]\nany_of = [\"y\"]\nreply = \"a\"", []string{
			`bot.toml:4:10: skill "a": any_of beside keywords: one word of either would do`}},
		{"any_of in another mode", "name = \"a\"\nmatch = \"exact\"\nany_of = [\"y\"]\nreply = \"a\"", []string{
			`bot.toml:4:10: skill "a": any_of is for words that are contained (leave match = "exact" out`}},
		{"all_of what nothing else matched", "name = \"a\"\nmatch = \"any\"\nall_of = [\"y\"]\nreply = \"a\"", []string{
			`bot.toml:3:9: skill "a": match = "any" answers what nothing else matched and takes no keywords or patterns`}},
		{"lists of no words", "name = \"a\"\nkeywords = [\"x\"]\nall_of = []\nnot = []\nreply = \"a\"", []string{
			`bot.toml:4:10: skill "a": all_of is empty: it names words (all_of = ["发票"]), or is left out`,
			`bot.toml:5:7: skill "a": not is empty`}},
		{"words of nothing", "name = \"a\"\nall_of = [\"x\", \"\"]\nnot = [\" \"]\nreply = \"a\"", []string{
			`bot.toml:3:16: skill "a": an empty word is in every message and asks for nothing`,
			`bot.toml:4:8: skill "a": an empty word is in every message, so this skill would never answer`}},
		{"words that are no text", "name = \"a\"\nall_of = [\"x\", 12]\nreply = \"a\"", []string{
			`bot.toml:3:16: skill "a": all_of 2: expected a string, found the integer 12`}},
		{"not alone", "name = \"a\"\nnot = [\"x\"]\nreply = \"a\"", []string{
			`bot.toml:1:3: skill "a": a skill that answers messages needs keywords, patterns or match = "any"`}},
		{"not what all_of asks for", "name = \"a\"\nall_of = [\"开发票\"]\nnot = [\"发票\"]\nreply = \"a\"", []string{
			`bot.toml:4:8: skill "a": whatever holds "开发票" (all_of) holds "发票": this skill never answers`}},
		{"not what every keyword holds", "name = \"a\"\nkeywords = [\"退款\", \"退货\"]\nnot = [\"退\"]\nreply = \"a\"", []string{
			`bot.toml:1:3: skill "a": no keyword of this skill can ever fit, because of its all_of and not`}},
		{"all_of what is not in the whole message", "name = \"a\"\nkeywords = [\"发票\"]\nmatch = \"exact\"\nall_of = [\"开\"]\nreply = \"a\"", []string{
			`bot.toml:1:3: skill "a": no keyword of this skill can ever fit`}},
		{"hours that are none", "name = \"a\"\nkeywords = [\"x\"]\nhours = \"shopp\"\nreply = \"a\"", []string{
			`bot.toml:4:9: skill "a": there are no hours "shopp" in [hours] (did you mean "shop"?)`}},
		{"hours without a name", "name = \"a\"\nkeywords = [\"x\"]\nhours = \"!\"\nreply = \"a\"", []string{
			`bot.toml:4:9: skill "a": hours names one of [hours], with ! for outside of it`}},
		{"a test that expects nothing", "name = \"a\"\nmatch = \"any\"\nreply = \"a\"\n[[skill.test]]\nsend = [\"x\"]", []string{
			`bot.toml:5:9: skill "a": a test needs both send and expect`}},
		{"all at once", "name = \"a\"\nwhere = \"x\"\npatterns = ['(']\nreply = \"{{.Foo}}\"", []string{
			`bot.toml:3:9: skill "a": unknown where "x"`,
			`bot.toml:4:13: skill "a": bad pattern`,
			`bot.toml:5:9: skill "a": bad template: there is no .Foo`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set, err := skills.Build(skilltest.Parse(t, "[[skill]]\n"+tt.keys).Sections, shopOnly)
			if set != nil {
				t.Error("a set was built of it")
			}
			compare(t, skilltest.Problems(err), tt.want)
		})
	}
}

// compare wants the lines to begin as given.
func compare(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTwoSkillsOfOneName(t *testing.T) {
	_, err := skills.Build(skilltest.Parse(t, replies(`a: keywords = ["x"]`, `b: keywords = ["y"]`, `a: keywords = ["z"]`)).Sections, shopOnly)
	compare(t, skilltest.Problems(err), []string{`bot.toml:10:8: skill "a": the name "a" is taken by the skill at bot.toml:2`})
}

func TestOneBadPatternAmongFifty(t *testing.T) {
	var tables []string
	for i := range 50 {
		pattern := "^" + strings.Repeat("a", i+1) + "$"
		if i == 30 {
			pattern = "("
		}
		tables = append(tables, "s"+strings.Repeat("i", i)+": patterns = ['"+pattern+"']")
	}
	_, err := skills.Build(skilltest.Parse(t, replies(tables...)).Sections, shopOnly)
	compare(t, skilltest.Problems(err), []string{"bot.toml:124:13: "})
}

func TestWarnings(t *testing.T) {
	for _, tt := range []struct {
		name   string
		skills []string
		want   []string
	}{
		{"the same keyword, in another width", []string{`a: keywords = ["0627"]`, `b: keywords = ["x", "０６２７"]`},
			[]string{`bot.toml:8:18: skill "b": keyword ０６２７ never gets to this skill: "a" at bot.toml:1 has the same rule and comes first`}},
		{"the same pattern", []string{`a: patterns = ["x+"]`, `b: patterns = ["x+"]`},
			[]string{`bot.toml:8:13: skill "b": pattern x+ never gets to this skill`}},
		{"two that take the rest", []string{`a: match = "any"`, `b: match = "any"`},
			[]string{`bot.toml:5:3: skill "b": this skill never answers: "a" at bot.toml:1`}},
		{"two for every new friend", []string{`a: on = "friend_added"`, `b: on = "friend_added"`},
			[]string{`bot.toml:5:3: skill "b": this skill never answers: "a" at bot.toml:1`}},
		{"three with one keyword: each later one is told", []string{`a: keywords = ["x"]`, `b: keywords = ["x"]`, `c: keywords = ["x"]`},
			[]string{`bot.toml:8:13: skill "b"`, `bot.toml:12:13: skill "c"`}},
		{"another mode", []string{`a: keywords = ["x"]`, `b: keywords = ["x"]; match = "exact"`}, nil},
		{"another priority", []string{`a: keywords = ["x"]`, `b: keywords = ["x"]; priority = 1`},
			[]string{`bot.toml:4:13: skill "a": keyword x never gets to this skill: "b" at bot.toml:5 answers whatever holds x, and its priority is 1 to 0`}},
		{"another event", []string{`a: on = "friend_added"`, `b: on = "friend_request"`}, nil},
		{"other accounts", []string{`a: keywords = ["x"]; accounts = ["shop"]`, `b: keywords = ["x"]; accounts = ["robot"]`}, nil},
		{"an account in common", []string{`a: keywords = ["x"]`, `b: keywords = ["x"]; accounts = ["robot"]`}, []string{`bot.toml:8:13: `}},
		{"other places", []string{`a: keywords = ["x"]`, `b: keywords = ["x"]; where = "group"`}, nil},
		{"a place in common", []string{`a: keywords = ["x"]; where = "any"`, `b: keywords = ["x"]; where = "group"`}, []string{`bot.toml:9:13: `}},
		{"the earlier in some conversations only", []string{`a: keywords = ["x"]; in = ["r1"]`, `b: keywords = ["x"]`}, nil},
		{"the earlier in more conversations", []string{`a: keywords = ["x"]; in = ["r1", "r2"]`, `b: keywords = ["x"]; in = ["r2"]`}, []string{`bot.toml:9:13: `}},
		{"the earlier in all conversations", []string{`a: keywords = ["x"]`, `b: keywords = ["x"]; in = ["r2"]`}, []string{`bot.toml:8:13: `}},
		{"the later where the earlier does not answer", []string{`a: keywords = ["x"]; not_in = ["r1"]`, `b: keywords = ["x"]; in = ["r1"]`}, nil},
		{"the later where the earlier answers too", []string{`a: keywords = ["x"]; not_in = ["r1"]`, `b: keywords = ["x"]; in = ["r2"]`}, []string{`bot.toml:9:13: `}},
		{"both but for the same conversations", []string{`a: keywords = ["x"]; not_in = ["r1"]`, `b: keywords = ["x"]; not_in = ["r1", "r2"]`}, []string{`bot.toml:9:13: `}},
		{"the later also answers without a mention", []string{`a: keywords = ["x"]; where = "group"`, `b: keywords = ["x"]; where = "group"; mention = false`}, nil},
		{"the earlier lets later ones run", []string{`a: keywords = ["x"]; stop = false`, `b: keywords = ["x"]`}, nil},
		{"one is disabled", []string{`a: keywords = ["x"]; enabled = false`, `b: keywords = ["x"]`}, nil},
		{"one skill says a word twice", []string{`a: keywords = ["x", "Ｘ"]`}, []string{`bot.toml:4:18: skill "a": Ｘ is x again: width, case and the like do not count`}},
		{"a shorter keyword of higher priority", []string{`a: keywords = ["券"]; priority = 1`, `b: keywords = ["优惠券", "领取"]`},
			[]string{`bot.toml:9:13: skill "b": keyword 优惠券 never gets to this skill: "a" at bot.toml:1 answers whatever holds 券, and its priority is 1 to 0`}},
		{"of which the longer is stronger at the same priority", []string{`a: keywords = ["券"]`, `b: keywords = ["优惠券"]`}, nil},
		{"and an exact one too", []string{`a: keywords = ["券"]`, `b: keywords = ["券"]; match = "exact"`}, nil},
		{"which holds in any mode", []string{`a: keywords = ["券"]; priority = 1`, `b: keywords = ["领券"]; match = "exact"`},
			[]string{`bot.toml:9:13: skill "b": keyword 领券 never gets to this skill`}},
		{"a prefix of higher priority", []string{`a: keywords = ["查"]; match = "prefix"; priority = 1`, `b: keywords = ["查单"]; match = "prefix"`, `c: keywords = ["查单"]`},
			[]string{`bot.toml:10:13: skill "b": keyword 查单 never gets to this skill: "a" at bot.toml:1 answers whatever begins with 查`}},
		{"the shorter asks for more", []string{`a: keywords = ["券"]; all_of = ["今天"]; priority = 1`, `b: keywords = ["优惠券"]`}, nil},
		{"which the longer has", []string{`a: keywords = ["券"]; all_of = ["今天"]; priority = 1`, `b: keywords = ["优惠券"]; all_of = ["今天的"]`},
			[]string{`bot.toml:10:13: skill "b": keyword 优惠券 never gets`}},
		{"the shorter does not take all", []string{`a: keywords = ["券"]; not = ["取消"]; priority = 1`, `b: keywords = ["优惠券"]`}, nil},
		{"nor does the longer", []string{`a: keywords = ["券"]; not = ["取消"]; priority = 1`, `b: keywords = ["优惠券"]; not = ["消"]`},
			[]string{`bot.toml:10:13: skill "b": keyword 优惠券 never gets`}},
		{"all_of that a keyword of higher priority covers", []string{`a: keywords = ["发票"]; priority = 1`, `b: all_of = ["开", "发票"]`},
			[]string{`bot.toml:9:10: skill "b": this skill never answers: "a" at bot.toml:1 answers whatever holds 发票`}},
		{"the same all_of", []string{`a: all_of = ["开", "发票"]`, `b: all_of = ["发票", "开"]`},
			[]string{`bot.toml:8:10: skill "b": this skill never answers: "a" at bot.toml:1 has the same rule and comes first`}},
		{"every event of higher priority", []string{`a: on = "friend_request"; priority = 1`, `b: on = "friend_request"; keywords = ["x"]`},
			[]string{`bot.toml:10:13: skill "b": keyword x never gets to this skill: "a" at bot.toml:1 answers every friend_request`}},
		{"what nothing else matched comes last whatever its priority", []string{`a: match = "any"; priority = 9`, `b: keywords = ["x"]`}, nil},
		{"within hours and outside", []string{`a: keywords = ["x"]; hours = "shop"`, `b: keywords = ["x"]; hours = "!shop"`}, nil},
		{"within hours and at any time", []string{`a: keywords = ["x"]; hours = "shop"`, `b: keywords = ["x"]`}, nil},
		{"at any time and within hours", []string{`a: keywords = ["x"]`, `b: keywords = ["x"]; hours = "shop"`}, []string{`bot.toml:8:13: `}},
		{"the earlier in one of the accounts", []string{`a: keywords = ["x"]; accounts = ["shop"]`, `b: keywords = ["x"]`}, nil},
		{"the earlier in private only", []string{`a: keywords = ["x"]`, `b: keywords = ["x"]; where = "any"`}, nil},
		{"one keyword that not shuts out", []string{`a: keywords = ["退款", "换货"]; not = ["退"]`},
			[]string{`bot.toml:4:13: skill "a": keyword 退款 never fits: it holds 退 (not)`}},
		{"a word of all_of in another", []string{`a: all_of = ["发票", "票"]`}, []string{`bot.toml:4:17: skill "a": 票 asks for nothing more: it is in 发票`}},
		{"a pattern that fits everything", []string{`a: patterns = ['.+']`, `b: patterns = ['(?s)^.']`, `c: patterns = ['^.$', 'x.+']`}, []string{
			`bot.toml:4:13: skill "a": pattern ".+" fits every text, and comes before keywords that are contained (match = "any" is for what nothing else matched)`,
			`bot.toml:8:13: skill "b": pattern "(?s)^." fits every text`}},
		{"full-width braces", []string{`a: keywords = ["x"]; once = "｛｛.User｝｝"`}, []string{`bot.toml:5:8: skill "a": full-width braces ｛｛ are sent as they are (write {{.User}} in place of ｛｛.User｝｝)`}},
		{"a grant whose key stays taken when it is called off", []string{`a: keywords = ["x"]; delay = "5m"; unless = ["message"]; once = "{{.User}}"`},
			[]string{`bot.toml:7:8: skill "a": an answer that is called off keeps its once-key`}},
		{"which words may do", []string{`a: keywords = ["x"]; delay = "5m"; unless_keywords = ["y"]; once = "{{.User}}"`},
			[]string{`bot.toml:7:8: skill "a": an answer that is called off keeps its once-key`}},
		{"members join in groups only", []string{`a: on = "member_joined"; where = "private"`}, []string{`bot.toml:5:9: skill "a": group_member_joined happens in groups only`}},
		{"friends are not added in groups", []string{`a: on = "friend_added"; where = "group"`}, []string{`bot.toml:5:9: skill "a": friend_added never happens in a group`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := skilltest.Parse(t, replies(tt.skills...))
			if _, err := skills.Build(c.Sections, shopOnly); err != nil {
				t.Fatal(err)
			}
			compare(t, c.Warnings(), tt.want)
		})
	}
}

func TestAnActionThatOnlySomeAccountsHaveIsAWarning(t *testing.T) {
	const toml = "[[skill]]\nname = \"a\"\non = \"friend_request\"\ndo = \"accept_friend\""
	c := skilltest.Parse(t, toml)
	if _, err := skills.Build(c.Sections, shopOnly); err != nil {
		t.Fatal(err)
	}
	compare(t, c.Warnings(), []string{`bot.toml:4:6: skill "a": the platform of account "robot" cannot accept_friend`})

	robotOnly := shopOnly
	robotOnly.Accounts = []string{"robot"}
	_, err := skills.Build(skilltest.Parse(t, toml).Sections, robotOnly)
	compare(t, skilltest.Problems(err), []string{`bot.toml:4:6: skill "a": the platform of account "robot" cannot accept_friend`})
}

func TestSkillsAreListed(t *testing.T) {
	set := build(t, replies(`a: keywords = ["x", "y"]; concurrency = 4`, `b: match = "any"`, `c: on = "friend_added"; enabled = false`, `d: patterns = ["p"]; keywords = ["k"]`)+form)
	want := []engine.SkillInfo{
		{Name: "a", Kind: "reply", On: "message", Rule: `contains ["x" "y"]`, Where: "bot.toml:1", Enabled: true, Concurrency: 4},
		{Name: "b", Kind: "reply", On: "message", Rule: "what nothing else matched", Where: "bot.toml:6", Enabled: true},
		{Name: "c", Kind: "reply", On: "friend_added", Rule: "every friend_added", Where: "bot.toml:10"},
		{Name: "d", Kind: "reply", On: "message", Rule: `contains ["k"] or regex ["p"]`, Where: "bot.toml:15", Enabled: true},
		{Name: "form", Kind: "form", On: "message", Rule: `contains ["填"]`, Where: "bot.toml:21", Enabled: true},
	}
	if got := set.Skills(); !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if set.Len() != 5 {
		t.Errorf("Len() = %d", set.Len())
	}
}

func TestTestsAreListed(t *testing.T) {
	const test = "; [[skill.test]]; send = [\"x\"]; expect = [\"y\"]"
	set := build(t, replies(
		`a: keywords = ["x"]`+test+test,
		`b: keywords = ["x"]; accounts = ["vip"]; where = "group"`+test,
		`c: on = "member_joined"`+test,
		`d: keywords = ["z"]; enabled = false`+test,
	))
	type script struct {
		skill, where, account string
		group                 bool
	}
	var got []script
	for _, s := range set.Tests() {
		got = append(got, script{s.Skill, s.Where, s.Account, s.Group})
		if !slices.Equal(s.Send, []string{"x"}) || !slices.Equal(s.Expect, []string{"y"}) {
			t.Errorf("script %+v", s)
		}
	}
	want := []script{
		{"a", "bot.toml:5:9", "", false}, {"a", "bot.toml:8:9", "", false},
		{"b", "bot.toml:17:9", "vip", true}, {"c", "bot.toml:24:9", "", true},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestWhatAPlatformNeedsBesidesIsAProblemAtTheSkill(t *testing.T) {
	takes := func(account string, a engine.Action) []string {
		if account == "shop" {
			return map[engine.Action][]string{engine.SendVoice: {"url", "duration"}, engine.SetRemark: {"user_id", "remark"}}[a]
		}
		return nil
	}
	for name, tt := range map[string]struct {
		accounts []string
		toml     string
		problem  string
	}{
		"a voice without its length": {[]string{"shop"}, `keywords = ["k"]
reply = [{voice = "https://x/v.amr"}]`, `send_voice on the platform of account "shop" needs the param duration as well`},
		"a voice with it": {[]string{"shop"}, `keywords = ["k"]
reply = [{voice = "https://x/v.amr", duration = 3}]`, ""},
		"a voice where some other account can": {[]string{"shop", "club"}, `keywords = ["k"]
reply = [{voice = "https://x/v.amr"}]`, ""},
		"a remark": {[]string{"shop"}, `on = "friend_added"
do = "set_remark"
params = {remark = "VIP"}`, `set_remark on the platform of account "shop" needs the param user_id as well`},
		"a remark with all": {[]string{"shop"}, `on = "friend_added"
do = "set_remark"
params = {remark = "VIP", user_id = "lina"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := skills.Build(skilltest.Parse(t, "[[skill]]\nname = \"a\"\n"+tt.toml).Sections, skills.Options{Accounts: tt.accounts, Takes: takes})
			if tt.problem == "" && err != nil || tt.problem != "" && (err == nil || !strings.Contains(err.Error(), tt.problem)) {
				t.Errorf("got %v, want %q", err, tt.problem)
			}
		})
	}
}

func TestWhatAPlatformCannotAnswerIsAProblemWithItsReason(t *testing.T) {
	opts := skills.Options{
		Accounts: []string{"corp"},
		Can:      func(_ string, a engine.Action) bool { return a != engine.AcceptFriend },
		Cannot: func(_ string, on engine.Kind, a engine.Action) string {
			switch {
			case a == engine.AcceptFriend:
				return "no interface accepts a friend"
			case on == engine.MemberJoined:
				return "no interface writes to a customer group"
			}
			return ""
		},
	}
	for toml, problem := range map[string]string{
		`on = "member_joined"
reply = "hi"`: `the platform of account "corp" cannot send_text on group_member_joined: no interface writes to a customer group`,
		`on = "friend_request"
do = "accept_friend"`: `the platform of account "corp" cannot accept_friend on friend_request: no interface accepts a friend`,
		`on = "friend_added"
reply = "hi"`: "",
	} {
		_, err := skills.Build(skilltest.Parse(t, "[[skill]]\nname = \"a\"\n"+toml).Sections, opts)
		if problem == "" && err != nil || problem != "" && (err == nil || !strings.Contains(err.Error(), problem)) {
			t.Errorf("%s\ngot %v, want %q", toml, err, problem)
		}
	}
}

func TestAnAnswerThatAPlatformTakesNoMoreIsWarnedOf(t *testing.T) {
	opts := skills.Options{
		Accounts: []string{"corp", "shop"},
		Within: func(account string, on engine.Kind) (time.Duration, string) {
			if account == "corp" && on == engine.FriendAdded {
				return 17 * time.Second, "a welcome code lives 20 s"
			}
			return 0, ""
		},
	}
	const late = `skill "a": the platform of account "corp" takes no answer to friend_added that comes after 17s: a welcome code lives 20 s; this is a dead letter there`
	for _, tt := range []struct{ name, toml, want string }{
		{"a delay beyond the time", "delay = \"5m\"\nreply = \"还在吗\"", "bot.toml:4:9: " + late},
		{"one that may go beyond it", "delay = \"5s..20s\"\nreply = \"您好\"", "bot.toml:4:9: " + late},
		{"one that is within it", "delay = \"1s..2s\"\nreply = \"您好\"", ""},
		{"for the other account", "accounts = [\"shop\"]\ndelay = \"5m\"\nreply = \"还在吗\"", ""},
		{"switched off", "enabled = false\ndelay = \"5m\"\nreply = \"还在吗\"", ""},
		{"what says nothing", "delay = \"5m\"\ndo = \"set_remark\"\nparams = {remark = \"VIP\", user_id = \"lina\"}", ""},
		{"a form", "step = [{save = \"name\", ask = \"您贵姓？\"}]", `takes one answer to friend_added, within 17s: a welcome code lives 20 s; only the first question is asked there`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := skilltest.Parse(t, "[[skill]]\nname = \"a\"\non = \"friend_added\"\n"+tt.toml)
			if _, err := skills.Build(c.Sections, opts); err != nil {
				t.Fatal(err)
			}
			got := strings.Join(c.Warnings(), "\n")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("warnings %q, want %q", got, tt.want)
			}
		})
	}
}

func TestATextThatIsSentInPieces(t *testing.T) {
	opts := shopOnly
	opts.TextLimit = 30
	c := skilltest.Parse(t, "[[skill]]\nname = \"a\"\nkeywords = [\"x\"]\nreply = [{text = \"一二三四五六七八九十{{.User}}\"}, {text = \"一二三四五六七八九十{{.User}}。\"}]")
	if _, err := skills.Build(c.Sections, opts); err != nil {
		t.Fatal(err)
	}
	compare(t, c.Warnings(), []string{`bot.toml:4:50: skill "a": this text of 33 bytes or more is sent in 2 messages, since one takes 30 (a link or a file reads better)`})
}
