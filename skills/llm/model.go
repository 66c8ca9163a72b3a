package llm

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"bot/engine"
	"bot/engine/fetch"
)

// model is an endpoint and how it is asked. It is safe for concurrent use.
type model struct {
	baseURL string
	key     engine.Secret
	request openai.ChatCompletionRequest // all but the messages
	client  *http.Client
	now     func() time.Time
}

// answer is what a model said.
type answer struct {
	text string
	// cut says that it had more to say than max_tokens allows.
	cut bool
	// charged is how many requests the endpoint may have worked for, answered or not.
	charged int
}

// complete makes one request and calls show with what has come so far. Its error
// is a *failure; the answer then tells only what is charged.
func (m *model) complete(ctx context.Context, messages []message, show func(string)) (answer, error) {
	c := &call{client: m.client, now: m.now}
	config := openai.DefaultConfig(m.key.Reveal())
	config.BaseURL, config.HTTPClient = m.baseURL, c
	config.EmptyMessagesLimit = maxBody // lines that keep the connection alive; the body is bounded
	api := openai.NewClientWithConfig(config)

	request := m.request
	request.Messages = messages
	var text string
	var finish openai.FinishReason
	var err error
	if request.Stream {
		text, finish, err = streamed(ctx, api, request, show)
	} else {
		text, finish, err = whole(ctx, api, request)
	}
	if errors.Is(err, errUnfinished) && text != "" && c.complete() {
		finish, err = openai.FinishReasonStop, nil // some endpoints give no reason, and an end all the same
	}
	if err != nil {
		f := c.failure(ctx, err, m.key.Reveal())
		return answer{charged: f.charged()}, f
	}
	return said(text, finish)
}

// said judges what came.
func said(text string, finish openai.FinishReason) (answer, error) {
	text = spoken(text)
	switch {
	case finish == openai.FinishReasonContentFilter:
		return answer{charged: 1}, &failure{why: "the endpoint's content filter stopped the answer", void: true}
	case text == "" && finish == openai.FinishReasonLength:
		return answer{charged: 1}, &failure{why: "the model spent all of max_tokens on its thoughts and answered nothing", void: true}
	case text == "":
		return answer{charged: 1}, &failure{why: "the model answered nothing", void: true}
	}
	return answer{text: text, cut: finish == openai.FinishReasonLength, charged: 1}, nil
}

// whole waits for the answer as one.
func whole(ctx context.Context, api *openai.Client, r openai.ChatCompletionRequest) (string, openai.FinishReason, error) {
	resp, err := api.CreateChatCompletion(ctx, r)
	if err != nil || len(resp.Choices) == 0 {
		return "", "", err
	}
	text := resp.Choices[0].Message.Content
	if len(text) > maxText {
		return "", "", errTooLarge
	}
	return text, resp.Choices[0].FinishReason, nil
}

// errUnfinished is a stream that ended before the answer did. Half an answer may
// say the opposite of the whole.
var errUnfinished = errors.New("the answer broke off")

// streamed reads the answer piece by piece.
func streamed(ctx context.Context, api *openai.Client, r openai.ChatCompletionRequest, show func(string)) (string, openai.FinishReason, error) {
	stream, err := api.CreateChatCompletionStream(ctx, r)
	if err != nil {
		return "", "", err
	}
	defer stream.Close()
	var text strings.Builder
	var finish openai.FinishReason
	for {
		chunk, err := stream.Recv()
		switch {
		case err != nil && finish != "":
			return text.String(), finish, nil // whatever went wrong after the end
		case errors.Is(err, io.EOF):
			return text.String(), "", errUnfinished
		case err != nil:
			return "", "", err
		}
		for _, c := range chunk.Choices {
			if c.Index == 0 {
				text.WriteString(c.Delta.Content)
				finish = cmp.Or(finish, c.FinishReason)
			}
		}
		if text.Len() > maxText {
			return "", "", errTooLarge
		}
		show(text.String())
	}
}

// canned answers from a test's list of answers: a text stands for the model's
// words, a status for a refusal. Nothing is tried twice there, and how an
// endpoint did in a test says nothing about it.
func canned(ctx context.Context) (a answer, tried bool, err error) {
	given, tried, err := fetch.Next(ctx)
	switch {
	case !tried:
		return answer{}, false, nil
	case err != nil:
		return answer{}, true, err
	case given.Status >= http.StatusMultipleChoices:
		return answer{}, true, refusal(given.Status, "")
	}
	a, err = said(given.Body, openai.FinishReasonStop)
	return a, true, err
}
