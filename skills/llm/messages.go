package llm

import (
	"fmt"

	openai "github.com/sashabaranov/go-openai"

	"bot/skills/render"
)

// message is one line of what a model is given to read.
type message = openai.ChatCompletionMessage

// messages are the operator's words, what was said before, and the question.
// What users wrote stands in messages of the user alone.
func (s *skill) messages(d *render.Data, past history, question string) ([]message, error) {
	var all []message
	if s.system != nil {
		text, err := s.system.Execute(facts(d))
		if err != nil {
			return nil, fmt.Errorf("system: %w", err)
		}
		all = append(all, message{Role: openai.ChatMessageRoleSystem, Content: text})
	}
	for _, x := range past {
		all = append(all,
			message{Role: openai.ChatMessageRoleUser, Content: x.Asked},
			message{Role: openai.ChatMessageRoleAssistant, Content: x.Answered})
	}
	return append(all, message{Role: openai.ChatMessageRoleUser, Content: question}), nil
}

// Characters of what may stand in the operator's words.
const (
	maxName = 40
	maxID   = 128
)

// facts are what the operator's words may name: who speaks, where and when, and
// nothing that they said. A name is of its owner's choice, so it is short, on one
// line, and in brackets that it cannot close.
func facts(d *render.Data) *render.Data {
	return &render.Data{
		User: label(d.User, maxID), UserName: bracketed(label(d.UserName, maxName)),
		Conversation: label(d.Conversation, maxID), Account: d.Account, Day: d.Day, Now: d.Now,
	}
}
