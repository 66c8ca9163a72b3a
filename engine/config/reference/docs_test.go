package reference_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is a piece of TOML in a page. One that is not to be read alone says so in a
// comment above it, with the reason: <!-- not checked: … -->
var block = regexp.MustCompile("(?s)(<!-- not checked: [^\n]+ -->\n)?```toml\n(.*?)```")

// Every piece of configuration that a page shows is one that `bot check` takes.
func TestEveryBlockOfThePagesIsFine(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	channels, err := filepath.Glob(filepath.Join(root, "docs", "channels", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	valid, checked := validator(t), 0
	for _, page := range append(append(pages, channels...), filepath.Join(root, "README.md")) {
		name, err := filepath.Rel(root, page)
		if err != nil {
			t.Fatal(err)
		}
		text := read(t, name)
		for _, m := range block.FindAllStringSubmatchIndex(text, -1) {
			if m[2] >= 0 {
				continue
			}
			checked++
			whole, line := framed(text[m[4]:m[5]]), strings.Count(text[:m[4]], "\n")+1
			if err := check(t, whole); err != nil {
				t.Errorf("%s:%d: %v\n%s", name, line, err, whole)
				continue
			}
			if err := valid(whole); err != nil {
				t.Errorf("%s:%d: an editor marks it: %v", name, line, err)
			}
		}
	}
	if checked < 60 {
		t.Errorf("only %d blocks were found", checked)
	}
}

var (
	opens = regexp.MustCompile(`(?m)^\[+([^\]]+)\]+`)

	// account is of a channel that can do all that pages show.
	account = `name = "shop"
channel = "gewe"
base_url = "https://api.example.com"
token = "T"
app_id = "wx_demo"
self = "wxid_self"
`
	hours = "[hours]\nshop = [\"daily 09:00-18:00\"]\n"
)

// framed puts what stands around a fragment for the reader around it: the account
// whose key or table it shows, or the account that there must be.
func framed(text string) string {
	if strings.Contains(text, `hours = "shop"`) && !strings.Contains(text, "\n[hours]") {
		text += hours
	}
	first := opens.FindStringSubmatch(text)
	switch {
	case first == nil:
		return text
	case strings.HasPrefix(first[1], "account.") || first[1] == "limit" && strings.Contains(text, "[account."):
		at := strings.Index(text, "[account.")
		return text[:at] + "[[account]]\n" + account + text[at:]
	case strings.HasPrefix(first[1], "skill."):
		skill := "[[skill]]\nname = \"shown\"\nkeywords = [\"shown\"]\n"
		if first[1] == "skill.test" {
			skill += "reply = \"shown\"\n"
		}
		return skill + text
	case first[1] == "account" && !regexp.MustCompile(`(?m)^channel +=`).MatchString(text):
		return strings.Replace(text, "[[account]]\n", "[[account]]\n"+account, 1)
	case !strings.Contains(text, "[[account]]"):
		return text + "\n[[account]]\n" + account
	}
	return text
}
