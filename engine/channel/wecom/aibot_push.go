package wecom

import (
	"context"
	"errors"
	"net/url"

	"bot/engine"
	"bot/engine/channel"
)

// responsePath is where response_urls lead to (page 101138).
const responsePath = "/cgi-bin/aibot/response"

// push posts one message to the response_url of the event. That is good once
// and for an hour; whether the platform used it up although no answer came is
// told by its refusal of a second attempt.
func (s *botSender) push(ctx context.Context, id streamID, c *engine.Command, body object) error {
	if r := s.record(id); r.seen(short(c.TaskID)) {
		return nil
	}
	address := s.memory.Recall(s.account, id.url())
	if address == "" {
		return s.lose(ctx, id, c, permanent("no way to the user is left: the stream is over, full or shows no cards, and the response_url is spent or was not given"))
	}
	u, err := s.trusted(address)
	if err != nil {
		return s.lose(ctx, id, c, err)
	}
	encoded, err := encode(body)
	if err != nil {
		return s.lose(ctx, id, c, err)
	}
	err = s.respond(ctx, u, encoded)
	spent := codeOf(err) == codeResponse
	err = arrived(ctx, err, spentCode(codeResponse))
	if err == nil || spent {
		// Should the note not be kept, the platform says that it is spent.
		_ = s.memory.Remember(ctx, s.account, engine.Note{Key: id.url()})
	}
	switch e, failed := errors.AsType[*channel.SendError](err); {
	case !failed:
		s.finish(ctx, id, c)
	case e.Class == channel.Permanent:
		return s.lose(ctx, id, c, err)
	}
	return err
}

// trusted reads a response_url. It came in a signed callback, but what answers
// hold is for the platform alone: it must lead there, or to where the account
// says that the platform is.
func (s *botSender) trusted(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || channel.CheckURL(u) != nil {
		return nil, permanent("the response_url is no address")
	}
	ours := u.Scheme == s.base.Scheme && u.Host == s.base.Host && u.Path == s.base.JoinPath(responsePath).Path
	theirs := u.Scheme+"://"+u.Host == BaseURL && u.Path == responsePath
	if !ours && !theirs {
		return nil, permanent("the response_url leads to " + u.Host + ", which is not the platform")
	}
	return u, nil
}

// respond posts to a response_url, in the clear and without a token.
func (s *botSender) respond(ctx context.Context, u *url.URL, body []byte) error {
	call := channel.Call{
		URL: u, Header: contentType.Clone(), Body: body, Now: s.now,
		Secrets: append([]string{u.Query().Get("response_code"), u.RawQuery}, s.secrets...),
	}
	_, err := s.exchange(ctx, &call, &request{path: "aibot/response"})
	return err
}
