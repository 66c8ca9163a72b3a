package api

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/julienschmidt/httprouter"

	"bot/engine"
	"bot/store"
)

// Letter is a dead letter as the API shows it.
type Letter struct {
	ID           uint64      `json:"id"`
	What         string      `json:"what"` // event | command
	Account      string      `json:"account"`
	Conversation string      `json:"conversation"`
	Kind         string      `json:"kind,omitempty"`
	MsgID        string      `json:"msg_id,omitempty"`
	EventID      string      `json:"event_id,omitempty"`
	TaskID       string      `json:"task_id,omitempty"`
	Action       string      `json:"action,omitempty"`
	Skill        string      `json:"skill,omitempty"`
	Text         string      `json:"text,omitempty"`
	Attempts     int         `json:"attempts"`
	Tries        []store.Try `json:"tries,omitempty"`
	Error        string      `json:"error"`
	Time         time.Time   `json:"time"`
}

// pageSize bounds one answer; the next page begins after its last id.
const pageSize = 100

// LetterOf shows a dead letter.
func LetterOf(l store.Letter) Letter {
	v := Letter{ID: l.ID, Skill: l.Skill, Attempts: l.Count, Tries: l.Tries, Error: l.Error, Time: l.Time}
	if e := l.Event; e != nil {
		v.What, v.Account, v.Conversation = "event", e.Account, e.Conversation
		v.Kind, v.MsgID, v.EventID, v.Text = string(e.Kind), e.ID, e.Ref(), e.Text
	}
	if c := l.Command; c != nil {
		v.What, v.Account, v.Conversation = "command", c.Account, c.Conversation
		v.TaskID, v.Action, v.EventID, v.Text = c.TaskID, string(c.Action), c.Origin, c.Text
	}
	return v
}

// letters lists dead letters, page by page: ?account=shop&after=ID&limit=N.
func (a *api) letters(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	after, limit, ok := pageOf(w, q, "a dead letter")
	if !ok {
		return
	}
	out, err := a.o.deadOf(q.Get("account"), after, limit)
	if err != nil {
		a.storeError(w, err)
		return
	}
	if after == 0 && len(out) == 0 && !a.listed(w, q.Get("account")) {
		return
	}
	reply(w, http.StatusOK, map[string]any{"dead": out})
}

// listed answers 404 where a list that turned out empty was asked for an account that
// there is not, which is most likely a slip. One that was taken out of the
// configuration stays visible as long as something of it is there.
func (a *api) listed(w http.ResponseWriter, account string) bool {
	return account == "" || a.known(w, account)
}

// pageOf reads ?after=&limit=, where after is the id of what, or answers what is wrong.
func pageOf(w http.ResponseWriter, q url.Values, what string) (after uint64, limit int, ok bool) {
	limit = pageSize
	var err error
	if s := q.Get("after"); s != "" {
		if after, err = strconv.ParseUint(s, 10, 64); err != nil {
			fail(w, http.StatusBadRequest, "after", "after must be the id of "+what)
			return 0, 0, false
		}
	}
	if s := q.Get("limit"); s != "" {
		if limit, err = strconv.Atoi(s); err != nil || limit < 1 || limit > maxPage {
			fail(w, http.StatusBadRequest, "limit", "limit must be a number from 1 to "+strconv.Itoa(maxPage))
			return 0, 0, false
		}
	}
	return after, limit, true
}

// deadOf returns at most limit dead letters behind the id after, of an account or of
// all (""), in the order in which they were given up.
func (o *Options) deadOf(account string, after uint64, limit int) ([]Letter, error) {
	all, some := []Letter{}, max(limit, pageSize)
	for {
		page, err := o.Letters.Letters(after, some)
		if err != nil {
			return nil, err
		}
		for _, l := range page {
			v := LetterOf(l)
			if after = l.ID; account != "" && v.Account != account {
				continue
			}
			if all = append(all, v); len(all) == limit {
				return all, nil
			}
		}
		if len(page) < some {
			return all, nil
		}
	}
}

func (a *api) withID(h func(http.ResponseWriter, *http.Request, uint64)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, err := strconv.ParseUint(httprouter.ParamsFromContext(r.Context()).ByName("id"), 10, 64)
		if err != nil {
			fail(w, http.StatusBadRequest, "id", "the id of a dead letter is a number")
			return
		}
		h(w, r, id)
	})
}

func (a *api) letter(w http.ResponseWriter, _ *http.Request, id uint64) {
	l, err := a.o.Letters.Letter(id)
	if err != nil {
		a.storeError(w, err)
		return
	}
	reply(w, http.StatusOK, LetterOf(l))
}

func (a *api) drop(w http.ResponseWriter, r *http.Request, id uint64) {
	if err := a.o.Drop(r.Context(), id, "api"); err != nil {
		a.storeError(w, err)
		return
	}
	reply(w, http.StatusOK, map[string]string{"status": "dropped"})
}

func (a *api) replay(w http.ResponseWriter, r *http.Request, id uint64) {
	if err := a.o.Replay(r.Context(), id, "api"); err != nil {
		a.storeError(w, err)
		return
	}
	reply(w, http.StatusOK, map[string]string{"status": "replayed"})
}

// Replay puts a dead letter back into the pipeline. by is through what a person asked
// for it, as the log names it. The error is store.ErrGone where there is no such letter,
// or the store's.
func (o *Options) Replay(ctx context.Context, id uint64, by string) error {
	l, err := o.Letters.Letter(id)
	if err != nil {
		return err
	}
	var counts []engine.Count
	if l.Command != nil && o.Revived != nil {
		counts = o.Revived(l.Command)
	}
	if err := o.Letters.Replay(ctx, id, counts...); err != nil {
		return err
	}
	o.Replayed(l)
	o.Log.Info("dead letter replayed", "letter", id, "by", by)
	return nil
}

// Drop forgets a dead letter, as Replay puts it back.
func (o *Options) Drop(ctx context.Context, id uint64, by string) error {
	if err := o.Letters.Drop(ctx, id); err != nil {
		return err
	}
	o.Log.Info("dead letter dropped", "letter", id, "by", by)
	return nil
}
