package render

import (
	"strings"
	"testing"
	"time"

	"bot/engine"
)

func turn() *engine.Turn {
	return &engine.Turn{
		Event: &engine.Event{
			Account: "shop", Kind: engine.Message, Conversation: "u1", Sender: "u1", SenderName: "李雷",
			Text: "查 A1", Actor: "boss", Members: []string{"a", "b"}, MemberNames: []string{"甲", ""},
			Params: map[string]string{"scene": "v3"}, Received: time.Date(2026, 3, 1, 17, 30, 0, 0, time.UTC),
		},
		Account: engine.Account{Name: "shop", Location: time.FixedZone("CST", 8*3600)},
		Match:   []string{"查 A1", "A1"},
		State:   engine.State{Skill: "bind", Data: map[string]string{"phone": "138", "empty": ""}},
	}
}

var scope = Scope{Groups: 2, Saves: []string{"phone", "code", "empty"}, Response: true}

func TestExecute(t *testing.T) {
	data := Of(turn())
	data.Response = map[string]any{
		"status": "sent", "id": float64(12345678), "price": 9.5, "none": nil,
		"items": []any{map[string]any{"name": "杯子"}, map[string]any{"name": "茶"}},
	}
	for _, tt := range []struct{ name, text, want string }{
		{"plain text", "您好", "您好"},
		{"the sender", "{{.User}} {{.UserName}}", "u1 李雷"},
		{"the conversation and account", "{{.Conversation}} {{.Account}}", "u1 shop"},
		{"what was said", "{{.Text}}", "查 A1"},
		{"whom it is about", "{{.Members}}", "甲、b"},
		{"who did it", "{{.Actor}}", "boss"},
		{"what the platform said besides", `{{.Params.scene}}{{index .Params "scene"}}`, "v3v3"},
		{"what it did not say", "[{{.Params.nope}}{{.Params.nope | upper}}]", "[]"},
		{"the match", "{{index .Match 0}}|{{index .Match 1}}", "查 A1|A1"},
		{"collected data", "{{.Data.phone}}", "138"},
		{"data by name", `{{index .Data "phone"}}`, "138"},
		{"the day in the account's time zone", "{{.Day}}", "2026-03-02"},
		{"the time in the account's time zone", `{{.Now.Format "15:04"}}`, "01:30"},
		{"through the root variable", "{{with .Data.phone}}{{.}} of {{$.User}}{{end}}", "138 of u1"},
		{"a condition", "{{if .Data.code}}yes{{else}}no{{end}}", "no"},
		{"a variable", `{{$x := .User}}{{$x}}`, "u1"},
		{"a loop", "{{range $i, $m := .Match}}{{$i}}={{$m}};{{end}}", "0=查 A1;1=A1;"},

		{"data that is not there", "[{{.Data.code}}]", "[]"},
		{"a default for it", `{{.Data.code | default "-"}}{{.Data.empty | default "none"}}`, "-none"},
		{"a default that is not needed", `{{default "-" .Data.phone}}`, "138"},
		{"a response", "{{.Response.status}}", "sent"},
		{"a whole number of JSON", "{{.Response.id}}", "12345678"},
		{"a broken number of JSON", "{{.Response.price}}", "9.5"},
		{"a response's list", "{{range .Response.items}}{{.name}},{{end}}", "杯子,茶,"},
		{"deep into a response", "{{(index .Response.items 1).name}}", "茶"},
		{"a response's table as JSON", "{{index .Response.items 0}}", `{"name":"杯子"}`},
		{"a key the response lacks", "[{{.Response.nope}}]", "[]"},
		{"a null of the response", "[{{.Response.none}}]", "[]"},
		{"a key below one it lacks", "[{{.Response.nope.deeper}}{{$.Response.nope.deeper}}]", "[]"},
		{"a missing value through functions", "[{{.Response.nope | upper}}{{urlquery .Response.nope}}{{print .Response.nope}}{{html .Response.nope}}{{js .Response.nope}}{{len .Response.nope}}]", "[0]"},
		{"an item the list lacks", "[{{index .Response.items 9}}{{index .Response.items -1}}]", "[]"},

		{"upper, lower, trim", `{{upper "ab"}}{{lower "AB"}}{{trim " x "}}`, "ABabx"},
		{"replace", `{{.Text | replace " " "-"}}`, "查-A1"},
		{"join", `{{join "," .Match}}`, "查 A1,A1"},
		{"slice counts characters", `{{slice .Text 0 1}}{{slice .Text 2 99}}{{slice .Text 99}}`, "查A1"},
		{"urlquery", "{{.Text | urlquery}}", "%E6%9F%A5+A1"},
		{"printf", `{{printf "%05d|%s" (len .Match) .User}}`, "00002|u1"},
		{"len of a text is in bytes", "{{len .Text}}", "6"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tmpl, err := Parse(tt.text, scope)
			if err != nil {
				t.Fatal(err)
			}
			got, err := tmpl.Execute(data)
			if err != nil || got != tt.want {
				t.Errorf("%s = %q, %v; want %q", tt.text, got, err, tt.want)
			}
		})
	}
}

func TestWhomAnEventIsAbout(t *testing.T) {
	for _, tt := range []struct {
		name           string
		members, names []string
		want           string
	}{
		{"by their names", []string{"a", "b"}, []string{"甲", "乙"}, "甲、乙"},
		{"by their ids where nobody told a name", []string{"a", "b"}, nil, "a、b"},
		{"by the id where one has none", []string{"a", "b"}, []string{"", "乙"}, "a、乙"},
		{"nobody", nil, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			turn := turn()
			turn.Event.Members, turn.Event.MemberNames, turn.Event.Params = tt.members, tt.names, nil
			tmpl, err := Parse("{{.Members}}{{.Params.x}}", Scope{})
			if err != nil {
				t.Fatal(err)
			}
			if got, err := tmpl.Execute(Of(turn)); err != nil || got != tt.want {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestAResponseIsKnownOnlyWhereAWebServiceAnswered(t *testing.T) {
	if _, err := Parse("{{.Response.status}}", Scope{}); err == nil || !strings.Contains(err.Error(), "no web service has answered") {
		t.Errorf("got %v", err)
	}
}

func TestWithoutAResponseItsFieldsAreEmpty(t *testing.T) {
	tmpl, err := Parse("[{{.Response}}{{.Response.a}}{{.Response.a.b}}{{range .Response.list}}x{{end}}]", scope)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := tmpl.Execute(Of(turn())); err != nil || got != "[]" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"an unknown field", "{{.Usr}}", `there is no .Usr (did you mean "User"?)`},
		{"an unknown field in a branch not taken", "{{if false}}{{.Foo}}{{end}}", "there is no .Foo"},
		{"an unknown field of the root inside with", "{{with .User}}{{$.Foo}}{{end}}", "there is no .Foo"},
		{"an unknown field in an argument", "{{upper (lower .Foo)}}", "there is no .Foo"},
		{"an unknown field in else", "{{if .User}}{{else}}{{.Foo}}{{end}}", "there is no .Foo"},
		{"an unknown field in a condition", "{{if eq .Foo 1}}{{end}}", "there is no .Foo"},
		{"an unknown field in a loop's else", "{{range .Match}}{{else}}{{.Foo}}{{end}}", "there is no .Foo"},
		{"an unknown field given to a variable", "{{$x := .Foo}}{{$x}}", "there is no .Foo"},
		{"two unknown fields are two problems", "{{.Foo}}{{.Bar}}", "there is no .Bar"},
		{"a call that fails as soon as there is a text", `{{if .Text}}{{lt .Text 3}}{{end}}`, "cannot be compared"},
		{"a loop over what is one text", `{{range .User}}x{{end}}`, "range can't iterate over"},
		{"one that is mistyped", "{{.Membres}}", `there is no .Membres (did you mean "Members"?)`},
		{"a field of what the platform said", "{{.Params.scene.x}}", "string has nothing named x"},
		{"a field of a text", "{{.Text.Foo}}", "string has nothing named Foo"},
		{"a field of what with sets", "{{with .Text}}{{.Foo}}{{end}}", "string has nothing named Foo"},
		{"a field of a list's element", "{{range .Match}}{{.Foo}}{{end}}", "string has nothing named Foo"},
		{"no such method of a time", "{{.Now.Fromat}}", "time.Time has nothing named Fromat"},
		{"data no step saves", "{{.Data.phon}}", `no step saves "phon", so there is no .Data.phon (did you mean "phone"?)`},
		{"data no step saves, by index", `{{index .Data "x"}}`, `no step saves "x"`},
		{"a group there is not", "{{index .Match 2}}", "there is no group 2 in .Match, the last one is 1"},
		{"an unknown function", "{{shout .User}}", `function "shout" not defined`},
		{"a field without its dot", "{{User}}", `function "User" not defined (write {{.User}})`},
		{"a field without its dot, in small letters", "{{username}}", `(did you mean {{.UserName}}?)`},
		{"braces left open", "{{.User", "unclosed action (close with }})"},
		{"braces left open before another text", "{{.User 您好}}", "(is a }} missing before it?)"},
		{"one brace of two", "{{.User} 您好", "(close with }})"},
		{"one brace of two after a space", "{{.User }", "(close with }})"},
		{"a full-width comma", "{{.User，}}", "(， is a full-width sign; use the ASCII one)"},
		{"a full-width stop for the dot", "{{。User}}", "(。 is a full-width sign; use the ASCII one)"},
		{"a condition without its end", "{{if .User}}您好", "unexpected EOF (an {{end}} is missing)"},
		{"an end too many", "您好{{end}}", "(there is no {{if}}, {{with}} or {{range}} that it ends)"},
		{"a wrong argument", `{{slice .Text "a"}}`, "expected integer"},
		{"a template of its own", `{{define "x"}}{{end}}`, "templates of its own"},
		{"a call of another template", `{{template "text"}}`, "cannot call other templates"},
		{"a format that a user writes", `{{printf .Text}}`, "format"},
		{"a format that comes through a pipe", `{{.Text | printf}}`, "format"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(tt.text, scope)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("Parse(%s) = %v, want %q", tt.text, err, tt.want)
			}
			if strings.Contains(err.Error(), "template: text") || strings.Contains(err.Error(), "text:1") {
				t.Errorf("the library's coordinates are left in %q", err)
			}
		})
	}
}

func TestDoubt(t *testing.T) {
	for text, want := range map[string]string{
		"您好｛｛.User｝｝":    "full-width braces ｛｛ are sent as they are (write {{.User}} in place of ｛｛.User｝｝)",
		"您好{.User}":      "single braces are sent as they are (write {{.User}})",
		"{.Data.phone}":  "single braces are sent as they are (write {{.Data}})",
		"{{.User}}":      "",
		"{{ .User }}":    "",
		"{a} {\"x\": 1}": "",
		"｛注意｝":           "",
	} {
		if got := Doubt(text); got != want {
			t.Errorf("Doubt(%s) = %q, want %q", text, got, want)
		}
	}
}

func TestNoMatchWhereNothingHasMatched(t *testing.T) {
	for _, text := range []string{"{{index .Match 0}}", "{{.Match}}", "{{range $.Match}}{{end}}"} {
		if _, err := Parse(text, Scope{}); err == nil || !strings.Contains(err.Error(), "there is no .Match here") {
			t.Errorf("Parse(%s) = %v", text, err)
		}
	}
}

func TestWhatAUserSendsIsNoTemplate(t *testing.T) {
	tmpl, err := Parse("{{.Text}}", Scope{})
	if err != nil {
		t.Fatal(err)
	}
	d := Of(turn())
	d.Text = "{{.Account}} <no value> & %s"
	if got, err := tmpl.Execute(d); err != nil || got != d.Text {
		t.Errorf("got %q, %v; want the text as it came", got, err)
	}
}

func TestAnOutputWithoutEndIsRefused(t *testing.T) {
	tmpl, err := Parse(`{{range .Match}}{{range $.Match}}{{range $.Match}}xxxxxxxx{{end}}{{end}}{{end}}`, Scope{Groups: 1})
	if err != nil {
		t.Fatal(err)
	}
	d := &Data{Match: make([]string, 1000)}
	if _, err := tmpl.Execute(d); err == nil || !strings.Contains(err.Error(), "65536 bytes") {
		t.Errorf("err = %v, want the limit named", err)
	}
}

func TestOutputIsUTF8(t *testing.T) {
	tmpl, err := Parse("{{.Text}}", Scope{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := tmpl.Execute(&Data{Text: "a\xffb"}); err != nil || got != "a\uFFFDb" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestWithoutALocationDaysAreUTC(t *testing.T) {
	u := turn()
	u.Account.Location = nil
	if d := Of(u); d.Day != "2026-03-01" {
		t.Errorf("Day = %s", d.Day)
	}
}

func FuzzTemplate(f *testing.F) {
	for _, s := range []string{
		"{{.User}}", "{{index .Match 1 | urlquery}}", "{{with .Response.a.b}}{{.c}}{{end}}", "{{range .Data}}{{.}}{{else}}x{{end}}",
		"{{printf \"%*d\" 9 1}}", "{{slice .Text 2 1}}", "{{$x := .Response}}{{$x.a}}", "{{block \"a\" .}}{{end}}", "{{/* a */}}{{- .Day -}}",
		"{{index .Response.list .Text}}", "{{(.Now.Add 1).Unix}}", "{{call .Now.String}}", "{{index . 1}}", "{{join .Text .}}",
	} {
		f.Add(s, "text")
	}
	f.Fuzz(func(t *testing.T, text, said string) {
		if strings.Contains(text, "range") && strings.ContainsAny(text, "123456789") {
			t.Skip("counting is the operator's own patience")
		}
		tmpl, err := Parse(text, scope)
		if err != nil {
			return
		}
		d := Of(turn())
		d.Text, d.Response = said, map[string]any{"a": map[string]any{"b": nil}, "list": []any{"x", 1.5}}
		if tmpl.program != nil {
			agree(t, tmpl, d)
		}
		got, err := tmpl.Execute(d)
		if err != nil {
			return
		}
		if len(got) > 3*Limit {
			t.Errorf("%d bytes", len(got))
		}
		if strings.Contains(got, "<no value>") && !strings.Contains(text+said, "no value") {
			t.Errorf("%q makes %q", text, got)
		}
	})
}
