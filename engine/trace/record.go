package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bot/engine/clip"
)

// A record is a JSON object with short keys, so that it can be read without this
// program: ids, and steps of [nanoseconds since 1970, step, account, skill, task
// id, note], the empty ones at the end left out. It is written by hand, since that
// is done for every message, and read by the library.

// record is how an entry is read.
type record struct {
	Account      string  `json:"a"`
	Conversation string  `json:"c"`
	Event        string  `json:"m"`
	Ref          string  `json:"e"`
	Task         string  `json:"k"`
	Trace        string  `json:"x"`
	Steps        [][]any `json:"s"`
}

// append writes the entry's record behind b.
func (e *Entry) append(b []byte) []byte {
	b = append(b, '{')
	for _, f := range [...]struct{ key, value string }{
		{`"a":`, e.Account}, {`"c":`, e.Conversation}, {`"m":`, e.Event}, {`"e":`, e.Ref}, {`"k":`, e.Task}, {`"x":`, e.Trace},
	} {
		if f.value != "" {
			b = appendQuoted(append(b, f.key...), f.value)
			b = append(b, ',')
		}
	}
	b = append(b, `"s":[`...)
	for i := range e.Steps {
		if i > 0 {
			b = append(b, ',')
		}
		b = e.Steps[i].append(b)
	}
	return append(b, "]}"...)
}

func (s *Step) append(b []byte) []byte {
	b = append(b, '[')
	b = strconv.AppendInt(b, s.Time.UnixNano(), 10)
	fields := [...]string{s.Step, s.Account, s.Skill, s.TaskID, clip.Dots(s.Note, MaxNote)}
	n := len(fields)
	for n > 0 && fields[n-1] == "" {
		n--
	}
	for _, f := range fields[:n] {
		b = append(b, ',')
		b = appendQuoted(b, f)
	}
	return append(b, ']')
}

func quoted(s string) []byte { return appendQuoted(make([]byte, 0, len(s)+2), s) }

const hex = "0123456789abcdef"

// appendQuoted writes a JSON string. The same text always becomes the same bytes,
// so that a record can be searched for one.
func appendQuoted(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	b = append(b, '"')
	plain := 0 // where what can be taken over as it is begins
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[plain:i]...)
		plain = i + 1
		if c < ' ' {
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		} else {
			b = append(b, '\\', c)
		}
	}
	return append(append(b, s[plain:]...), '"')
}

// parse reads a record.
func parse(rec []byte) (Entry, error) {
	var r record
	d := json.NewDecoder(bytes.NewReader(rec))
	d.UseNumber() // a time has more digits than a float64
	if err := d.Decode(&r); err != nil {
		return Entry{}, fmt.Errorf("read trace: %w", err)
	}
	e := Entry{Account: r.Account, Conversation: r.Conversation, Event: r.Event, Ref: r.Ref, Task: r.Task, Trace: r.Trace}
	for _, fields := range r.Steps {
		s, err := parseStep(fields)
		if err != nil {
			return Entry{}, err
		}
		if s.Account == "" {
			s.Account = e.Account
		}
		if s.TaskID == "" {
			s.TaskID = e.Task
		}
		e.Steps = append(e.Steps, s)
	}
	return e, nil
}

func parseStep(fields []any) (s Step, err error) {
	into := [...]*string{&s.Step, &s.Account, &s.Skill, &s.TaskID, &s.Note}
	if len(fields) == 0 || len(fields) > len(into)+1 {
		return s, fmt.Errorf("read trace: a step of %d parts", len(fields))
	}
	at, ok := fields[0].(json.Number)
	if !ok {
		return s, fmt.Errorf("read trace: %v is no time", fields[0])
	}
	ns, err := at.Int64()
	if err != nil {
		return s, fmt.Errorf("read trace: %w", err)
	}
	s.Time = time.Unix(0, ns).UTC()
	for i, f := range fields[1:] {
		if *into[i], ok = f.(string); !ok {
			return s, fmt.Errorf("read trace: %v is no text", f)
		}
	}
	return s, nil
}
