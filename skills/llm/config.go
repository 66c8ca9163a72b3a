package llm

import (
	"math"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"bot/engine"
	"bot/engine/fetch"
	"bot/skills/breaker"
	"bot/skills/kind"
	"bot/skills/render"
)

// config is a skill by which a language model answers.
//
//	[[skill]]
//	name = "chat"
//	match = "any"
//
//	[skill.llm]
//	base_url = "https://api.deepseek.com/v1"
//	model = "deepseek-chat"
//	api_key = "${LLM_KEY:-}"
//	system = "你是客服助手，回答要简短。"
//	history = 10
//	history_keep = "24h"
//	max_tokens = 400
//	temperature = 0.7
//	timeout = "30s"
//	max_input = 2000
//	per_user_per_day = 50
//	per_account_per_day = 2000
//	fallback = "我没听懂，回复“人工”找客服"
type config struct {
	kind.Keys
	LLM table `toml:"llm"`
}

// table is the endpoint, what it is told, and what it may cost.
type table struct {
	// The endpoint of OpenAI's chat completions, up to what comes before `/chat/completions`.
	BaseURL string `toml:"base_url" default:"required"`
	// Its name there.
	Model string `toml:"model" default:"required"`
	// What requests are authorised by.
	APIKey engine.Secret `toml:"api_key"`
	// What the model is told first, a template.
	System string `toml:"system"`
	// Messages of the conversation sent along, questions and answers.
	History int `toml:"history" is:"0..100"`
	// Forgotten so long after the last answer.
	HistoryKeep engine.Duration `toml:"history_keep" is:"..400d"`
	// Of one answer.
	MaxTokens int `toml:"max_tokens" is:"1..100000"`
	// How freely it answers.
	Temperature *float64 `toml:"temperature" is:"0..2" default:"the model's own"`
	// Of the whole, a second attempt included.
	Timeout engine.Duration `toml:"timeout" is:"..5m"`
	// `false` for endpoints that cannot stream.
	Stream bool `toml:"stream"`
	// Characters of what a user says; the rest is cut off.
	MaxInput int `toml:"max_input" is:"1..20000"`
	// Requests; 0 is no limit.
	PerUser int `toml:"per_user_per_day" is:"0..100000000" default:"no limit"`
	// Requests; 0 is no limit.
	PerAccount int `toml:"per_account_per_day" is:"0..100000000" default:"no limit"`
	// What is said then, without a request.
	OverBudget string `toml:"over_budget" default:"a line in both languages"`
	// What is said where there is no answer; `""` says nothing.
	Fallback string `toml:"fallback" default:"a line in both languages"`
}

// What is said where the operator wrote nothing.
const (
	defaultFallback   = "抱歉，我现在答不上来，请稍后再试。\nSorry, I cannot answer that right now. Please try again later."
	defaultOverBudget = "今天的提问次数已经用完，请明天再来。\nToday's questions are used up. Please come back tomorrow."
)

// The ranges of the numbers.
const (
	maxHistoryLength = 100
	maxTokens        = 100_000
	maxTemperature   = 2
	maxTimeout       = 5 * time.Minute
	mostInput        = 20_000
	maxBudget        = 100_000_000
	maxKeep          = 400 * 24 * time.Hour
)

// concurrency is how many requests are under way at once where the operator does
// not say.
const concurrency = 8

// margin is what a run may take beyond its request, so that the fallback is said
// before the engine's own limit ends the run.
const margin = 5 * time.Second

func defaults() table {
	return table{
		History: 10, HistoryKeep: engine.Duration(24 * time.Hour), MaxTokens: 1000,
		Timeout: engine.Duration(30 * time.Second), Stream: true, MaxInput: 2000,
		OverBudget: defaultOverBudget, Fallback: defaultFallback,
	}
}

func build(d *kind.Draft) engine.Skill {
	c := config{LLM: defaults()}
	d.Decode(&c)
	t := &c.LLM
	host := endpoint(d, t)
	ranges(d, t)
	waits(d, t)
	if d.On != string(engine.Message) {
		d.Problem("on", "a model answers messages only")
	}
	if d.Has("once") {
		d.Problem("once", "a model answers again and again; per_user_per_day in [skill.llm] bounds how often")
	}
	d.Need(engine.SendText, "llm")

	client := *d.World.Fetch(func(h string) bool { return strings.EqualFold(h, host) })
	client.CheckRedirect = stay
	return &skill{
		Base:    d.Base(d.Seen()),
		model:   model{baseURL: t.BaseURL, key: t.APIKey, request: request(d, t), client: &client, now: time.Now},
		breaker: breaker.New(time.Now), now: time.Now,
		system:   system(d, t.System),
		fallback: d.Text("llm.fallback", t.Fallback, d.Seen()), overBudget: d.Text("llm.over_budget", t.OverBudget, d.Seen()),
		timeout: t.Timeout.Std(), maxInput: t.MaxInput, limit: d.World.Limit,
		memory: memory{exchanges: t.History / 2, keeps: t.HistoryKeep.Std(), shared: d.Scope == "conversation"},
		budget: budget{user: t.PerUser, account: t.PerAccount},
	}
}

// endpoint checks where requests go and returns the host, which may be a private
// one: the operator wrote it, and nothing that users say leads elsewhere.
func endpoint(d *kind.Draft, t *table) (host string) {
	const key, example = "llm.base_url", `base_url = "https://api.deepseek.com/v1"`
	u, err := url.Parse(t.BaseURL)
	switch {
	case t.BaseURL == "":
		if d.Lacks(key, true) {
			d.Problem(key, "a model needs the address of its endpoint (%s)", example)
		}
	case err != nil: // its own words would repeat the address, which may hold a password
		d.Problem(key, "base_url is no address (%s)", example)
	case u.Scheme != "http" && u.Scheme != "https":
		d.Problem(key, "base_url begins with https:// or http:// (%s)", example)
	case u.Hostname() == "" || strings.Contains(t.BaseURL, "{{"):
		d.Problem(key, "base_url names one host (%s)", example)
	case u.User != nil:
		d.Problem(key, "base_url holds a name or a password, which would appear in logs (api_key is the place for a key)")
	case u.RawQuery != "" || u.Fragment != "":
		d.Problem(key, "base_url ends before any ? or # (%s)", example)
	case strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions"):
		d.Problem(key, "base_url ends before /chat/completions, which is added (%s)", example)
	}
	if d.Lacks("llm.model", strings.TrimSpace(t.Model) == "") {
		d.Problem("llm.model", `a model has a name (model = "deepseek-chat")`)
	}
	if strings.ContainsFunc(t.APIKey.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }) {
		d.Problem("llm.api_key", "api_key holds characters that no key has, such as a space or a line's end")
	}
	if err != nil {
		return ""
	}
	if u.Scheme == "http" && !t.APIKey.IsZero() && !near(u.Hostname()) {
		d.Warn(key, "the key and what users say go over the Internet as they are (https://)")
	}
	return u.Hostname()
}

// near tells a host of the own network: a private address, or a name without dots.
func near(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return !fetch.Public(a)
	}
	return !strings.Contains(host, ".")
}

// ranges checks the numbers.
func ranges(d *kind.Draft, t *table) {
	between := func(key string, n, least, most int) {
		if n < least || n > most {
			d.Problem("llm."+key, "%s is between %d and %d, not %d", key, least, most, n)
		}
	}
	between("history", t.History, 0, maxHistoryLength)
	between("max_tokens", t.MaxTokens, 1, maxTokens)
	between("max_input", t.MaxInput, 1, mostInput)
	if t.History%2 != 0 {
		d.Warn("llm.history", "history counts questions and answers, so an even number is kept (history = %d)", t.History-1)
	}
	between("per_user_per_day", t.PerUser, 0, maxBudget)
	between("per_account_per_day", t.PerAccount, 0, maxBudget)
	if t.Temperature != nil && !(0 <= *t.Temperature && *t.Temperature <= maxTemperature) {
		d.Problem("llm.temperature", "temperature is between 0 and %d, not %v", maxTemperature, *t.Temperature)
	}
	if keep := t.HistoryKeep.Std(); keep <= 0 || keep > maxKeep {
		d.Problem("llm.history_keep", `history_keep is between "1s" and "400d" (history = 0 keeps none)`)
	}
}

// waits says how long a run may take, and how many there may be at once.
func waits(d *kind.Draft, t *table) {
	d.Waits = true
	if !d.Has("concurrency") {
		d.Concurrency = concurrency
	}
	timeout := t.Timeout.Std()
	if timeout <= 0 || timeout > maxTimeout {
		d.Problem("llm.timeout", `timeout is more than nothing and at most "5m" (timeout = "30s")`)
		return
	}
	switch {
	case !d.Has("timeout"):
		d.Timeout = engine.Duration(timeout + margin)
	case d.Timeout.Std() < timeout+margin:
		d.Problem("timeout", "the skill's timeout leaves the model's no room, which is %v (leave it out; timeout in [skill.llm] bounds the model)", timeout)
	}
}

// request is what is the same in all requests.
func request(d *kind.Draft, t *table) openai.ChatCompletionRequest {
	//lint:ignore SA1019 OpenAI has a newer name for it, which most other endpoints do not know
	r := openai.ChatCompletionRequest{Model: t.Model, MaxTokens: t.MaxTokens, Stream: t.Stream}
	if t.Temperature != nil {
		// The library leaves a zero out, and then the model's own would count.
		r.Temperature = max(float32(*t.Temperature), math.SmallestNonzeroFloat32)
	}
	v := openai.NewReasoningValidator()
	if v.Validate(r) == nil {
		return r
	}
	//lint:ignore SA1019 as above
	r.MaxTokens, r.MaxCompletionTokens = 0, t.MaxTokens // as OpenAI's models that think call it
	if v.Validate(r) != nil {
		d.Problem("llm.temperature", "the model %q takes no temperature (leave it out)", t.Model)
	}
	return r
}

// written are the fields of templates that hold what users or platforms wrote.
var written = regexp.MustCompile(`{{[^}]*\.(Text|Match|Members|Actor|Params|Data|Response)\b`)

// system parses the operator's words, in which nothing of what users say has a place.
func system(d *kind.Draft, text string) *render.Template {
	if m := written.FindStringSubmatch(text); m != nil {
		d.Problem("llm.system", "system is the operator's own: .%s has no place in it (what the user says is sent as the user's message; .User .UserName .Conversation .Account .Day .Now may stand in it)", m[1])
		return nil
	}
	return d.Text("llm.system", text, render.Scope{})
}
