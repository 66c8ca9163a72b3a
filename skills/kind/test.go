package kind

import (
	"net/http"

	"bot/engine"
	"bot/engine/nearest"
)

// tests checks the dialogues beside the skill.
func (d *Draft) tests() {
	for i, t := range d.Test {
		if key := Path("test", i); d.Has(key) && d.Lacks(key, len(t.Send) == 0 || len(t.Expect) == 0) {
			d.Problem(key, `a test needs both send and expect (send = ["hello"], expect = ["Hi"])`)
		}
		var answers []engine.Answer
		for j, v := range t.Answers {
			answers = append(answers, d.answer(Path("test", i, "answers", j), v))
		}
		d.Answers = append(d.Answers, answers)
	}
}

// answer reads what another system is taken to answer in a test.
func (d *Draft) answer(key string, v any) (a engine.Answer) {
	switch v := v.(type) {
	case string:
		a.Body = v
	case map[string]any:
		for name, value := range v {
			number, isNumber := value.(int64)
			text, isText := value.(string)
			switch {
			case name == "status" && isNumber && http.StatusContinue < number && number < 600:
				a.Status = int(number)
			case name == "status":
				d.Problem(key+".status", "status is a number from 101 to 599, as of HTTP (status = 404)")
			case name == "body" && isText:
				a.Body = text
			case name == "body":
				d.Problem(key+".body", `body is a text in quotes (body = '{"status":"sent"}')`)
			default:
				d.Problem(key+"."+name, "unknown key %q%s", name, nearest.Hint(name, []string{"status", "body"}))
			}
		}
	default:
		d.Problem(key, `an answer is a text, or {status = 404, body = "…"}`)
	}
	return a
}
