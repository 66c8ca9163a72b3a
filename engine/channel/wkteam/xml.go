package wkteam

import (
	"encoding/xml"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxXML bounds the content that is read as XML; what WeChat writes itself has
// a few kilobytes, forwarded chat records more.
const maxXML = 256 << 10

// content is WeChat's own XML, as far as it means something here: <msg> of
// messages and friend requests, <sysmsg> of notices. What is absent is empty.
type content struct {
	// of a friend request and of a card, as attributes of <msg>
	Username  string `xml:"username,attr"`
	Nickname  string `xml:"nickname,attr"`
	Ticket    string `xml:"antispamticket,attr"`
	From      string `xml:"fromusername,attr"`
	FromName  string `xml:"fromnickname,attr"`
	Encrypted string `xml:"encryptusername,attr"`
	Verify    string `xml:"ticket,attr"`
	Greeting  string `xml:"content,attr"`
	Scene     string `xml:"scene,attr"`

	Image struct {
		Length string `xml:"length,attr"`
	} `xml:"img"`
	Voice struct {
		Length   string `xml:"length,attr"` // bytes
		Duration string `xml:"voicelength,attr"`
		BufID    string `xml:"bufid,attr"`
	} `xml:"voicemsg"`
	Video struct {
		Length string `xml:"length,attr"`
	} `xml:"videomsg"`
	Emoji struct {
		MD5    string `xml:"md5,attr"`
		Length string `xml:"len,attr"`
	} `xml:"emoji"`
	Location struct {
		X     string `xml:"x,attr"` // latitude
		Y     string `xml:"y,attr"`
		Label string `xml:"label,attr"`
		Name  string `xml:"poiname,attr"`
	} `xml:"location"`
	App struct {
		Title string `xml:"title"`
		URL   string `xml:"url"`
		File  struct {
			Length string `xml:"totallen"`
		} `xml:"appattach"`
		Quoted struct {
			ID string `xml:"svrid"`
		} `xml:"refermsg"`
	} `xml:"appmsg"`

	System string `xml:"type,attr"` // of <sysmsg>
	Revoke struct {
		ID string `xml:"newmsgid"`
	} `xml:"revokemsg"`
	Pat struct {
		From   string `xml:"fromusername"`
		Patted string `xml:"pattedusername"`
	} `xml:"pat"`
	Announcement struct {
		Text string `xml:"content"`
	} `xml:"mmchatroombarannouncememt"` // WeChat's spelling
	Template struct {
		Text  string `xml:"template"`
		Links []link `xml:"link_list>link"`
	} `xml:"sysmsgtemplate>content_template"`
	Application struct {
		Inviter string   `xml:"inviterusername"`
		Members []member `xml:"memberlist>member"`
	} `xml:"NewXmlChatRoomAccessVerifyApplication>link"`
}

// link is a place in a template that stands for people or a text.
type link struct {
	Name    string   `xml:"name,attr"`
	Plain   string   `xml:"plain"`
	Members []member `xml:"memberlist>member"`
}

type member struct {
	ID   string `xml:"username"`
	Name string `xml:"nickname"`
}

// readXML reads content that is XML; ok is false for any other. Broken XML reads
// as far as it goes: the platform's word for what it is stands outside of it.
func readXML(s string) (c *content, ok bool) {
	s = strings.TrimSpace(s)
	c = new(content)
	if !strings.HasPrefix(s, "<") || len(s) > maxXML {
		return c, false
	}
	d := xml.NewDecoder(strings.NewReader(s))
	d.Strict = false
	_ = d.Decode(c) // as above
	return c, true
}

// link returns the template's place of that name, an empty one where there is none.
func (c *content) link(name string) *link {
	for i := range c.Template.Links {
		if l := &c.Template.Links[i]; l.Name == name {
			return l
		}
	}
	return new(link)
}

// id is the first member of the link, "" for none.
func (l *link) id() string {
	if len(l.Members) == 0 {
		return ""
	}
	return asID(l.Members[0].ID)
}

// asID is an id that stands in XML, where none was checked; "" for what can be none.
func asID(s string) string {
	if len(s) > maxID || strings.ContainsRune(s, utf8.RuneError) {
		return ""
	}
	return s
}

// people are the members with an id, and their names.
func people(members []member) (ids, names []string) {
	for _, m := range members {
		if asID(m.ID) != "" {
			ids, names = append(ids, m.ID), append(names, m.Name)
		}
	}
	return ids, names
}

// size reads a number of bytes; 0 where there is none.
func size(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
