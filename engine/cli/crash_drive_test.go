package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"bot/engine/stub"
)

// Here is what is asked of the engine so that a point is passed which callers
// do not pass. Each drive goes on, through deaths, until all it asked for was
// acknowledged, and notes what must come of it.

// eventually waits, in any goroutine.
func (c *crashes) eventually(what string, cond func() bool) bool {
	c.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if cond() {
			return true
		}
	}
	c.t.Errorf("waited in vain until %s", what)
	return false
}

// letter waits for the dead letter that answers to a description and returns
// its path.
func (c *crashes) letter(taskID, text string) (path string) {
	c.t.Helper()
	c.eventually("there is a dead letter "+taskID+text, func() bool {
		for _, l := range c.dead() {
			if l.TaskID == taskID && l.Text == text {
				path = fmt.Sprint("/api/v1/dead/", l.ID)
			}
		}
		return path != ""
	})
	c.letters++
	return path
}

// expect waits until somebody was told as many texts, and has settle compare them.
func (c *crashes) expect(user string, texts ...string) {
	c.t.Helper()
	c.strangers[user] = texts
	c.eventually(user+" is answered", func() bool {
		heard := 0
		for _, call := range c.platform.Calls(func(call stub.Call) bool { return bytes.Contains(call.Body, []byte(user)) }) {
			if stub.Text(user)(call) && !call.Repeat && call.Status/100 == 2 {
				heard++
			}
		}
		return heard >= len(texts)
	})
}

// bury has an event fail until it is given up.
func (c *crashes) bury() (path, user, text string) {
	c.t.Helper()
	c.round++
	user, text = fmt.Sprint("odd", c.round), fmt.Sprint("odd ", c.round)
	c.strangers[user] = nil
	c.put("broken")
	defer c.remove("broken")
	c.tell(fmt.Sprint("b", c.round), user, text)
	return c.letter("", text), user, text
}

// drop buries an event and forgets it.
func (c *crashes) drop() {
	path, _, _ := c.bury()
	c.ask(http.MethodDelete, path, "", http.StatusOK, http.StatusNotFound)
	c.letters--
}

// replay buries an event and has it handled after all.
func (c *crashes) replay() {
	path, user, text := c.bury()
	c.ask(http.MethodPost, path+"/replay", "", http.StatusOK, http.StatusNotFound)
	c.letters--
	c.expect(user, text)
}

// giveUp has the platform refuse a command for good.
func (c *crashes) giveUp() (path, user string) {
	c.t.Helper()
	c.round++
	user = fmt.Sprint("x", c.round)
	c.strangers[user] = nil
	c.refuse.Store(true)
	defer c.refuse.Store(false)
	c.enter("shop", user, user)
	return c.letter(user, user), user
}

// replayCommand has a refused command sent after all.
func (c *crashes) replayCommand() {
	path, user := c.giveUp()
	c.ask(http.MethodPost, path+"/replay", "", http.StatusOK, http.StatusNotFound)
	c.letters--
	c.expect(user, user)
}

// enter hands in a text as another system would, whose task id it is.
func (c *crashes) enter(account, user, taskID string) {
	c.t.Helper()
	body := fmt.Sprintf(`{"task_id":%q,"account_id":%q,"action":"send_text","timestamp":1772600000,"params":{"to":%q,"content":%q}}`, taskID, account, user, taskID)
	c.ask(http.MethodPost, "/api/v1/commands", body, http.StatusAccepted, http.StatusOK)
}

// retry hands in a text that the platform takes at the second attempt.
func (c *crashes) retry() {
	c.round++
	user := fmt.Sprint("y", c.round)
	c.enter("shop", user, user)
	c.expect(user, user)
}

// submit hands in a text that is to be sent.
func (c *crashes) submit() {
	c.round++
	task := fmt.Sprint("s", c.round)
	c.enter("shop", "system", task)
	c.strangers["system"] = append(c.strangers["system"], task)
}

// submitPage is submit of what begins a job of many.
func (c *crashes) submitPage() {
	c.round++
	task := fmt.Sprint("page", c.round)
	c.enter("shop", "system", task)
	c.strangers["system"] = append(c.strangers["system"], task)
}

// reached tells whether the platform has carried out a command.
func (c *crashes) reached(task string) bool {
	return len(c.platform.Calls(func(call stub.Call) bool { return call.Key == task && (call.Status/100 == 2 || call.Status == 0) })) > 0
}

// stands is how a command stands.
func (c *crashes) stands(task string) string {
	c.t.Helper()
	_, b := c.ask(http.MethodGet, "/api/v1/commands/"+task, "", http.StatusOK)
	var view struct{ State string }
	json.Unmarshal(b, &view)
	return view.State
}

// confirm hands in a text that the platform confirms once it has it; of one that
// never reached it, the process having died before, it says that it failed.
func (c *crashes) confirm() {
	c.t.Helper()
	c.round++
	user, told := fmt.Sprint("w", c.round), 0
	c.strangers[user] = []string{user}
	c.enter("sure", user, user)
	c.eventually(user+" is confirmed", func() bool {
		state := c.stands(user)
		outcome := ""
		switch reached := c.reached(user); {
		case state == "confirmed":
			return true
		case reached:
			outcome = "ok"
		case state == "sent":
			outcome = "failed"
		default:
			return false
		}
		told++
		body := fmt.Sprintf(`{"type":"COMMAND_RESULT","eventId":"%s-%d","taskId":%q,"status":%q}`, user, told, user, outcome)
		resp, err := c.client.Post("http://"+c.bot.current().callback+"/sure", "application/json", strings.NewReader(body))
		if err == nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		return false
	})
}

// resolve hands in a text of which nobody knows whether it went out, and ends the
// doubt as it is.
func (c *crashes) resolve() {
	c.t.Helper()
	c.round++
	user := fmt.Sprint("z", c.round)
	c.strangers[user] = []string{user}
	c.enter("unsure", user, user)
	c.eventually("there is no doubt about "+user, func() bool {
		switch c.stands(user) {
		case "sent", "confirmed":
			return true
		case "in_doubt":
			what := "resend"
			if c.reached(user) && c.round%2 == 0 {
				what = "delivered"
			} else {
				c.book.repeat(user)
			}
			c.ask(http.MethodPost, "/api/v1/in-doubt/"+user+"/"+what, "", http.StatusOK, http.StatusConflict)
		}
		return false
	})
}

// cancel hands in a text that cannot be sent, and takes it back.
func (c *crashes) cancel() {
	c.round++
	task := fmt.Sprint("c", c.round)
	c.enter("away", "nobody", task)
	c.eventually(task+" is cancelled", func() bool {
		if code, _ := c.ask(http.MethodDelete, "/api/v1/commands/"+task, "", http.StatusOK, http.StatusConflict); code == http.StatusOK {
			return true
		}
		_, b := c.ask(http.MethodGet, "/api/v1/commands/"+task, "", http.StatusOK)
		var view struct{ State string }
		return json.Unmarshal(b, &view) == nil && view.State == "cancelled"
	})
}

// standing blocks somebody and lets them in again.
func (c *crashes) standing() {
	c.round++
	user := fmt.Sprint("k", c.round)
	for _, method := range []string{http.MethodPut, http.MethodDelete} {
		c.ask(method, "/api/v1/blocked/shop/"+user, "", http.StatusOK)
		_, b := c.ask(http.MethodGet, "/api/v1/blocked?account=shop", "", http.StatusOK)
		if listed := bytes.Contains(b, []byte(`"`+user+`"`)); listed != (method == http.MethodPut) {
			c.t.Errorf("%s was blocked or not, %s was acknowledged, and the list is %s", user, method, b)
		}
	}
}

// pause stops the account that cannot send anyway, and lets it go again.
func (c *crashes) pause() {
	for _, verb := range []string{"pause", "resume"} {
		c.ask(http.MethodPost, "/api/v1/"+verb, `{"account":"away"}`, http.StatusOK)
		_, b := c.ask(http.MethodGet, "/api/v1/status", "", http.StatusOK)
		if held := bytes.Contains(b, []byte(`"away":"paused`)); held != (verb == "pause") {
			c.t.Errorf("%s was acknowledged, and the status is %s", verb, b)
		}
	}
}

// fetch has a customer say something that is to be fetched.
func (c *crashes) fetch() {
	c.t.Helper()
	c.round++
	c.answers++
	said := stub.Said{ID: fmt.Sprint("kf", c.round), User: fmt.Sprint("wm", c.round), Group: "wkService", Text: "n1"}
	c.eventually("the doorbell is acknowledged", func() bool {
		told, err := c.service.Tell(context.Background(), "http://"+c.bot.current().callback+"/service", said)
		return err == nil && told.Taken
	})
	c.eventually(said.User+" is answered", func() bool { return c.service.Counts().Done >= c.answers })
}

// expire begins a form and lets its time run out.
func (c *crashes) expire() {
	c.round++
	user := fmt.Sprint("late", c.round)
	c.tell(user, user, "late")
	c.expect(user, "SOON?", "LATE")
}

// inHand has n events that do not end, and kills the process that handles them.
func (c *crashes) inHand(n int) {
	c.t.Helper()
	c.put("hold")
	for range n {
		c.round++
		user, text := fmt.Sprint("h", c.round), fmt.Sprint("odd ", c.round)
		c.strangers[user] = []string{text}
		c.tell(user, user, text)
		c.until(text+" is in hand", func() bool {
			_, err := os.Stat(c.file(text))
			return err == nil
		})
	}
	c.bot.current().kill()
	c.book.cut(time.Now())
	c.remove("hold")
}

// tidy drops every letter that is left.
func (c *crashes) tidy() {
	for _, l := range c.dead() {
		c.ask(http.MethodDelete, fmt.Sprint("/api/v1/dead/", l.ID), "", http.StatusOK)
		c.letters--
	}
}
