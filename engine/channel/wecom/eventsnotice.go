package wecom

import (
	"strings"
	"time"

	"bot/engine"
)

// appNotice reads an event of an app. What has no meaning to skills stays
// unknown, under the platform's own name.
func appNotice(e *engine.Event, d *node, now time.Time) (detail string) {
	event := d.get("Event")
	e.Params = params(d)
	switch event {
	case "change_external_contact":
		return contactNotice(e, d, now)
	case "change_external_chat":
		return groupNotice(e, d)
	case "enter_agent":
		e.Kind = engine.EnterChat
	case "click", "template_card_event", "template_card_menu_event":
		e.Kind, e.Text = engine.Button, d.get("EventKey")
		delete(e.Params, "event_key")
		for item := range d.at("SelectedItems").all("SelectedItem") {
			choose(e, item.get("QuestionKey"), item.at("OptionIds").texts("OptionId"))
		}
	default:
		e.Type = event
		if change := d.get("ChangeType"); change != "" {
			e.Type += "/" + change
		}
		e.Ticket = welcome(d, now)
	}
	return ""
}

// choose notes what was picked in answer to a question of a card.
func choose(e *engine.Event, question string, options []string) {
	if question != "" {
		e.Params["selected."+question] = strings.Join(options, ",")
	}
}

// contactKinds are the changes of an external contact that skills know. Both
// additions are one fact: the customer who is in without the member's consent
// is reported again when the member gives it, and is to be welcomed once.
var contactKinds = map[string]engine.Kind{
	"add_external_contact":      engine.FriendAdded,
	"add_half_external_contact": engine.FriendAdded,
	"edit_external_contact":     engine.ContactChanged,
	"del_external_contact":      engine.FriendDeleted, // the member removed the customer
	"del_follow_user":           engine.FriendLost,    // the customer removed the member
}

// contactNotice reads a change of an external contact. It happens between a
// customer and a member, and is in the conversation of the customer.
func contactNotice(e *engine.Event, d *node, now time.Time) (detail string) {
	customer, with, change := d.get("ExternalUserID"), member(d.get("UserID")), d.get("ChangeType")
	if change == "" || !pairable(customer) || !pairable(with) {
		return "no ChangeType, or no ExternalUserID and UserID of 1 to 200 bytes"
	}
	e.Sender, e.Conversation = customer, customer
	e.Params["user_id"] = with
	if kind, known := contactKinds[change]; known {
		e.Kind = kind
	} else {
		e.Type = "change_external_contact/" + change
	}
	e.Ticket = welcome(d, now)
	if change == "msg_audit_approved" && e.Ticket.Token != "" {
		e.Kind, e.Type = engine.FriendAdded, "" // the welcome had waited for the customer's consent
	}
	if e.Kind == engine.FriendAdded || e.Kind.Parts() {
		e.Fact = factPrefix + with + "/" + customer
	}
	switch {
	case e.Ticket.Token != "":
	case e.Kind == engine.FriendAdded:
		e.Mute = noCode
	default:
		e.Mute = noWelcome
	}
	return ""
}

// pairable tells whether two such ids make a key of a note.
func pairable(id string) bool { return id != "" && len(id) <= 200 }

// factPrefix begins the fact that a member and a customer, who follow, are in
// contact.
const factPrefix = "friend/"

// welcomeLives is how long a welcome is worth trying: the code is good for 20
// seconds from the event, of which three are for the request itself.
const welcomeLives = 17 * time.Second

// welcomePrefix begins the ticket of a customer who can be welcomed.
const welcomePrefix = "welcome/"

// welcome is the permission to greet the customer once. None means that nothing
// is to be sent: somebody else greets, or they talk already.
func welcome(d *node, now time.Time) engine.Ticket {
	code := d.get("WelcomeCode")
	if code == "" {
		return engine.Ticket{}
	}
	since := unix(d.get("CreateTime"))
	if since.IsZero() {
		since = now
	}
	return engine.Ticket{Token: welcomePrefix + code, Expires: since.Add(welcomeLives), Limit: maxWelcome}
}

// groupKinds are the changes of a customer group, by what changed.
var groupKinds = map[string]engine.Kind{
	"create":               engine.GroupCreated,
	"dismiss":              engine.GroupDissolved,
	"update/add_member":    engine.MemberJoined,
	"update/del_member":    engine.MemberLeft,
	"update/change_owner":  engine.GroupOwnerChanged,
	"update/change_name":   engine.GroupRenamed,
	"update/change_notice": engine.GroupAnnouncement,
}

// groupNotice reads a change of a customer group. Who is meant is told by newer
// versions of the platform only.
func groupNotice(e *engine.Event, d *node) (detail string) {
	e.Group, e.Sender, e.Conversation = true, "", d.get("ChatId")
	change := d.get("ChangeType")
	if e.Conversation == "" || change == "" {
		return "no ChatId or ChangeType"
	}
	e.Mute = noGroup
	if change == "update" {
		change += "/" + d.get("UpdateDetail")
	}
	var known bool
	if e.Kind, known = groupKinds[change]; !known {
		e.Kind = engine.GroupChanged
	}
	if e.Kind != engine.MemberJoined && e.Kind != engine.MemberLeft {
		// They have been seen with changes that they say nothing about.
		for _, name := range []string{"join_scene", "quit_scene", "mem_change_cnt"} {
			delete(e.Params, name)
		}
		return ""
	}
	e.Members = d.at("MemChangeList").texts("Item")
	if e.Kind == engine.MemberLeft && d.get("QuitScene") == "1" {
		e.Kind = engine.MemberRemoved
	}
	return ""
}
