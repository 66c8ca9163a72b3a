package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"bot/engine/config"
)

// adminClient talks to the running engine's admin listener.
type adminClient struct {
	base   string
	token  string
	http   *http.Client
	denied func() string // why the token is not taken
}

// admin finds the running engine through its store. A nil client has been explained
// to the user.
func (c *call) admin() (*adminClient, int) {
	cfg, code := c.engineOf()
	if cfg == nil {
		return nil, code
	}
	a, err := c.reach(cfg)
	if err != nil {
		c.say(fmt.Errorf("no running engine was found for %s: %w (start it: bot -config %s)", c.config, err, c.config))
		return nil, exitFailed
	}
	return a, exitOK
}

// reach finds the process that has the store of a configuration.
func (c *call) reach(cfg *config.Config) (*adminClient, error) {
	addr, err := c.Locate(cfg.Store.Path)
	if err != nil {
		return nil, err
	}
	return &adminClient{
		base: "http://" + addr, token: cfg.Admin.Token.Reveal(),
		http:   &http.Client{Timeout: time.Minute},
		denied: func() string { return c.denied(cfg.Admin.Token) },
	}, nil
}

// denied says why the running engine does not take the token of the configuration,
// and what to do.
func (c *call) denied(token config.Secret) string {
	if !token.IsZero() {
		return fmt.Sprintf("the admin token that %s gives here is not the running engine's; a new one holds from the next start of the engine on", c.config)
	}
	const wanted = "the engine wants its admin token"
	_, err := c.load()
	for _, p := range config.ProblemsIn(err) {
		if strings.HasPrefix(p.Msg, "admin.token") {
			return wanted + ": " + p.Error()
		}
	}
	if found, _ := config.FindEngine(c.config, c.Env); len(found.Unset) > 0 {
		return fmt.Sprintf(`%s, and %s gives none here: %s is not set in this shell; set it, or keep the token in a file that the service and shells can read: `+
			`token_file = "admin.token" in place of token`, wanted, c.config, strings.Join(found.Unset, ", "))
	}
	return fmt.Sprintf("%s, and %s gives none: token, or token_file, of [admin]", wanted, c.config)
}

// apiFailure is an error that the engine answered.
type apiFailure struct {
	Status   int
	Message  string
	Problems []string
}

func (e *apiFailure) Error() string { return e.Message }

// do makes one request and decodes a 2xx answer into out (nil: not wanted).
func (a *adminClient) do(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	return a.send(ctx, method, path, "application/json", body, out)
}

// send is do with a body of any kind.
func (a *adminClient) send(ctx context.Context, method, path, kind string, body io.Reader, out any) error {
	resp, err := a.ask(ctx, method, path, kind, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if out == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(out)
}

// ask makes one request and returns its answer, to be closed, where that is 2xx.
func (a *adminClient) ask(ctx context.Context, method, path, kind string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, a.base+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", kind)
	if a.token != "" {
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
	resp, err := a.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the running engine: %w (is it still running?)", err)
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusUnauthorized {
		return nil, &apiFailure{Status: resp.StatusCode, Message: a.denied()}
	}
	return nil, refusal(resp)
}

// refusal is what an answer says is wrong.
func refusal(resp *http.Response) error {
	var f struct {
		Error    struct{ Message string }
		Problems []string
	}
	if err := json.NewDecoder(resp.Body).Decode(&f); err != nil || f.Error.Message == "" {
		return &apiFailure{Status: resp.StatusCode, Message: "the engine answered " + resp.Status}
	}
	return &apiFailure{resp.StatusCode, f.Error.Message, f.Problems}
}

// reloadVerb: 0 applied, 1 refused.
func reloadVerb(ctx context.Context, c *call) int {
	if code, ok := c.parse(0, 0); !ok {
		return code
	}
	var a *adminClient
	if cfg, err := c.load(); cfg == nil { // the engine would say the same
		c.sayConfig(err, exitFailed)
	} else {
		a, _ = c.admin()
	}
	if a == nil {
		fmt.Fprintln(c.Err, "nothing was reloaded; an engine that runs goes on with the configuration it has")
		return exitFailed
	}
	err := a.do(ctx, http.MethodPost, "/api/v1/reload", nil, nil)
	var refused *apiFailure
	known := errors.As(err, &refused)
	if c.json && (err == nil || known) {
		answer := map[string]any{"reloaded": err == nil}
		if known {
			answer["error"], answer["problems"] = refused.Message, refused.Problems
		}
		json.NewEncoder(c.Out).Encode(answer)
		if err != nil {
			return exitFailed
		}
		return exitOK
	}
	if known {
		for _, p := range refused.Problems {
			fmt.Fprintln(c.Err, p)
		}
	}
	if err != nil {
		c.say(err)
		return exitFailed
	}
	fmt.Fprintln(c.Out, "reloaded")
	return exitOK
}
