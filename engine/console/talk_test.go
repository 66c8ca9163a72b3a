package console

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/api"
	"bot/engine/channel/sandbox"
	"bot/engine/talk"
	"bot/engine/trace"
	"bot/engine/trial"
)

// conversing is what the pages of conversations, skills and the sandbox stand on.
type conversing struct {
	list  talk.List
	talk  Talk
	steps map[string][]trace.Step
	held  map[string]bool // conversations that people have
	read  int             // how often a conversation was read
	asked Question
}

// talkative gives the rig people to talk with: a sandbox whose bot answers whoever
// says hi, and asks for a card when somebody asks to be a friend.
func (r *rig) talkative() {
	t := &r.conversing
	t.steps, t.held = make(map[string][]trace.Step), make(map[string]bool)
	o := &r.options
	o.Desk.Needs = func(account string, _ engine.Action) ([]string, bool, bool) { return nil, account == "shop", true }
	o.Desk.Trace = func(_ context.Context, id string) ([]trace.Step, bool, error) { return t.steps[id], false, nil }
	o.Desk.Release = func(_ context.Context, _, conversation string) error {
		if !t.held[conversation] {
			return api.ErrNotHeld
		}
		delete(t.held, conversation)
		return nil
	}
	o.Sandboxes = func() []string { return []string{"sandbox"} }
	o.Say = r.sayInSandbox
	o.Chat = func(account, conversation string) ([]sandbox.Message, error) {
		notes, err := r.store.Recollect(account, sandbox.Prefix(conversation), "", 100)
		return sandbox.Read(notes), err
	}
	o.Talks = &t.list
	o.Talk = func(_ context.Context, account, conversation string) (Talk, error) {
		t.read++
		is := t.talk
		is.Blocked = r.store.Standing(account, conversation).Blocked
		is.Handed = t.held[conversation]
		return is, nil
	}
	o.Skills = func() ([]engine.SkillInfo, []string) {
		return []engine.SkillInfo{
			{Name: "coupon", Kind: "reply", On: "message", Rule: `contains ["领券" "优惠券"]`, Where: "bot.toml:12", Enabled: true},
			{Name: "very_" + strings.Repeat("long", 30), Kind: "form", On: "message", Rule: strings.Repeat("很长的规则", 40), Where: "bot.toml:30"},
		}, []string{"bind\n  phone --> " + strings.Repeat("code --> ", 40) + "done"}
	}
	o.Try = func(_ context.Context, q Question) (trial.Reply, error) {
		t.asked = q
		reply := trial.Reply{Verdicts: []engine.Verdict{
			{Skill: "bind", Where: "bot.toml:30", Why: "no keyword or pattern fits"}, {Skill: "coupon", Where: "bot.toml:12", Won: true, Why: "keyword 领券"},
		}}
		if strings.Contains(q.Text, "领券") {
			reply.Texts, reply.Actions = []string{"您的券：" + q.Text}, []string{"send_image url=https://example.com/a.png"}
		}
		return reply, nil
	}
}

// sayInSandbox hears everybody but Eve, and answers.
func (r *rig) sayInSandbox(ctx context.Context, l sandbox.Line) (string, error) {
	e, heard, err := sandbox.Event(l, "sandbox-"+l.Text+string(l.Kind), r.store.Now())
	if err != nil {
		return "", err
	}
	notes := []engine.Note{heard}
	answer := func(m sandbox.Message) {
		m.Time = r.store.Now().Add(time.Nanosecond) // behind what it answers, before what follows
		note, err := sandbox.Note(e.Conversation, m)
		if err != nil {
			r.Error(err)
		}
		notes = append(notes, note)
	}
	switch {
	case l.As == "eve":
		return "blocked: by hand", nil
	case e.Kind == engine.FriendRequest:
		answer(sandbox.Message{Action: engine.AcceptFriend, Params: map[string]any{"scene": "sandbox"}})
	case strings.Contains(e.Text, "menu"):
		answer(sandbox.Message{Action: engine.SendImage, Params: map[string]any{"url": "https://example.com/menu.png", "name": "菜单.png"}})
	case e.Text == "hi":
		answer(sandbox.Message{Action: engine.SendText, Text: "hello " + e.Sender + " " + string(e.Mention)})
	}
	return "", r.store.Remember(ctx, l.Account, notes)
}

// typed is a line typed on the chat's page.
func typed(as, in, text string) url.Values {
	q := url.Values{"account": {"sandbox"}, "as": {as}, "in": {in}}
	return url.Values{"account": {"sandbox"}, "as": {as}, "in": {in}, "text": {text}, "back": {"/chat?" + q.Encode()}}
}

func TestTheSandboxAnswersOnItsPage(t *testing.T) {
	r := newRig(t)
	r.login()
	if page := r.page("/chat"); !strings.Contains(page, "Nothing was said yet") || !strings.Contains(page, "autofocus") {
		t.Error("the empty page does not invite to say something")
	}
	page := r.press("/chat", typed("me", "", "hi"))
	for _, want := range []string{"<p>hi</p>", "<p>hello me </p>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "See why") || saidOn(page) != "" {
		t.Errorf("an answered message is asked about, or %q is said", saidOn(page))
	}
	event := typed("me", "", "")
	event.Set("kind", "friend_request")
	if page := r.press("/chat", event); !strings.Contains(page, "<code>friend_request</code>") || !strings.Contains(page, "<code>accept_friend</code>") {
		t.Error("an event and what was done are not shown")
	}
	if page := r.press("/chat", typed("me", "", "menu")); !strings.Contains(page, `<a href="https://example.com/menu.png" rel="noreferrer" target="_blank">菜单.png</a>`) {
		t.Error("a picture is no link")
	}
	page = r.press("/chat", typed("me", "", "nothing to that"))
	if !strings.Contains(page, `<a href="/trace?id=sandbox-nothing&#43;to&#43;that">No answer? See why</a>`) {
		t.Errorf("it is not said where the reason is: %s", page)
	}
	grouped := typed("me", "team", "hi")
	grouped.Set("mention", "yes")
	if page := r.press("/chat", grouped); !strings.Contains(page, "<p>hello me me</p>") || !strings.Contains(page, "member joined") {
		t.Error("in a group the bot was not mentioned")
	}
	if page := r.page("/chat/live?account=sandbox&as=me"); !strings.Contains(page, "hello me") || strings.Contains(page, "<html") {
		t.Error("the part is not the dialogue alone")
	}
}

func TestWhatTheSandboxRefusesIsSaid(t *testing.T) {
	r := newRig(t)
	r.login()
	for _, c := range []struct {
		what, want string
		form       url.Values
	}{
		{"somebody blocked", "It is not heard: blocked: by hand", typed("eve", "", "hi")},
		{"nothing", "say something", typed("me", "", " ")},
		{"too much", "9000 bytes are too much; at most 8192", typed("me", "", strings.Repeat("a", 9000))},
		{"an account that is no sandbox", "There is no sandbox account shop.", url.Values{"account": {"shop"}, "as": {"me"}, "text": {"hi"}, "back": {"/chat"}}},
		{"no event", "There is no event expired.", url.Values{"account": {"sandbox"}, "as": {"me"}, "kind": {"expired"}, "back": {"/chat"}}},
	} {
		if got := saidOn(r.press("/chat", c.form)); got != c.want {
			t.Errorf("%s: says %q, want %q", c.what, got, c.want)
		}
	}
}

func TestWithoutASandboxThePageSaysHowToHaveOne(t *testing.T) {
	r := newRig(t)
	r.options.Sandboxes = func() []string { return nil }
	r.build()
	r.login()
	if page := r.page("/chat"); !strings.Contains(page, "[[account]]\nname = &#34;sandbox&#34;\nchannel = &#34;sandbox&#34;") && !strings.Contains(page, "[[account]]\nname = \"sandbox\"\nchannel = \"sandbox\"") {
		t.Error("the three lines are not there")
	}
}

// odd is an id that would break an address put together by hand.
const odd = `a/b?c&d=#"<x> 群%2F`

// chatter puts conversations on the list, and lines into each.
func (r *rig) chatter() {
	long := strings.Repeat("很长的一段话没有空格", 12)
	now := r.options.Now()
	for i, id := range []string{"u1", odd, "wxid_" + strings.Repeat("abcdefghij", 8)} {
		r.conversing.list.Heard(&engine.Event{
			Account: "shop", Kind: engine.Message, Type: "text", Conversation: id, Sender: "u1", SenderName: "王芳", Text: long,
			Received: now.Add(-time.Duration(i) * time.Minute), Group: i == 2,
		})
	}
	r.conversing.list.Said(&engine.Command{Account: "shop", Conversation: "u1", Action: engine.SendImage}, now)
	r.conversing.talk = Talk{
		Lines: []talk.Line{
			{Time: now.Add(-50 * time.Hour), Side: talk.In, Lost: true, ID: "m0"},
			{Time: now.Add(-9 * time.Second), Side: talk.In, Who: "王芳", Text: "领券 " + long, ID: odd},
			{Time: now.Add(-8 * time.Second), Side: talk.Aside, Step: trace.Handled, Skill: "coupon", Note: "keyword 领券", ID: "m1"},
			{Time: now.Add(-8 * time.Second), Side: talk.Out, Step: trace.Sent, Text: "您的券：https://example.com/c/u1", ID: "t-0", Skill: "coupon"},
			{Time: now.Add(-7 * time.Second), Side: talk.In, What: "image", Text: "菜单.png", Who: "王芳", ID: "m2"},
			{Time: now.Add(-6 * time.Second), Side: talk.Aside, Step: trace.NoReply, Note: `none of 3 skills answers; the nearest, "coupon" (bot.toml:12): no keyword or pattern fits`, ID: "m2"},
			{Time: now.Add(-5 * time.Second), Side: talk.Out, Step: trace.Dead, What: "send_image", Note: "permanent, status 400: " + strings.Repeat("x", 200), ID: "t-1"},
			{Time: now.Add(-4 * time.Second), Side: talk.Out, Hand: true, Text: "稍等", ID: "m3"},
			{Time: now.Add(-1 * time.Second), Side: talk.In, Who: "王芳", Text: "在吗", Step: trace.Queued, ID: "m4"},
		},
		States: []State{{Sender: "u1", Skill: "bind", Node: "code", Data: []Field{{"phone", "••••00"}}, Expires: now.Add(9 * time.Minute)}},
	}
	r.conversing.steps[odd] = []trace.Step{
		{Time: now, Step: trace.Received, Account: "shop", Note: "message"},
		{Time: now.Add(3 * time.Millisecond), Step: trace.NoReply, Account: "shop", Note: `skill "coupon" (bot.toml:12) does not answer: ` + long},
		{Time: now.Add(1003 * time.Millisecond), Step: trace.Sent, Account: "shop", Skill: "coupon", TaskID: strings.Repeat("0123456789abcdef", 4) + "-0"},
	}
}

func TestConversationsAreListedAndFound(t *testing.T) {
	r := newRig(t)
	r.login()
	if page := r.page("/conversations"); !strings.Contains(page, "No such conversation was active lately.") {
		t.Error("the empty list is not explained")
	}
	r.chatter()
	page := r.page("/conversations")
	if first, second := strings.Index(page, linkTo("u1")), strings.Index(page, linkTo(odd)); first < 0 || second < first {
		t.Errorf("u1 stands at %d, the next at %d", first, second)
	}
	if !strings.Contains(page, "<small>bot →</small> <code>send_image</code>") || !strings.Contains(page, "group</small>") {
		t.Error("what was last done is not shown")
	}
	for query, want := range map[string]int{"": 3, "?q=WXID": 1, "?q=王芳": 3, "?account=other": 0, "?after=2": 1, "?after=-5": 3} {
		if got := strings.Count(r.page("/conversations"+query), `<th scope="row">`); got != want {
			t.Errorf("%s: %d rows, want %d", query, got, want)
		}
	}
	for i := range rows + 1 {
		r.conversing.list.Seen(engine.ConversationKey{Account: "shop", Conversation: "more" + strings.Repeat("x", i)}, r.now.Add(-time.Hour))
	}
	page = r.page("/conversations?q=more")
	if strings.Count(page, `<th scope="row">`) != rows || !strings.Contains(page, `href="/conversations?account=&amp;after=50&amp;q=more"`) {
		t.Error("a second page is not led to")
	}
}

// linkTo is how the rig's pages lead to a conversation.
func linkTo(id string) string {
	return strings.NewReplacer("&", "&amp;", "+", "&#43;").Replace(ConversationPath("shop", id))
}

func TestAConversationIsATimelineWithItsStanding(t *testing.T) {
	r := newRig(t)
	r.chatter()
	r.login()
	page := r.page(ConversationPath("shop", odd))
	for _, want := range []string{
		"the words are not kept", "领券 ", "<code>image</code>", "✓ sent", `class="note silent"`, "no keyword or pattern fits",
		"given up · permanent, status 400", "by hand · ", "queued", "bind · code", "••••00", "expires in 9 min", "served as usual",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "<x>") {
		t.Error("an id is markup")
	}
	for _, path := range []string{"/conversation", ConversationPath("nobody", "u1"), ConversationPath("shop", "")} {
		if resp := r.send(http.MethodGet, path, nil); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
}

func TestAConversationIsMutedBlockedAndGivenBack(t *testing.T) {
	r := newRig(t)
	r.chatter()
	r.login()
	r.conversing.held[odd] = true
	press := func(act string, more ...string) string {
		form := url.Values{"account": {"shop"}, "conversation": {odd}, "back": {ConversationPath("shop", odd)}}
		for i := 0; i < len(more); i += 2 {
			form.Set(more[i], more[i+1])
		}
		return r.press("/conversation/"+act, form)
	}
	for _, c := range []struct {
		act, says string
		with      []string
		shown     string // on the page that follows
	}{
		{act: "mute", with: []string{"for", "1h"}, says: "is muted.", shown: "muted until"},
		{act: "mute", with: []string{"for", "400d"}, says: "400d is not a time up to 366 days.", shown: "muted until"},
		{act: "unmute", says: "is not muted any more.", shown: "handed over to people"},
		{act: "release", says: "is given back to the bot.", shown: "served as usual"},
		{act: "release", says: "is the bot&#39;s already.", shown: "served as usual"},
		{act: "block", says: "is blocked.", shown: "nothing is taken in or sent"},
		{act: "unblock", says: "is not blocked any more.", shown: "served as usual"},
		{act: "block", with: []string{"account", "nobody"}, says: "There is no conversation", shown: "served as usual"},
	} {
		page := press(c.act, c.with...)
		if got := saidOn(page); !strings.Contains(got, c.says) {
			t.Errorf("%s %q: says %q, want %q", c.act, c.with, got, c.says)
		}
		if !strings.Contains(page, c.shown) {
			t.Errorf("%s %q: the page does not show %q", c.act, c.with, c.shown)
		}
	}
}

func TestAConversationIsReadAgainOnlyWhereSomethingHappened(t *testing.T) {
	r := newRig(t)
	r.chatter()
	r.login()
	path := ConversationPath("shop", "u1")
	reads := func(what string, want int) {
		t.Helper()
		r.page(path)
		if r.conversing.read != want {
			t.Errorf("%s: read %d times, want %d", what, r.conversing.read, want)
		}
	}
	reads("the first time", 1)
	reads("what was said in the same moment may be missing", 2)
	r.sleep(2 * time.Second)
	reads("a little later", 3)
	reads("nothing happened since", 3)
	r.conversing.list.Said(&engine.Command{Account: "shop", Conversation: "u1", Action: engine.SendText}, r.options.Now())
	reads("something was said", 4)
	r.sleep(freshFor + time.Second)
	reads("long after", 5)
}

func TestATraceSaysWhyAndLeadsOn(t *testing.T) {
	r := newRig(t)
	r.chatter()
	r.login()
	page := r.page(tracePath(odd))
	task := strings.Repeat("0123456789abcdef", 4) + "-0"
	for _, want := range []string{`<p class="said bad"><b>no reply</b>`, "does not answer", "+3 ms", "+1 s", `<a href="/trace?id=` + task + `">`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if page := r.page(tracePath("unknown")); !strings.Contains(page, "Nothing is known of this id") {
		t.Error("an unknown id is not explained")
	}
	if page := r.page("/trace"); !strings.Contains(page, "trace id") {
		t.Error("it is not said what can be searched for")
	}
}

func TestSkillsAreListedAndTried(t *testing.T) {
	r := newRig(t)
	r.login()
	page := r.page("/skills")
	for _, want := range []string{"coupon", "bot.toml:12", "disabled", "<pre", "code --&gt; "} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if r.conversing.asked != (Question{}) || strings.Contains(page, "A dry run") {
		t.Error("they were tried before anybody asked")
	}
	page = r.page("/skills?account=shop&kind=message&group=yes&mention=yes&text=" + url.QueryEscape("我要领券"))
	if want := (Question{Account: "shop", Text: "我要领券", Kind: engine.Message, Group: true, Mention: true}); r.conversing.asked != want {
		t.Errorf("asked %+v, want %+v", r.conversing.asked, want)
	}
	won, lost := strings.Index(page, "✓ coupon"), strings.Index(page, "no keyword or pattern fits")
	if won < 0 || lost < won || !strings.Contains(page, "您的券：我要领券") || !strings.Contains(page, "send_image url=") {
		t.Errorf("the verdicts stand at %d and %d, or a reply is missing", won, lost)
	}
	if page := r.page("/skills?account=shop&text=x"); !strings.Contains(page, "Nothing would be said.") || r.conversing.asked.Mention {
		t.Error("silence is not told, or a mention made up")
	}
	r.conversing.asked = Question{}
	if r.page("/skills?account=shop&kind=friend_added&text="); r.conversing.asked.Kind != engine.FriendAdded {
		t.Errorf("asked %+v", r.conversing.asked)
	}
}

func TestEveryEventOfTheSandboxHasAName(t *testing.T) {
	for _, k := range append(append([]engine.Kind{}, privateKinds...), groupKinds...) {
		if texts()["kind."+string(k)] == nil {
			t.Errorf("%s has none", k)
		}
	}
}

func TestTheChatInABrowserKeepsTheFocusAndThePage(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	tab, base := visit(t, r)
	tab.Go(base + "/chat")
	tab.Type(`input[name="text"]`, "hi\r")
	tab.Says(".bubble.in", "hi")
	tab.Type(`input[name="text"]:focus`, "menu\r") // which nobody has pressed since
	tab.Says(".bubble.in", "menu")
	tab.Says(".bubble.out", "hello me")
	tab.Says(".bubble.out a", "菜单.png")
	tab.Click(`button[value="friend_request"]`)
	tab.Says(".bubble.out code", "accept_friend")
	tab.Type(`input[name="text"]:focus`, "what?\r")
	tab.Says(".note a", "See why")
	tab.Looks("chat-dialogue", base+"/chat")
	tab.Go(base + "/chat?as=eve")
	tab.Type(`input[name="text"]`, "hi\r")
	tab.Says(".said.bad", "blocked: by hand")
	tab.Go(base + "/chat?in=team&as=me")
	tab.Type(`input[name="text"]`, "hi\r")
	tab.Says(".bubble.out", "hello me me")
}

func TestConversationsTraceAndSkillsInABrowserAtBothWidths(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.chatter()
	tab, base := visit(t, r)
	for name, path := range map[string]string{
		"conversations": "/conversations", "conversation": ConversationPath("shop", odd), "trace-found": tracePath(odd), "trace": "/trace",
		"skills-asked": "/skills?account=shop&text=" + url.QueryEscape("我要领券"),
	} {
		tab.Looks(name, base+path)
	}
	tab.Go(base + "/conversations")
	tab.Click(`a[href*="wxid_"]`)
	tab.Says(".note.silent", "no reply")
	r.conversing.talk.Lines = append(r.conversing.talk.Lines, talk.Line{Time: r.now, Side: talk.In, Text: "one more"})
	r.conversing.list.Said(&engine.Command{Account: "shop", Conversation: "wxid_" + strings.Repeat("abcdefghij", 8), Action: engine.SendText}, r.options.Now())
	tab.Says(".bubble.in", "one more")
}
