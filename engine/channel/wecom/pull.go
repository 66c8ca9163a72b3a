package wecom

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// pullLimit is how many messages one page holds. The platform gives up to 1000;
// a page is one act of the store.
const pullLimit = 200

// freshAge is how old messages may be that the first pull of all brings, where
// the account sets no max_age.
const freshAge = 10 * time.Minute

// Pull implements channel.Puller: source is a customer-service account
// (open_kfid), token what its bell gave, good for ten minutes. Without one, or
// with one that the platform does not know any more, it pulls all the same; the
// platform then allows it less often.
//
// The platform keeps messages for three days, and without a cursor gives them
// all. Nobody wants to be answered after so long, so the first pull and its
// further pages leave out what is older than the account's max_age; until it
// has caught up its cursor carries the time of its beginning.
func (s *appSender) Pull(ctx context.Context, source, token, cursor string) (channel.Page, error) {
	since, cursor := s.caughtUp(cursor)
	body, err := s.sync(ctx, source, token, cursor)
	if codeOf(err) == codeKfToken && token != "" {
		body, err = s.sync(ctx, source, "", cursor)
	}
	if err != nil {
		return channel.Page{}, sendError(err)
	}
	var answer struct {
		Next string            `json:"next_cursor"`
		More json.Number       `json:"has_more"`
		List []json.RawMessage `json:"msg_list"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return channel.Page{}, new(channel.Call).Fail(channel.Transient, http.StatusOK, "unreadable answer from kf/sync_msg: "+err.Error())
	}
	page := channel.Page{Cursor: cursor, More: answer.More == "1"}
	if answer.Next != "" {
		page.Cursor = answer.Next
	}
	if page.More && page.Cursor == cursor {
		page.More = false // it would go on for ever
	}
	for _, item := range answer.List {
		if e := s.pulled(source, item); e.Time.IsZero() || !e.Time.Before(since) {
			page.Events = append(page.Events, e)
		}
	}
	if page.More && !since.IsZero() {
		page.Cursor = fresh + strconv.FormatInt(since.Unix(), 10) + "/" + page.Cursor
	}
	return page, nil
}

// fresh begins the cursor of a pull that has not caught up yet; the time of the
// oldest message it wants and the platform's own cursor follow.
const fresh = "fresh/"

// caughtUp takes a cursor apart; since is zero once everything is wanted.
func (s *appSender) caughtUp(cursor string) (since time.Time, theirs string) {
	if cursor == "" {
		age := freshAge
		if s.maxAge > 0 {
			age = s.maxAge
		}
		return s.now().Add(-age).Truncate(time.Second), ""
	}
	rest, ok := strings.CutPrefix(cursor, fresh)
	if !ok {
		return time.Time{}, cursor
	}
	at, theirs, _ := strings.Cut(rest, "/")
	return unix(at), theirs
}

// sync fetches one page. It takes nothing away, so it may be made again.
func (s *appSender) sync(ctx context.Context, openKfID, token, cursor string) ([]byte, error) {
	q := object{"open_kfid": openKfID, "limit": pullLimit}
	if token != "" {
		q["token"] = token
	}
	if cursor != "" {
		q["cursor"] = cursor
	}
	body, err := encode(q)
	if err != nil {
		return nil, err
	}
	return s.tokens.withToken(ctx, func(access string) ([]byte, error) {
		q := request{path: "kf/sync_msg", body: body, witness: "next_cursor", harmless: true}
		return s.do(channel.LongReplies(ctx), withToken(q, access))
	})
}

// pulled reads an item of customer service. Every item becomes an event, so
// that none is lost that is not understood yet.
func (s *appSender) pulled(openKfID string, item []byte) *engine.Event {
	d, _ := parseJSON(item) // what was read before a failure is better than nothing
	e := kfItem(openKfID, d)
	e.Account, e.Raw = s.account, item
	if e.ID == "" || len(e.ID) > maxID {
		e.ID = "sha256:" + short(string(item))
	}
	return e
}
