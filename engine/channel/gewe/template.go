package gewe

import (
	"strings"

	"bot/engine"
)

// template reads a sentence with links in it, such as
//
//	"$username$"邀请"$names$"加入了群聊
//
// The words depend on the language of the account's phone and the template's
// own type says nothing (tmpl_type_profile stands for invitations and removals
// alike), so the names of the links decide and the words come second.
func (in *inbound) template(t *node) *engine.Event {
	words := t.child("template").text()
	links := make(map[string]*node)
	for _, l := range t.child("link_list").all() {
		links[l.attr("name")] = l.child("memberlist")
	}
	has := func(name string) bool { _, ok := links[name]; return ok }
	switch {
	case in.room == "":
		return in.byWord()
	case has("kickoutname"): // by the account, of all there is
		return in.members(engine.MemberRemoved, in.self, links["kickoutname"])
	case has("identity") && (strings.Contains(words, "解散") || in.kind == engine.GroupDissolved):
		return in.members(engine.GroupDissolved, first(links["identity"]), nil)
	case has("adder"):
		sharer := first(links["from"])
		if sharer == "" && strings.Contains(words, "你分享") {
			sharer = in.self
		}
		return in.members(engine.MemberJoined, sharer, links["adder"])
	case has("names"):
		inviter := first(links["username"])
		if inviter == "" && strings.HasPrefix(words, "你邀请") {
			inviter = in.self
		}
		return in.members(engine.MemberJoined, inviter, links["names"])
	case has("username") && strings.Contains(words, "邀请你"):
		e := in.members(engine.GroupCreated, first(links["username"]), nil)
		e.Fact, e.Members = groupFact+in.room, []string{in.self}
		return e
	}
	if in.kind != "" {
		return in.byWord()
	}
	return in.unknown("sysmsgtemplate")
}

func (in *inbound) members(kind engine.Kind, actor string, who *node) *engine.Event {
	e := in.event(kind)
	e.Actor = actor
	e.Members, e.MemberNames = people(who)
	return e
}

// people reads a memberlist. The names are left out unless all are there.
func people(list *node) (ids, names []string) {
	named := true
	for _, m := range list.all() {
		id := personOf(m.child("username"))
		if m.name != "member" || id == "" {
			continue
		}
		name := m.child("nickname").text()
		named = named && name != ""
		ids, names = append(ids, id), append(names, name)
	}
	if !named {
		names = nil
	}
	return ids, names
}

// personOf reads an element that holds an id; "" if it is none.
func personOf(n *node) string {
	if id := n.text(); !badID(id) {
		return id
	}
	return ""
}

func first(list *node) string {
	ids, _ := people(list)
	if len(ids) == 0 {
		return ""
	}
	return ids[0]
}
