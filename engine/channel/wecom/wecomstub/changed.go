package wecomstub

import (
	"fmt"
	"strings"

	"bot/engine"
	"bot/engine/stub"
)

// contactChanges and groupChanges are the platform's words for kinds; of a
// group's, what changed follows.
var (
	contactChanges = map[engine.Kind]string{
		engine.FriendAdded: "add_external_contact", engine.ContactChanged: "edit_external_contact",
		engine.FriendDeleted: "del_external_contact", engine.FriendLost: "del_follow_user",
	}
	groupChanges = map[engine.Kind]string{
		engine.GroupCreated: "create", engine.GroupDissolved: "dismiss", engine.MemberJoined: "update add_member",
		engine.MemberLeft: "update del_member", engine.MemberRemoved: "update del_member",
		engine.GroupOwnerChanged: "update change_owner", engine.GroupRenamed: "update change_name",
		engine.GroupAnnouncement: "update change_notice",
	}
)

// changed writes a change of a customer or of a group of customers.
func (p *Platform) changed(d *document, s *stub.Said) error {
	if change, ok := contactChanges[s.Kind]; ok {
		p.contactChanged(d, s, change)
		return nil
	}
	change, detail, _ := strings.Cut(groupChanges[s.Kind], " ")
	if change == "" {
		return fmt.Errorf("WeCom has no callback for %s", s.Kind)
	}
	d.put("Event", "change_external_chat")
	d.put("ChatId", s.Group)
	d.put("ChangeType", change)
	d.put("UpdateDetail", detail)
	switch s.Kind {
	case engine.MemberJoined:
		d.number("JoinScene", 3)
	case engine.MemberLeft:
		d.number("QuitScene", 0)
	case engine.MemberRemoved:
		d.number("QuitScene", 1)
	default:
		return nil
	}
	d.number("MemChangeCnt", len(s.Members))
	d.WriteString("<MemChangeList>")
	for _, m := range s.Members {
		d.put("Item", m)
	}
	d.WriteString("</MemChangeList>")
	return nil
}

// contactChanged writes a change of a customer; a new one may be welcomed once,
// within 20 seconds.
func (p *Platform) contactChanged(d *document, s *stub.Said, change string) {
	member := "stubmember"
	if len(s.Members) > 0 {
		member = s.Members[0]
	}
	if s.Type == "half" {
		change = "add_half_external_contact"
	}
	d.put("Event", "change_external_contact")
	d.put("ChangeType", change)
	d.put("UserID", member)
	d.put("ExternalUserID", s.User)
	if s.Kind != engine.FriendAdded {
		return
	}
	code := "STUBWELCOME-" + s.ID
	p.codes.give(code, permit{about: s.User, begun: s.Type == "begun"}, s.Time.Add(welcomeLife))
	d.put("State", s.Text)
	d.put("WelcomeCode", code)
}
