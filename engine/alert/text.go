package alert

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"bot/engine/clip"
	"bot/engine/reason"
)

// The languages of messages.
const (
	Chinese = "zh"
	English = "en"
	Both    = "both"
)

// Languages are those that there are.
func Languages() []string { return []string{Chinese, English, Both} }

// maxDetail bounds what one line says of the details, in characters.
const maxDetail = 300

// Render writes a message out in at most limit bytes; 0 is no limit. Lines that
// do not fit are counted at its end.
func (m *Message) Render(limit int) string {
	var heads []string
	if m.Language != English {
		heads = append(heads, "bot 告警")
	}
	if m.Language != Chinese {
		heads = append(heads, "bot alert")
	}
	text := strings.Join(heads, " / ")
	for i, l := range m.Lines {
		next := text + "\n" + m.line(&l)
		// There must be room for the foot in case that the next line does not fit.
		if limit > 0 && len(next)+len(m.foot(len(m.Lines)+m.Omitted)) > limit {
			if i == 0 { // one line at least, however short
				text = clip.Dots(next, limit-len(m.foot(len(m.Lines)+m.Omitted)))
				i++
			}
			return text + m.foot(len(m.Lines)-i+m.Omitted)
		}
		text = next
	}
	return text + m.foot(m.Omitted)
}

// foot says how many more there are.
func (m *Message) foot(more int) string {
	if more <= 0 {
		return ""
	}
	zh, en := fmt.Sprintf("\n另有 %d 条未列出", more), fmt.Sprintf("\n%d more are left out", more)
	switch m.Language {
	case Chinese:
		return zh
	case English:
		return en
	}
	return zh + en
}

func (m *Message) line(l *Line) string {
	switch m.Language {
	case Chinese:
		return m.chinese(l)
	case English:
		return m.english(l)
	}
	return m.chinese(l) + "\n" + m.english(l)
}

func (m *Message) chinese(l *Line) string {
	var b strings.Builder
	switch {
	case l.State == Recovered:
		b.WriteString("【恢复】")
	case l.Level == Serious:
		b.WriteString("【严重】")
	default:
		b.WriteString("【注意】")
	}
	b.WriteString(about(l) + traitOf(l.Kind).zh)
	if l.State == Recovered {
		return b.String() + "，持续 " + span(l.Latest.Sub(l.Since))
	}
	if text := cmp.Or(l.TextZH, reason.In(Chinese, l.Text)); text != "" {
		b.WriteString("：" + detail(text))
	}
	if l.Count > 1 {
		fmt.Fprintf(&b, "（%s 起 %d 次）", m.clock(l.Since), l.Count)
	}
	return b.String()
}

func (m *Message) english(l *Line) string {
	var b strings.Builder
	if l.State == Recovered {
		fmt.Fprintf(&b, "[recovered] %s%s, after %s", about(l), traitOf(l.Kind).en, span(l.Latest.Sub(l.Since)))
		return b.String()
	}
	fmt.Fprintf(&b, "[%s] %s%s", l.Level, about(l), traitOf(l.Kind).en)
	if l.Text != "" {
		b.WriteString(": " + detail(l.Text))
	}
	if l.Count > 1 {
		fmt.Fprintf(&b, " (%d times since %s)", l.Count, m.clock(l.Since))
	}
	return b.String()
}

// about names the account and what within it a line is about.
func about(l *Line) string {
	switch {
	case l.Account != "" && l.Subject != "":
		return l.Account + " (" + detail(l.Subject) + "): "
	case l.Account != "" || l.Subject != "":
		return l.Account + detail(l.Subject) + ": "
	}
	return ""
}

func (m *Message) clock(t time.Time) string {
	if m.Location != nil {
		t = t.In(m.Location)
	}
	return t.Format("15:04:05")
}

// span is a length of time for people.
func span(d time.Duration) string {
	if d < time.Minute {
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}

// detail shortens one.
func detail(s string) string {
	s = strings.ToValidUTF8(strings.TrimSpace(s), "�")
	if utf8.RuneCountInString(s) <= maxDetail {
		return s
	}
	return string([]rune(s)[:maxDetail]) + "…"
}
