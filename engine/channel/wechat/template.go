package wechat

import (
	"strings"

	"bot/engine"
)

// Told is what a notice in a group says has happened.
type Told struct {
	Kind    engine.Kind // "" = nothing that is known
	Actor   string
	Members []string
	Names   []string // of the members: none, or one for each, "" where it is not told
	Text    string   // of GroupRenamed: the new name
}

// Into fills in what an event has in common with what was told, but its kind.
func (t Told) Into(e *engine.Event) {
	e.Actor, e.Members, e.MemberNames = t.Actor, t.Members, t.Names
}

// Template is a sentence with links in it, such as
//
//	"$username$"邀请"$names$"加入了群聊
//
// The words depend on the language of the account's phone and the template's
// own type says nothing (tmpl_type_profile stands for invitations and removals
// alike), so the names of the links decide and the words come second.
type Template struct {
	Words string
	links map[string]*Node
}

// ReadTemplate reads a <sysmsg> of type sysmsgtemplate; an empty one where the
// document is another.
func ReadTemplate(doc *Node) Template {
	body := doc.Child("sysmsgtemplate", "content_template")
	t := Template{Words: body.Child("template").Text(), links: make(map[string]*Node)}
	for _, l := range body.Child("link_list").all() {
		t.links[l.Attr("name")] = l
	}
	return t
}

func (t Template) has(name string) bool { _, ok := t.links[name]; return ok }

// first is the first person of a link, "" for none.
func (t Template) first(name string) string {
	if ids, _ := t.people(name); len(ids) > 0 {
		return ids[0]
	}
	return ""
}

func (t Template) people(name string) (ids, names []string) {
	return people(t.links[name].Child("memberlist"))
}

// Read tells what the sentence means to the account self.
func (t Template) Read(self string) Told {
	switch {
	case t.has("kickoutname"):
		return t.removal(self)
	case t.has("identity") && strings.Contains(t.Words, "解散"):
		return Told{Kind: engine.GroupDissolved, Actor: t.first("identity")}
	case t.has("adder"), t.has("names"), t.has("username") && takesUsIn(t.Words):
		return t.Joining(self)
	case t.has("remark"):
		return t.renaming(self)
	}
	return Told{}
}

// removal is told of whom the account itself removed, of all there is.
func (t Template) removal(self string) Told {
	told := Told{Kind: engine.MemberRemoved, Actor: self}
	told.Members, told.Names = t.people("kickoutname")
	return told
}

func (t Template) renaming(self string) Told {
	told := Told{Kind: engine.GroupRenamed, Actor: t.first("username"), Text: t.links["remark"].Child("plain").Text()}
	if told.Actor == "" && strings.HasPrefix(t.Words, "你") {
		told.Actor = self
	}
	return told
}

// Joining reads what is known to tell that somebody came in: "X invited Y" and "Y
// scanned X's code". That the account itself takes part is in the words alone. A
// sentence without links has names and no ids, so it has no members.
func (t Template) Joining(self string) Told {
	told := Told{Kind: engine.MemberJoined}
	if t.has("adder") {
		told.Members, told.Names = t.people("adder")
		told.Actor = t.first("from")
		if told.Actor == "" && strings.Contains(t.Words, "你分享") {
			told.Actor = self
		}
		return told
	}
	told.Members, told.Names = t.people("names")
	told.Actor = t.first("username")
	switch {
	case takesUsIn(t.Words):
		told.Kind, told.Members = engine.GroupCreated, append([]string{self}, told.Members...)
		if told.Names != nil {
			told.Names = append([]string{""}, told.Names...)
		}
		if told.Actor == "" {
			told.Actor = t.first("from")
		}
	case strings.HasPrefix(t.Words, "你邀请"):
		told.Actor = self
	}
	return told
}

// takesUsIn tells the words by which the account itself came into the group.
func takesUsIn(words string) bool {
	return strings.Contains(words, "邀请你") || strings.HasPrefix(words, "你通过扫描")
}
