package wechat

import "bot/engine/channel"

// The types of <sysmsg> that are notices.
const (
	TypeRevoke       = "revokemsg"
	TypePat          = "pat"
	TypeTemplate     = "sysmsgtemplate"
	TypeAnnouncement = "mmchatroombarannouncememt" // spelled so
	TypeJoinRequest  = "NewXmlChatRoomAccessVerifyApplication"
)

// Revoked is the id of the message that a TypeRevoke withdraws.
func Revoked(doc *Node) string {
	return channel.Scalar(doc.Child(TypeRevoke, "newmsgid").Text()).Digits()
}

// Pat reads who patted whom.
func Pat(doc *Node) (from, patted string) {
	pat := doc.Child(TypePat)
	return pat.Child("fromusername").id(), pat.Child("pattedusername").id()
}

// Announcement is what a group is told.
func Announcement(doc *Node) string { return doc.Child(TypeAnnouncement, "content").Text() }

// JoinRequest reads who wants to be let into a group, and who invited them. Where
// that stands in the document is known from one source each.
func JoinRequest(doc *Node) (inviter string, members, names []string) {
	apply := doc.Child(TypeJoinRequest)
	for _, holder := range []*Node{apply, apply.Child("link")} {
		if inviter == "" {
			inviter = holder.Child("inviterusername").id()
		}
		if members == nil {
			members, names = people(holder.Child("memberlist"))
		}
	}
	return inviter, members, names
}

// FriendRequest is a request to become a friend.
type FriendRequest struct {
	From, Name, Greeting string
	// Encrypted, Ticket and Scene are what accepting takes: gateways call the first
	// two v3 and v4, or v1 and v2.
	Encrypted, Ticket, Scene string
}

// ReadFriendRequest reads the attributes of its <msg>. From is "" where the
// document is another.
func ReadFriendRequest(doc *Node) FriendRequest {
	r := FriendRequest{
		From: doc.Attr("fromusername"), Name: doc.Attr("fromnickname"), Greeting: doc.Attr("content"),
		Encrypted: doc.Attr("encryptusername"), Ticket: doc.Attr("ticket"), Scene: doc.Attr("scene"),
	}
	if !IsID(r.From) {
		r.From = ""
	}
	return r
}
